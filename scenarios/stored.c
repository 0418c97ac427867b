/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "scenarios/stored.h"

#include "data/hash.h"
#include "data/store/memory_curve.h"
#include "data/store/related.h"
#include "data/store/repeated.h"
#include "model/model_error.h"
#include "model/workload/answering.h"
#include "model/workload/scaled_traffic.h"

#include <gsl/gsl_cdf.h>

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/*
 * ---- memory: what the store answered, for scripts that run thousands of times on a store that does
 * not change: a look into it can cost a millisecond. A memory goes with one store, and serves one
 * thread.
 */

enum { BUCKETS = 256, MOST = 20000, KEY = 400, NAME = CLUMP_STORE_RELATED_NAME };

/* A run in one node of the same machine, which tells what a program computes. */
typedef struct kin {
    char platform[NAME], application[NAME]; /* platform "": there is none */
    double share;                           /* of that computation, which a processor has here */
} kin;

typedef struct entry {
    struct entry *next;
    clump_store_memory_curve *curve; /* of the key of a memory; NULL: there is none */
    clump_store_status status;
    clump_store_measurement measured;
    char *why;                      /* the store's message, where status is NOT_FOUND; or NULL */
    clump_store_platform *platform; /* of the key of a platform */
    clump_misses misses;            /* of the key of a node */
    kin kin;                        /* of the key of a computation */
    bool waits, lockstep, exchange; /* of the key of an application that nothing was fitted to */
    char key[];
} entry;

struct clump_scenario_memory {
    entry *buckets[BUCKETS];
    size_t count;
};

/* What a filter tells apart; false if it does not fit. */
static bool make_key(const clump_store_filter *f, char key[KEY])
{
    const char *parts[] = {f->platform, f->application, f->transport,
                           f->quantity, f->statistic,   f->variant};
    size_t used = 0;
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        /* NULL and "" differ; no name has the separator. */
        const int size = snprintf(key + used, KEY - used, "%s%s\x1f", parts[i] != NULL ? "=" : "",
                                  parts[i] != NULL ? parts[i] : "");
        if (size < 0 || used + (size_t)size >= KEY)
            return false;
        used += (size_t)size;
    }
    return f->source == NULL && f->benchmark == NULL;
}

static size_t bucket_of(const char *key)
{
    return (size_t)(clump_hash_bytes(CLUMP_HASH_START, key, strlen(key)) % BUCKETS);
}

clump_scenario_memory *clump_scenario_memory_new(void)
{
    return calloc(1, sizeof(clump_scenario_memory));
}

void clump_scenario_memory_free(clump_scenario_memory *memory)
{
    for (size_t i = 0; memory != NULL && i < BUCKETS; i++)
        while (memory->buckets[i] != NULL) {
            entry *first = memory->buckets[i];
            memory->buckets[i] = first->next;
            clump_store_free(first->platform);
            clump_store_free(first->curve);
            free(first->why);
            free(first);
        }
    free(memory);
}

/* What was kept under a key, or NULL. */
static const entry *find_entry(const clump_scenario_memory *memory, const char *key)
{
    for (const entry *e = memory->buckets[bucket_of(key)]; e != NULL; e = e->next)
        if (strcmp(e->key, key) == 0)
            return e;
    return NULL;
}

/* A new entry under a key that has none; NULL: no memory, or enough of it. */
static entry *add_entry(clump_scenario_memory *memory, const char *key)
{
    entry *e = memory->count < MOST ? malloc(sizeof *e + strlen(key) + 1) : NULL;
    if (e == NULL)
        return NULL;
    const size_t bucket = bucket_of(key);
    *e = (entry){.next = memory->buckets[bucket], .status = CLUMP_STORE_OK};
    strcpy(e->key, key);
    memory->buckets[bucket] = e;
    memory->count++;
    return e;
}

/* What the store said to this question before, OK or NOT_FOUND; NULL: it was not asked. */
static const entry *recall(const clump_scenario_memory *memory, const clump_store_filter *filter)
{
    char key[KEY];
    return memory != NULL && make_key(filter, key) ? find_entry(memory, key) : NULL;
}

/* `why`: the store's message if it found nothing. */
static void keep(clump_scenario_memory *memory, const clump_store_filter *filter,
                 clump_store_status status, const clump_store_measurement *measured,
                 const char *why)
{
    char key[KEY];
    if (memory == NULL || !make_key(filter, key) ||
        (status != CLUMP_STORE_OK && status != CLUMP_STORE_NOT_FOUND))
        return;
    entry *e = add_entry(memory, key);
    if (e == NULL)
        return;
    e->status = status;
    if (status == CLUMP_STORE_OK)
        e->measured = *measured;
    e->measured.note = NULL;
    e->why = status == CLUMP_STORE_NOT_FOUND ? strdup(why) : NULL;
}

/* ---- the store */

/* Drawn, where the caller of the scenario asks for that. */
static double draw_normal(lua_State *L, const char *name, double value, double deviation,
                          double least, double most)
{
    const clump_scenario_options *options = scenario_sandbox_of(L)->options;
    const clump_uncertain distribution = {
        .kind = CLUMP_UNCERTAIN_NORMAL, .a = value, .b = deviation, .least = least, .most = most};
    if (!(deviation > 0))
        return value;
    scenario_sandbox_of(L)->uncertain = true;
    if (options->draw == NULL || clump_uncertain_check(&distribution, NULL) != CLUMP_OK)
        return value;
    return options->draw(name, &distribution, options->draw_context);
}

enum { DRAWN = 160 }; /* names of what is drawn */

/* A number that was measured, with the half width of its 95% interval (NAN: not known): as it is, or
 * drawn. It stays 0 or above. */
static double draw_measured(lua_State *L, const char *name, double value, double half_width)
{
    return draw_normal(L, name, value, half_width / CLUMP_UNCERTAIN_95, value >= 0 ? 0 : -HUGE_VAL,
                       HUGE_VAL);
}

/* Half of the 95% interval; of a number without one that is a mean, from the deviation of single ones.
 * NAN: not known. */
static double half_width_of(const clump_store_measurement *m)
{
    const double n = (double)m->iterations;
    if (m->half_width > 0 || !(m->std_dev > 0))
        return m->half_width;
    return n > 1 ? gsl_cdf_tdist_Pinv(0.975, n - 1) * m->std_dev / sqrt(n)
                 : CLUMP_UNCERTAIN_95 * m->std_dev;
}

/* A look into the store counts as so many steps: some hundred microseconds. */
enum { LOOK = 5000 };

/* Which of several: the layer that supports both protocols at once, as the thesis compares them. */
static const char preferred[] = "multi-protocol";

static clump_store *store_of(lua_State *L)
{
    clump_store *store = scenario_sandbox_of(L)->options->store;
    if (store == NULL)
        scenario_fail(L,
                      "no database is open, expected one for names of platforms and applications");
    scenario_charge(L, LOOK);
    return store;
}

static _Noreturn void fail_store(lua_State *L, clump_store_status status, const char *what)
{
    const clump_store *store = scenario_sandbox_of(L)->options->store;
    const char *message = lua_pushstring(L, clump_store_message(store));
    if (status == CLUMP_STORE_FAILED)
        scenario_fail_hard(L, clump_store_lacked_memory(store), message);
    scenario_fail(L, "%s: %s", what, message);
}

/* What the store promises is checked again: it would be counted wrongly in silence. */
static _Noreturn void refuse_record(lua_State *L, void *record, const char *what, const char *name,
                                    const char *reason)
{
    const char *copy = scenario_copy_quietly(L, name);
    clump_store_free(record);
    scenario_fail(L, "%s \"%s\": %s", what, copy != NULL ? copy : "?", reason);
}

/* The value, of the preferred variant or else of the only one. `why` receives the reason if there is none,
 * valid until the store is asked again; NULL: nobody wants to know. */
static clump_store_status find_value(lua_State *L, const clump_store_filter *filter,
                                     const char **why, clump_store_measurement *measured)
{
    clump_scenario_memory *memory = scenario_sandbox_of(L)->options->memory;
    clump_store_filter wanted = *filter;
    const entry *known = recall(memory, filter);
    if (known != NULL && (why == NULL || known->status == CLUMP_STORE_OK || known->why != NULL)) {
        scenario_charge(L, 100);
        *measured = known->measured;
        if (why != NULL)
            *why = known->why;
        return known->status;
    }
    wanted.variant = preferred;
    wanted.sure = true;
    clump_store_status status = clump_store_value(store_of(L), &wanted, measured);
    if (status == CLUMP_STORE_NOT_FOUND) {
        wanted.variant = NULL;
        status = clump_store_value(store_of(L), &wanted, measured);
    }
    if (status == CLUMP_STORE_FAILED)
        fail_store(L, status, "store");
    const char *message = clump_store_message(scenario_sandbox_of(L)->options->store);
    if (known == NULL)
        keep(memory, filter, status, measured, message);
    if (why != NULL)
        *why = message;
    return status;
}

/* L is half a round trip without the overheads. What is not sure of them is not sure of L, with the other
 * sign: drawn apart their sum would scatter more than the round trips did that it comes from. */
static void draw_loggp(lua_State *L, const char *platform, const char *transport,
                       double values[CLUMP_LOGGP_QUANTITIES],
                       const double half_widths[CLUMP_LOGGP_QUANTITIES])
{
    const double sum = values[0] + values[1] + values[2];
    char name[DRAWN];
    if (scenario_sandbox_of(L)->options->draw == NULL) {
        for (size_t i = 0; i < CLUMP_LOGGP_QUANTITIES; i++)
            if (half_widths[i] > 0)
                scenario_sandbox_of(L)->uncertain = true;
        return;
    }
    for (size_t i = 0; i < CLUMP_LOGGP_QUANTITIES; i++) {
        double square = half_widths[i] * half_widths[i];
        for (size_t k = 1; i == 0 && k < 3; k++)
            square -= half_widths[k] > 0 ? half_widths[k] * half_widths[k] : 0;
        snprintf(name, sizeof name, "%.70s %.20s %.60s", platform, transport,
                 i == 0 ? "half_round_trip" : clump_loggp_quantities[i]);
        values[i] = draw_normal(L, name, i == 0 ? sum : values[i],
                                sqrt(fmax(square, 0)) / CLUMP_UNCERTAIN_95,
                                i == 0 ? 1e-3 * values[3] : 0, HUGE_VAL);
    }
    values[0] = fmax(values[0], 1e-3 * values[3]) - values[1] - values[2];
}

/* What whoever has not measured all of them can do. `why` is about the first that is missing. */
static void explain_missing(lua_State *L, const char *platform, const char *transport,
                            const char *why, scenario_protocol *protocol)
{
    static const char *const keys[CLUMP_LOGGP_QUANTITIES] = {"L", "o_s", "o_r", "g", "G"};
    char known[40] = "", missing[40] = "", text[900];
    for (size_t i = 0; i < CLUMP_LOGGP_QUANTITIES; i++) {
        char *list = protocol->part[i] ? known : missing;
        snprintf(list + strlen(list), sizeof known - strlen(list), "%s%s%s",
                 *list != '\0' ? ", " : "", keys[i], protocol->part[i] ? "" : " =");
    }
    if (*known == '\0')
        snprintf(text, sizeof text,
                 "%.400s; 'clumpmodel fit loggp --name' finds them in logs that were imported",
                 why);
    else
        snprintf(text, sizeof text,
                 "%.400s; known are %s. Measure the others (netgauge -x loggp, logp_mpi or "
                 "'clumpmodel calibrate mpi'), or say them: platform { like = platform \"%.100s\", "
                 "%s = { %s } }",
                 why, known, platform,
                 strcmp(transport, "shared-memory") == 0 ? "shared_memory" : "network", missing);
    protocol->problem = scenario_copy_quietly(L, text);
}

static void read_protocol(lua_State *L, const char *platform, const char *transport,
                          scenario_protocol *protocol)
{
    double values[CLUMP_LOGGP_QUANTITIES] = {0}, half_widths[CLUMP_LOGGP_QUANTITIES];
    char first[400];
    bool all = true;
    for (size_t i = 0; i < CLUMP_LOGGP_QUANTITIES; i++) {
        const clump_store_filter filter = {.platform = platform,
                                           .application = "",
                                           .transport = transport,
                                           .quantity = clump_loggp_quantities[i]};
        clump_store_measurement measured;
        const char *why = NULL;
        protocol->part[i] = find_value(L, &filter, &why, &measured) == CLUMP_STORE_OK;
        if (!protocol->part[i] && all)
            snprintf(first, sizeof first, "%s", why != NULL ? why : "not enough memory");
        all = all && protocol->part[i];
        if (!protocol->part[i])
            continue;
        values[i] = measured.value;
        half_widths[i] = half_width_of(&measured);
    }
    protocol->loggp = clump_loggp_of(values);
    if (!all) {
        explain_missing(L, platform, transport, first, protocol);
        return;
    }
    draw_loggp(L, platform, transport, values, half_widths);
    clump_error error;
    protocol->loggp = clump_loggp_of(values);
    protocol->known = clump_loggp_check(&protocol->loggp, transport, &error) == CLUMP_OK;
    if (!protocol->known)
        protocol->problem = scenario_copy_quietly(L, error.message);
}

/* What makes computing dearer than on the NOW. */
static void read_node(lua_State *L, scenario_platform *p)
{
    clump_scenario_memory *memory = scenario_sandbox_of(L)->options->memory;
    char key[KEY]; /* the counterpart follows from the name */
    const bool fits = snprintf(key, sizeof key, "node\x1e%s", p->name) < (int)sizeof key;
    const entry *known = memory != NULL && fits ? find_entry(memory, key) : NULL;
    if (known != NULL) {
        scenario_charge(L, 100);
        p->misses = known->misses;
        return;
    }
    clump_store_misses found = {.now_us = NAN, .node_us = NAN};
    const clump_store_status status =
        p->counterpart != NULL
            ? clump_store_find_misses(store_of(L), p->name, p->counterpart, &found)
            : CLUMP_STORE_OK;
    if (status != CLUMP_STORE_OK)
        fail_store(L, status, "platform");
    p->misses = (clump_misses){.share = clump_model_error_miss_share(),
                               .now_us = found.now_us,
                               .node_us = found.node_us,
                               .line_bytes = found.line_bytes,
                               .bytes_per_us = found.bytes_per_us};
    entry *e = memory != NULL && fits ? add_entry(memory, key) : NULL;
    if (e != NULL)
        e->misses = p->misses;
}

/* The record, to be freed with clump_store_free(). */
static clump_store_platform *find_platform(lua_State *L, const char *name)
{
    clump_scenario_memory *memory = scenario_sandbox_of(L)->options->memory;
    char key[KEY];
    const bool fits = snprintf(key, sizeof key, "platform\x1e%s", name) < (int)sizeof key;
    const entry *known = memory != NULL && fits ? find_entry(memory, key) : NULL;
    clump_store_platform *record = NULL;
    if (known != NULL) {
        scenario_charge(L, 100);
        record = clump_store_copy_platform(known->platform);
        if (record == NULL)
            scenario_fail_memory(L);
        return record;
    }
    const clump_store_status status = clump_store_find_platform(store_of(L), name, &record);
    if (status != CLUMP_STORE_OK)
        fail_store(L, status, "platform");
    clump_store_platform *copy = memory != NULL && fits ? clump_store_copy_platform(record) : NULL;
    entry *e = copy != NULL ? add_entry(memory, key) : NULL;
    if (e != NULL)
        e->platform = copy;
    else
        clump_store_free(copy);
    return record;
}

/* What a fit of a node found of its NICs, as drawn; false: nothing. */
static bool find_of_nics(lua_State *L, const char *platform, const char *quantity, double *value)
{
    const clump_store_filter filter = {
        .platform = platform, .application = "", .quantity = quantity};
    clump_store_measurement measured;
    char name[DRAWN];
    if (find_value(L, &filter, NULL, &measured) != CLUMP_STORE_OK)
        return false;
    snprintf(name, sizeof name, "%.80s %.60s", platform, quantity);
    *value = draw_measured(L, name, measured.value, measured.half_width);
    return true;
}

/* Processors of which E(q) is told apart, if those of the platform are fewer. */
enum { LEAST_EFFICIENCIES = 64, MOST_EFFICIENCIES = 4096 };

static void read_nics(lua_State *L, scenario_platform *p)
{
    double value;
    if (find_of_nics(L, p->name, "nics_per_process", &value))
        p->max_nics_per_processor = fmax(value, 1);
    if (find_of_nics(L, p->name, "nic_duplex", &value))
        p->half_duplex = value < 1.41421356237309505 /* sqrt(2) */;
    if (!find_of_nics(L, p->name, "nic_efficiency_loss", &value) || !(value > 0))
        return;
    const size_t count = p->processors < LEAST_EFFICIENCIES  ? LEAST_EFFICIENCIES
                         : p->processors > MOST_EFFICIENCIES ? MOST_EFFICIENCIES
                                                             : p->processors;
    double *table = scenario_allocate(L, count, sizeof *table);
    for (size_t q = 0; q < count; q++)
        table[q] = clump_efficiency_at(CLUMP_EFFICIENCY_INVERSE, value, (double)q + 1);
    p->efficiency = (scenario_efficiency){table, count};
}

void scenario_stored_platform(lua_State *L, const char *name, scenario_platform *p)
{
    clump_store_platform *record = find_platform(L, name);
    clump_mapping mapping = CLUMP_MAPPING_POOLED;
    if (record->mapping != NULL && !clump_mapping_parse(record->mapping, &mapping))
        refuse_record(L, record, "platform", record->name,
                      "its mapping in the database is neither pooled nor static");
    *p = (scenario_platform){
        .name = scenario_copy_quietly(L, record->name),
        .stored = true,
        .nodes = (size_t)record->nodes,
        .processors = (size_t)record->processors,
        .nics = (size_t)record->nics,
        .has_mapping = record->mapping != NULL,
        .mapping = mapping,
        .memory_penalty = 1,
        .misses = {.now_us = NAN, .node_us = NAN},
        .counterpart = scenario_copy_quietly(L, record->counterpart),
        .origin_processors = (size_t)record->processors,
    };
    p->origin = p->name;
    const bool complete =
        p->name != NULL && (p->counterpart != NULL || record->counterpart == NULL);
    clump_store_free(record);
    if (!complete)
        scenario_fail_memory(L);
    read_protocol(L, p->name, "network", &p->network);
    read_protocol(L, p->name, "shared-memory", &p->shared_memory);
    if (p->counterpart != NULL)
        read_protocol(L, p->counterpart, "network", &p->now_network);
    read_nics(L, p);
    read_node(L, p);
}

/* By how much the bandwidths of so many points may all be off, drawn: what is behind the errors of points
 * of one run (a clock, pages that were unlucky) they have in common. */
static double draw_factor(lua_State *L, const char *platform, const char *of,
                          const clump_store_memory_point *points, size_t count)
{
    double square = 0;
    size_t known = 0;
    char name[DRAWN];
    for (size_t i = 0; i < count; i++)
        if (points[i].half_width > 0) {
            const double relative = points[i].half_width / points[i].bandwidth;
            square += relative * relative;
            known++;
        }
    if (known == 0)
        return 1;
    snprintf(name, sizeof name, "%.80s memory_bandwidth of %s", platform, of);
    return draw_normal(L, name, 1, sqrt(square / (double)known) / CLUMP_UNCERTAIN_95, 0.01,
                       HUGE_VAL);
}

/* Copies of the curve, in bytes a second. */
static scenario_bandwidth use_curve(lua_State *L, const clump_store_memory_curve *curve,
                                    const char *platform)
{
    const clump_store_memory_point *points = curve->points;
    const double of_one = draw_factor(L, platform, "one process", points, 1);
    const double of_more =
        draw_factor(L, platform, "several processes", points + 1, curve->processes - 1);
    scenario_bandwidth b = {.known = true, .one = 1e6 * of_one * points[0].bandwidth};
    double *rates = scenario_allocate_quietly(L, curve->processes, sizeof *rates);
    for (size_t i = 0; i < curve->processes && rates != NULL; i++)
        rates[i] = i > 0 ? of_more * points[i].bandwidth / (of_one * points[0].bandwidth) : 1;
    b.memory.curve = rates;
    b.memory.curve_length = curve->processes;
    return b;
}

scenario_bandwidth scenario_stored_bandwidth(lua_State *L, const char *platform)
{
    clump_scenario_memory *memory = scenario_sandbox_of(L)->options->memory;
    scenario_bandwidth found = {.known = false};
    clump_store_memory_curve *curve = NULL;
    char key[KEY];
    const bool fits = snprintf(key, sizeof key, "memory\x1e%s", platform) < (int)sizeof key;
    const entry *known = memory != NULL && fits ? find_entry(memory, key) : NULL;
    clump_store_status status = CLUMP_STORE_NOT_FOUND;
    if (known != NULL)
        scenario_charge(L, 100);
    else
        status = clump_store_find_memory_curve(store_of(L), platform, NULL, NULL, &curve);
    if (status == CLUMP_STORE_BAD_INPUT || status == CLUMP_STORE_FAILED)
        fail_store(L, status, "platform");
    const clump_store_memory_curve *read = known != NULL ? known->curve : curve;
    if (read != NULL)
        found = use_curve(L, read, platform);
    else if (known == NULL)
        found.problem =
            scenario_copy_quietly(L, clump_store_message(scenario_sandbox_of(L)->options->store));
    const bool failed = read != NULL && found.memory.curve == NULL;
    /* Why there is none is asked for again. */
    entry *e = known == NULL && read != NULL && !failed && memory != NULL && fits
                   ? add_entry(memory, key)
                   : NULL;
    if (e != NULL)
        e->curve = curve;
    else
        clump_store_free(curve);
    if (failed)
        scenario_fail_memory(L);
    return found;
}

/* Between `least` and `most`, whatever is drawn. */
static double find_parameter(lua_State *L, const clump_store_fit *fit, const char *name,
                             double least, double most)
{
    char drawn[DRAWN];
    for (size_t i = 0; i < fit->parameter_count; i++) {
        const clump_store_fit_parameter *p = &fit->parameters[i];
        if (strcmp(p->name, name) != 0)
            continue;
        const double width = (p->high - p->low) / 2;
        const double z = fit->confidence > 0 && fit->confidence < 1
                             ? gsl_cdf_ugaussian_Pinv((1 + fit->confidence) / 2)
                             : CLUMP_UNCERTAIN_95;
        snprintf(drawn, sizeof drawn, "%.80s %.60s", fit->application, name);
        return draw_normal(L, drawn, p->value, width / z, least, most);
    }
    return NAN;
}

/* The store promises ranges by its constraints; a damaged file is found here. */
static bool is_share(double value)
{
    return isnan(value) || (value >= 0 && value <= 1);
}

static bool read_demand(lua_State *L, const clump_store_fit *fit, scenario_demand *demand)
{
    *demand = (scenario_demand){.gang_size = 1};
    if (!clump_demand_kind_parse(fit->demand, &demand->demand))
        return false;
    if (demand->demand == CLUMP_DEMAND_GANG)
        demand->gang_size = find_parameter(L, fit, "s", 1, HUGE_VAL);
    return demand->gang_size >= 1;
}

static bool read_numbers(lua_State *L, const clump_store_fit *fit, scenario_fitted *f,
                         double *penalty)
{
    const double e = find_parameter(L, fit, "e", 0, HUGE_VAL);
    *penalty = find_parameter(L, fit, "penalty", 0.01, HUGE_VAL);
    f->utilization = find_parameter(L, fit, "U", 0, 1);
    f->remote_fraction = find_parameter(L, fit, "f", 0, 1);
    f->cost_ratio = find_parameter(L, fit, "V", 0, HUGE_VAL);
    f->waiting_fraction = find_parameter(L, fit, "h", 0, 1);
    f->law.coefficient = isnan(e) ? 0 : e;
    return clump_efficiency_form_parse(fit->efficiency, &f->law.form) != 0 &&
           read_demand(L, fit, &f->demand) && is_share(f->utilization) &&
           is_share(f->remote_fraction) && is_share(f->waiting_fraction) &&
           (isnan(*penalty) || *penalty > 0) && !(f->cost_ratio < 0) && f->law.coefficient >= 0 &&
           fit->run_count > 0;
}

static bool read_run(lua_State *L, const clump_store_fit_run *from, scenario_fitted_run *to)
{
    clump_mapping mapping = CLUMP_MAPPING_POOLED;
    const bool mapped = clump_mapping_parse(from->mapping, &mapping);
    *to = (scenario_fitted_run){
        .platform = scenario_copy_quietly(L, from->platform),
        .processors = (size_t)from->processors,
        .nics = (size_t)from->nics,
        .mapping = mapping,
        .utilization = from->utilization,
        .remote_fraction = from->remote_fraction,
        .cost_ratio = from->cost_ratio,
        .waiting_fraction = from->waiting_fraction,
        .now_time = from->base_time_s,
        .measured_time = from->time_s,
        .relative_error = from->relative_error,
    };
    return mapped && to->platform != NULL && from->processors >= 1 && from->nics >= 0 &&
           from->base_time_s > 0 && from->time_s > 0;
}

/* Copies of it; NULL for want of memory or if it is damaged. Lua must not jump out of here: the
 * record is not its own. */
static scenario_fitted *copy_fit(lua_State *L, const clump_store_fit *fit, double *penalty)
{
    scenario_fitted *f = scenario_allocate_quietly(L, 1, sizeof *f);
    scenario_fitted_run *runs = scenario_allocate_quietly(L, fit->run_count, sizeof *runs);
    if (f == NULL || runs == NULL || !read_numbers(L, fit, f, penalty))
        return NULL;
    for (size_t i = 0; i < fit->run_count; i++)
        if (!read_run(L, &fit->runs[i], &runs[i]))
            return NULL;
    f->runs = runs;
    f->run_count = fit->run_count;
    return f;
}

static void find_fit(lua_State *L, scenario_application *application)
{
    clump_store_fit *record = NULL;
    const clump_store_status status = clump_store_find_fit(store_of(L), application->name, &record);
    double penalty = NAN;
    if (status != CLUMP_STORE_OK)
        fail_store(L, status, "application");
    if (record == NULL)
        return;
    const scenario_fitted *fitted = copy_fit(L, record, &penalty);
    clump_store_free(record);
    if (fitted == NULL)
        scenario_fail(L,
                      "application \"%s\": what was fitted to it cannot be used: the database is "
                      "damaged, or memory is short",
                      application->name);
    application->kind = SCENARIO_BY_FIT;
    application->fitted = fitted;
    application->memory_penalty = penalty;
}

/* What was recorded of it, if anything. Of the sandbox: a script names an application in many places. */
static void find_facts(lua_State *L, const char *name, scenario_application *application)
{
    scenario_sandbox *s = scenario_sandbox_of(L);
    for (const scenario_kept_facts *k = s->facts; k != NULL; k = k->next)
        if (strcmp(k->facts->application, name) == 0)
            application->facts = k->facts;
    if (application->facts == NULL) {
        clump_facts *facts = NULL;
        const clump_store_status status = clump_store_find_facts(store_of(L), name, &facts);
        if (status != CLUMP_STORE_OK)
            fail_store(L, status, "application");
        if (facts == NULL)
            return;
        scenario_kept_facts *kept = malloc(sizeof *kept);
        if (kept == NULL) {
            clump_facts_free(facts);
            scenario_fail_memory(L);
        }
        *kept = (scenario_kept_facts){s->facts, facts};
        s->facts = kept;
        application->facts = facts;
        scenario_charge(L, 10 * (double)(facts->traffic_count + facts->call_count +
                                         facts->overlap_count + facts->rank_count));
    }
    application->kind = SCENARIO_BY_RECORDING;
}

void scenario_stored_facts(lua_State *L, const char *recording, scenario_application *a)
{
    clump_store_application *record = NULL;
    const clump_store_status status = clump_store_find_application(store_of(L), recording, &record);
    if (status != CLUMP_STORE_OK)
        fail_store(L, status, "application: recording");
    const char *name = scenario_copy_quietly(L, record->name);
    clump_store_free(record);
    if (name == NULL)
        scenario_fail_memory(L);
    find_facts(L, name, a);
    if (a->facts == NULL)
        scenario_fail(L,
                      "application: recording is \"%s\", of which nothing was recorded; expected a "
                      "program of 'clumpmodel import recording'",
                      name);
}

/* Nothing but what the store says of it. */
static scenario_application make_application(const char *name, bool waits)
{
    return (scenario_application){
        .name = name,
        .kind = SCENARIO_BY_STORE,
        /* Where the style is not known messages are taken to follow each other. */
        .waited_share = waits,
        .remote_fraction = 1,
        .cost_ratio = 1,
        .now_time = NAN,
        .computation = NAN,
        .node_computation = NAN,
        .memory_penalty = NAN,
        .appetite = SCENARIO_NO_APPETITE,
    };
}

void scenario_stored_application(lua_State *L, const char *name, scenario_application *a)
{
    clump_scenario_memory *memory = scenario_sandbox_of(L)->options->memory;
    clump_store_application *record = NULL;
    char key[KEY];
    const bool fits = snprintf(key, sizeof key, "application\x1e%s", name) < (int)sizeof key;
    const entry *known = memory != NULL && fits ? find_entry(memory, key) : NULL;
    if (known != NULL) {
        scenario_charge(L, 100);
        *a = make_application(scenario_copy_quietly(L, name), known->waits);
        a->lockstep = known->lockstep;
        a->exchange = known->exchange;
        if (a->name == NULL)
            scenario_fail_memory(L);
        return;
    }
    const clump_store_status status = clump_store_find_application(store_of(L), name, &record);
    if (status != CLUMP_STORE_OK)
        fail_store(L, status, "application");
    const bool waits = record->style != NULL && strcmp(record->style, "blocking") == 0;
    if (record->style != NULL && !waits && strcmp(record->style, "streaming") != 0)
        refuse_record(L, record, "application", record->name,
                      "its style in the database is neither streaming nor blocking");
    *a = make_application(scenario_copy_quietly(L, record->name), waits);
    clump_store_free(record);
    if (a->name == NULL)
        scenario_fail_memory(L);
    find_fit(L, a);
    if (a->kind == SCENARIO_BY_STORE)
        find_facts(L, a->name, a);
    clump_store_status found = clump_store_lockstep(store_of(L), a->name, &a->lockstep);
    if (found == CLUMP_STORE_OK)
        found = clump_store_mutual_exchange(store_of(L), a->name, &a->exchange);
    if (found != CLUMP_STORE_OK)
        fail_store(L, found, "application");
    entry *e = memory != NULL && fits && a->kind == SCENARIO_BY_STORE && strcmp(a->name, name) == 0
                   ? add_entry(memory, key)
                   : NULL;
    if (e != NULL) {
        e->waits = waits;
        e->lockstep = a->lockstep;
        e->exchange = a->exchange;
    }
}

/* The mean over the processors; false if the store has none. */
static bool find_mean(lua_State *L, const char *application, const char *platform,
                      const char *transport, const char *quantity, double *value)
{
    static const char *const statistics[] = {"mean", "single"};
    char name[DRAWN];
    for (size_t i = 0; i < 2; i++) {
        const clump_store_filter filter = {.platform = platform,
                                           .application = application,
                                           .transport = transport,
                                           .quantity = quantity,
                                           .statistic = statistics[i]};
        clump_store_measurement measured;
        const clump_store_status status = find_value(L, &filter, NULL, &measured);
        if (status == CLUMP_STORE_OK) {
            /* Only an interval: a deviation is that of processors, not of their mean. */
            snprintf(name, sizeof name, "%.50s %.50s %.20s %.30s", platform, application, transport,
                     quantity);
            *value = draw_measured(L, name, measured.value, measured.half_width);
            return true;
        }
        if (status != CLUMP_STORE_NOT_FOUND)
            fail_store(L, status, "application");
    }
    return false;
}

static bool find_traffic(lua_State *L, const char *application, const char *platform,
                         const char *transport, clump_traffic *traffic)
{
    double size = 0;
    *traffic = (clump_traffic){0, 0, 0};
    const bool some =
        find_mean(L, application, platform, transport, "short_messages", &traffic->short_messages);
    const bool bulk =
        find_mean(L, application, platform, transport, "bulk_messages", &traffic->bulk_messages);
    if (traffic->bulk_messages > 0) {
        if (!find_mean(L, application, platform, transport, "bulk_message_size", &size))
            fail_store(L, CLUMP_STORE_NOT_FOUND, "application");
        traffic->bulk_bytes = traffic->bulk_messages * size;
    }
    return some || bulk;
}

bool scenario_stored_traffic(lua_State *L, const char *application, const char *platform,
                             clump_traffic *remote, clump_traffic *local)
{
    const bool has_local = find_traffic(L, application, platform, "shared-memory", local);
    const bool has_remote = find_traffic(L, application, platform, "network", remote);
    return has_local || has_remote;
}

typedef struct times {
    char variant[80];
    clump_store_repeated single;
} times;

static int take_time(const clump_store_sample *sample, void *context)
{
    times *t = context;
    if (t->single.count == 0)
        snprintf(t->variant, sizeof t->variant, "%s", sample->variant);
    if (strcmp(sample->variant, t->variant) == 0)
        clump_store_repeated_add(&t->single, &sample->measured);
    return 0;
}

/* Of single times the mean counts, as where predictions are validated. */
static clump_store_status find_single_times(lua_State *L, const clump_store_filter *filter,
                                            clump_store_measurement *measured)
{
    clump_scenario_memory *memory = scenario_sandbox_of(L)->options->memory;
    clump_store_filter wanted = *filter;
    const entry *known = recall(memory, filter);
    times t = {.single = {.count = 0}};
    if (known != NULL) {
        scenario_charge(L, 100);
        *measured = known->measured;
        return known->status;
    }
    wanted.variant = preferred;
    wanted.sure = true;
    clump_store_status status = clump_store_each_sample(store_of(L), &wanted, take_time, &t);
    if (status == CLUMP_STORE_NOT_FOUND || (status == CLUMP_STORE_OK && t.single.count == 0)) {
        wanted.variant = NULL;
        status = clump_store_each_sample(store_of(L), &wanted, take_time, &t);
    }
    if (status == CLUMP_STORE_FAILED)
        fail_store(L, status, "store");
    if (status == CLUMP_STORE_OK && t.single.count == 0)
        status = CLUMP_STORE_NOT_FOUND;
    *measured = (clump_store_measurement){.std_dev = NAN};
    measured->value = clump_store_repeated_mean(&t.single, &measured->half_width);
    keep(memory, filter, status, measured, "");
    return status;
}

bool scenario_stored_time(lua_State *L, const char *application, const char *platform, double *time,
                          double *half_width)
{
    clump_store_filter filter = {.platform = platform,
                                 .application = application,
                                 .quantity = "execution_time",
                                 .statistic = "mean"};
    clump_store_measurement measured;
    clump_store_status status = find_value(L, &filter, NULL, &measured);
    if (status == CLUMP_STORE_NOT_FOUND) {
        filter.statistic = "single";
        status = find_single_times(L, &filter, &measured);
    }
    if (status == CLUMP_STORE_BAD_INPUT)
        fail_store(L, status, "application");
    if (status != CLUMP_STORE_OK || !(measured.value > 0))
        return false;
    char name[DRAWN];
    snprintf(name, sizeof name, "%.80s %.60s", platform, application);
    *half_width = half_width_of(&measured);
    *time = draw_measured(L, name, measured.value, *half_width);
    return true;
}

/* ---- how processors differ */

/* Drawn if it has an interval. */
static bool find_number(lua_State *L, const clump_store_filter *filter, double *value)
{
    clump_store_measurement measured;
    char name[DRAWN];
    if (find_value(L, filter, NULL, &measured) != CLUMP_STORE_OK)
        return false;
    snprintf(name, sizeof name, "%.50s %.50s %.40s", filter->platform, filter->application,
             filter->quantity);
    *value = draw_measured(L, name, measured.value, measured.half_width);
    return true;
}

bool scenario_stored_uneven(lua_State *L, const char *application, const scenario_platform *p,
                            double mean, clump_uneven *uneven)
{
    clump_store_filter filter = {.platform = p->name,
                                 .application = application,
                                 .transport = "network",
                                 .quantity = "short_messages",
                                 .statistic = "min"};
    clump_uneven u = {.mean = mean, .processors = p->nodes * p->processors};
    bool known = find_number(L, &filter, &u.least);
    filter.statistic = "max";
    known = known && find_number(L, &filter, &u.greatest);
    if (!known || !(u.least <= mean && mean <= u.greatest))
        return false;
    *uneven = u;
    return true;
}

/* ---- what a program computes, from a run in one node */

/* Runs that the store names, of which the samples of `quantity` say so. */
static size_t find_related(lua_State *L, const char *application, const char *quantity,
                           clump_store_related runs[CLUMP_STORE_RELATED_MOST])
{
    size_t count = 0;
    const clump_store_status status =
        clump_store_find_related(store_of(L), application, quantity, runs, &count);
    if (status == CLUMP_STORE_FAILED)
        fail_store(L, status, "store");
    return status == CLUMP_STORE_OK ? count : 0;
}

/* Another platform of the same machine: a run is not predicted from itself. */
static bool is_relative(lua_State *L, const char *relative, const char *platform)
{
    bool same = false;
    if (strcmp(relative, platform) == 0)
        return false;
    clump_store *store = store_of(L);
    clump_store_platform *one = NULL, *other = NULL;
    clump_store_status status = clump_store_find_platform(store, relative, &one);
    if (status == CLUMP_STORE_OK)
        status = clump_store_find_platform(store, platform, &other);
    if (status == CLUMP_STORE_OK)
        status = clump_store_same_machine(store, one, other, &same);
    clump_store_free(one);
    clump_store_free(other);
    if (status != CLUMP_STORE_OK)
        fail_store(L, status, "platform");
    return same;
}

static bool has_property(lua_State *L, const char *application, const char *quantity)
{
    const clump_store_filter filter = {
        .platform = "", .application = application, .quantity = quantity};
    double value;
    return find_number(L, &filter, &value) && value > 0;
}

static bool read_counted(lua_State *L, const clump_store_related *run, clump_counted_traffic *found)
{
    if (!scenario_stored_traffic(L, run->application, run->platform, &found->remote, &found->local))
        return false;
    clump_store_platform *record = find_platform(L, run->platform);
    found->processors = (double)record->nodes * (double)record->processors;
    clump_store_free(record);
    return true;
}

/* Of the shape that a run of another input has: in proportion to the times on both NOWs. */
static bool find_proportional(lua_State *L, const char *application, const scenario_platform *p,
                              const clump_store_related *run, clump_traffic *remote,
                              clump_traffic *local)
{
    clump_counted_traffic there;
    double now, now_there, half_width;
    char counterpart[NAME] = "";
    if (p->counterpart == NULL || !read_counted(L, run, &there))
        return false;
    clump_store_platform *record = find_platform(L, run->platform);
    if (record->counterpart != NULL)
        snprintf(counterpart, sizeof counterpart, "%s", record->counterpart);
    clump_store_free(record);
    if (counterpart[0] == '\0' ||
        !scenario_stored_time(L, run->application, counterpart, &now_there, &half_width) ||
        !scenario_stored_time(L, application, p->counterpart, &now, &half_width))
        return false;
    *remote = clump_traffic_times(there.remote, now / now_there);
    *local = clump_traffic_times(there.local, now / now_there);
    return true;
}

bool scenario_stored_scaled_traffic(lua_State *L, const char *application,
                                    const scenario_platform *p, clump_traffic *remote,
                                    clump_traffic *local)
{
    clump_store_related runs[CLUMP_STORE_RELATED_MOST];
    clump_counted_traffic fewest = {.processors = 0}, most = {.processors = 0}, one;
    size_t count = find_related(L, application, "traffic_per_time_from", runs);
    if (count > 0)
        return find_proportional(L, application, p, &runs[0], remote, local);
    count = find_related(L, application, "traffic_from", runs);
    for (size_t i = 0; i < count; i++) {
        if (!is_relative(L, runs[i].platform, p->name) || !read_counted(L, &runs[i], &one))
            continue;
        if (most.processors == 0 || one.processors > most.processors)
            most = one;
        if (fewest.processors == 0 || one.processors < fewest.processors)
            fewest = one;
    }
    if (most.processors == 0)
        return false;
    const clump_scaled_nodes wanted = {(double)p->nodes, (double)p->processors,
                                       has_property(L, application, "all_to_all_exchange"),
                                       has_property(L, application, "fixed_problem")};
    clump_traffic_scale(&fewest, &most, &wanted, remote, local);
    return true;
}

/* The first run that the store names, of one node of the same machine, but not this run itself. */
static kin look_for_kin(lua_State *L, const char *application, const scenario_platform *p)
{
    clump_store_related runs[CLUMP_STORE_RELATED_MOST];
    size_t count = find_related(L, application, "computation_from", runs);
    for (size_t i = 0; i < count; i++) {
        kin found = {.share = 1};
        kin *k = &found;
        strcpy(k->platform, runs[i].platform);
        strcpy(k->application, runs[i].application);
        if (!is_relative(L, k->platform, p->name))
            continue;
        clump_store_platform *node = find_platform(L, k->platform);
        const bool one = node->nodes == 1;
        const double processors = (double)node->processors;
        clump_store_free(node);
        if (!one)
            break;
        k->share = has_property(L, application, "fixed_problem")
                       ? processors / ((double)p->nodes * (double)p->processors)
                       : 1;
        return *k;
    }
    return (kin){.platform = ""};
}

static kin find_kin(lua_State *L, const char *application, const scenario_platform *p)
{
    clump_scenario_memory *memory = scenario_sandbox_of(L)->options->memory;
    char key[KEY];
    const bool fits = snprintf(key, sizeof key, "computation\x1e%s\x1e%s", application, p->name) <
                      (int)sizeof key;
    const entry *known = memory != NULL && fits ? find_entry(memory, key) : NULL;
    if (known != NULL) {
        scenario_charge(L, 100);
        return known->kin;
    }
    const kin found = look_for_kin(L, application, p);
    entry *e = memory != NULL && fits ? add_entry(memory, key) : NULL;
    if (e != NULL)
        e->kin = found;
    return found;
}

double scenario_stored_computation(lua_State *L, const scenario_application *a,
                                   const scenario_platform *p)
{
    const clump_store_filter filter = {
        .platform = p->name, .application = a->name, .quantity = "computation_time"};
    scenario_platform node = *p;
    clump_traffic remote, local = {0, 0, 0};
    double time, half_width, share = 1, cost = 0, penalty = 1;
    if (!find_number(L, &filter, &time)) {
        const kin from = find_kin(L, a->name, p);
        if (from.platform[0] == '\0')
            return NAN;
        scenario_stored_platform(L, from.platform, &node);
        if (node.counterpart == NULL)
            node.misses = p->misses;
        if (!node.shared_memory.known ||
            !scenario_stored_time(L, from.application, from.platform, &time, &half_width) ||
            !scenario_stored_traffic(L, from.application, from.platform, &remote, &local))
            return NAN;
        share = from.share;
        const bool answers = a->exchange && a->waited_share > 0;
        const clump_loggp met = answers ? clump_answering_protocol(&node.shared_memory.loggp)
                                        : node.shared_memory.loggp;
        const clump_communication_time t = clump_traffic_time(&local, &met, a->waited_share);
        cost = (t.occupancy_us + t.waiting_us) / 1e6;
    }
    if (!isnan(node.misses.now_us) && !isnan(node.misses.node_us) &&
        clump_misses_penalty(&node.misses, node.processors, &penalty, NULL) != CLUMP_OK)
        return NAN;
    const double computation = (time - cost) * share / penalty;
    return computation > 0 ? computation : NAN;
}
