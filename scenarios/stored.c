/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "scenarios/stored.h"

#include "model/model_error.h"
#include "scenarios/answers.h"
#include "scenarios/stored_values.h"

#include <gsl/gsl_cdf.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- platforms */

/* L is half a round trip without the overheads. What is not sure of them is not sure of L, with the other
 * sign: drawn apart their sum would scatter more than the round trips did that it comes from. */
static void draw_loggp(lua_State *L, const char *platform, const char *transport,
                       double values[CLUMP_LOGGP_QUANTITIES],
                       const double half_widths[CLUMP_LOGGP_QUANTITIES])
{
    const double sum = values[0] + values[1] + values[2];
    char name[SCENARIO_DRAWN_NAME];
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
        values[i] = scenario_draw_normal(L, name, i == 0 ? sum : values[i],
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
        /* Of most platforms that lack one nothing is known: one look tells, where the other four take two each. */
        if (i == 1 && !all && !scenario_store_has_transport(L, platform, transport))
            break;
        const clump_store_filter filter = {.platform = platform,
                                           .application = "",
                                           .transport = transport,
                                           .quantity = clump_loggp_quantities[i]};
        clump_store_measurement measured;
        const char *why = NULL;
        protocol->part[i] = scenario_store_value(L, &filter, &why, &measured) == CLUMP_STORE_OK;
        if (!protocol->part[i] && all)
            snprintf(first, sizeof first, "%s", why != NULL ? why : "not enough memory");
        all = all && protocol->part[i];
        if (!protocol->part[i])
            continue;
        values[i] = measured.value;
        half_widths[i] = scenario_half_width(&measured);
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

/* What makes computing dearer than on the NOW. Of the name alone: the counterpart follows from it. */
static void read_misses(lua_State *L, scenario_platform *p)
{
    const scenario_question question = scenario_question_of(L, "misses", p->name, "");
    const scenario_answer *known = scenario_answer_find(L, &question);
    if (known != NULL) {
        p->misses = known->misses;
        return;
    }
    clump_store_misses found = {.now_us = NAN, .node_us = NAN};
    const clump_store_status status =
        p->counterpart != NULL
            ? clump_store_find_misses(scenario_store_of(L), p->name, p->counterpart, &found)
            : CLUMP_STORE_OK;
    if (status != CLUMP_STORE_OK)
        scenario_store_fail(L, status, "platform");
    p->misses = (clump_misses){.share = clump_model_error_miss_share(),
                               .now_us = found.now_us,
                               .node_us = found.node_us,
                               .line_bytes = found.line_bytes,
                               .bytes_per_us = found.bytes_per_us};
    scenario_answer *kept = scenario_answer_add(&question);
    if (kept != NULL)
        kept->misses = p->misses;
}

/* What a fit of a node found of its NICs, as drawn; false: nothing. */
static bool find_nic_quantity(lua_State *L, const char *platform, const char *quantity,
                              double *value)
{
    const clump_store_filter filter = {
        .platform = platform, .application = "", .quantity = quantity};
    clump_store_measurement measured;
    char name[SCENARIO_DRAWN_NAME];
    if (scenario_store_value(L, &filter, NULL, &measured) != CLUMP_STORE_OK)
        return false;
    snprintf(name, sizeof name, "%.80s %.60s", platform, quantity);
    *value = scenario_draw_measured(L, name, measured.value, measured.half_width);
    return true;
}

/* Processors of which E(q) is told apart, if those of the platform are fewer. */
enum { LEAST_EFFICIENCIES = 64, MOST_EFFICIENCIES = 4096 };

static void read_nics(lua_State *L, scenario_platform *p)
{
    double value;
    if (find_nic_quantity(L, p->name, "nics_per_process", &value))
        p->max_nics_per_processor = fmax(value, 1);
    if (find_nic_quantity(L, p->name, "nic_duplex", &value))
        p->half_duplex = value < 1.41421356237309505 /* sqrt(2) */;
    if (!find_nic_quantity(L, p->name, "nic_efficiency_loss", &value) || !(value > 0))
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
    clump_store_platform *record = scenario_store_platform(L, name);
    clump_mapping mapping = CLUMP_MAPPING_POOLED;
    if (record->mapping != NULL && !clump_mapping_parse(record->mapping, &mapping))
        scenario_store_refuse(L, record, "platform", record->name,
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
    read_misses(L, p);
}

/* The factor by which the bandwidths of all these points are off together, drawn. Errors of the points of one
 * run have a common cause (a clock, pages that were unlucky): drawn one by one they would average out. */
static double draw_factor(lua_State *L, const char *platform, const char *of,
                          const clump_store_memory_point *points, size_t count)
{
    double square = 0;
    size_t known = 0;
    char name[SCENARIO_DRAWN_NAME];
    for (size_t i = 0; i < count; i++)
        if (points[i].half_width > 0) {
            const double relative = points[i].half_width / points[i].bandwidth;
            square += relative * relative;
            known++;
        }
    if (known == 0)
        return 1;
    snprintf(name, sizeof name, "%.80s memory_bandwidth of %s", platform, of);
    return scenario_draw_normal(L, name, 1, sqrt(square / (double)known) / CLUMP_UNCERTAIN_95, 0.01,
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
    const scenario_question question = scenario_question_of(L, "bandwidth", platform, "");
    const scenario_answer *known = scenario_answer_find(L, &question);
    scenario_bandwidth found = {.known = false};
    clump_store_memory_curve *curve = NULL;
    if (known != NULL)
        found = use_curve(L, known->curve, platform);
    else {
        const clump_store_status status =
            clump_store_find_memory_curve(scenario_store_of(L), platform, NULL, NULL, &curve);
        if (status == CLUMP_STORE_BAD_INPUT || status == CLUMP_STORE_FAILED)
            scenario_store_fail(L, status, "platform");
        if (curve != NULL)
            found = use_curve(L, curve, platform);
        else
            found.problem = scenario_copy_quietly(
                L, clump_store_message(scenario_sandbox_of(L)->options->store));
    }
    const bool failed = (known != NULL || curve != NULL) && found.memory.curve == NULL;
    /* That there is none is not kept: the store has to say why each time. */
    scenario_answer *kept = curve != NULL && !failed ? scenario_answer_add(&question) : NULL;
    if (kept != NULL)
        kept->curve = curve;
    else
        clump_store_free(curve);
    if (failed)
        scenario_fail_memory(L);
    return found;
}

/* ---- applications */

/* Between `least` and `most`, whatever is drawn. */
static double find_parameter(lua_State *L, const clump_store_fit *fit, const char *name,
                             double least, double most)
{
    char drawn[SCENARIO_DRAWN_NAME];
    for (size_t i = 0; i < fit->parameter_count; i++) {
        const clump_store_fit_parameter *p = &fit->parameters[i];
        if (strcmp(p->name, name) != 0)
            continue;
        const double width = (p->high - p->low) / 2;
        const double z = fit->confidence > 0 && fit->confidence < 1
                             ? gsl_cdf_ugaussian_Pinv((1 + fit->confidence) / 2)
                             : CLUMP_UNCERTAIN_95;
        snprintf(drawn, sizeof drawn, "%.80s %.60s", fit->application, name);
        return scenario_draw_normal(L, drawn, p->value, width / z, least, most);
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
    const clump_store_status status =
        clump_store_find_fit(scenario_store_of(L), application->name, &record);
    double penalty = NAN;
    if (status != CLUMP_STORE_OK)
        scenario_store_fail(L, status, "application");
    if (record == NULL)
        return;
    const scenario_fitted *fitted = copy_fit(L, record, &penalty);
    clump_store_free_fit(record);
    if (fitted == NULL)
        scenario_fail(L,
                      "application \"%s\": what was fitted to it cannot be used: the database is "
                      "damaged, or memory is short",
                      application->name);
    application->kind = SCENARIO_BY_FIT;
    application->fitted = fitted;
    application->memory_penalty = penalty;
}

/* One that the store has is kept with its answers, or else by the sandbox: a script names an application in many places. */
static clump_recorded_kept *read_recording(lua_State *L, const scenario_question *question,
                                           const char *name)
{
    clump_recorded_run *run = NULL;
    const clump_store_status status = clump_store_find_run(scenario_store_of(L), name, &run);
    if (status != CLUMP_STORE_OK)
        scenario_store_fail(L, status, "application");
    if (run == NULL)
        return NULL;
    const double bytes = clump_recorded_kept_bytes(run);
    clump_recorded_kept *kept = clump_recorded_kept_add(&scenario_sandbox_of(L)->recordings, run);
    if (kept == NULL)
        scenario_fail_memory(L);
    scenario_answer_take_recording(question, &scenario_sandbox_of(L)->recordings);
    scenario_charge(L, bytes / 10);
    return kept;
}

/* What was recorded of it, if anything. */
static void find_recording(lua_State *L, const char *name, scenario_application *application)
{
    const scenario_question question = scenario_question_of(L, "recording", name, "");
    const scenario_answer *known = scenario_answer_find(L, &question);
    clump_recorded_kept *found = known != NULL ? known->recording : NULL;
    for (clump_recorded_kept *k = scenario_sandbox_of(L)->recordings; k != NULL; k = k->next)
        if (strcmp(k->run->application, name) == 0)
            found = k;
    if (found == NULL)
        found = read_recording(L, &question, name);
    application->recording = found;
    if (found != NULL)
        application->kind = SCENARIO_BY_RECORDING;
}

void scenario_stored_run(lua_State *L, const char *recording, scenario_application *a)
{
    clump_store_application *record = NULL;
    const clump_store_status status =
        clump_store_find_application(scenario_store_of(L), recording, &record);
    if (status != CLUMP_STORE_OK)
        scenario_store_fail(L, status, "application: recording");
    const char *name = scenario_copy_quietly(L, record->name);
    clump_store_free(record);
    if (name == NULL)
        scenario_fail_memory(L);
    find_recording(L, name, a);
    if (a->recording == NULL)
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
    const scenario_question question = scenario_question_of(L, "application", name, "");
    const scenario_answer *known = scenario_answer_find(L, &question);
    clump_store_application *record = NULL;
    if (known != NULL) {
        *a = make_application(scenario_copy_quietly(L, name), known->waits);
        a->lockstep = known->lockstep;
        a->exchange = known->exchange;
        if (a->name == NULL)
            scenario_fail_memory(L);
        return;
    }
    const clump_store_status status =
        clump_store_find_application(scenario_store_of(L), name, &record);
    if (status != CLUMP_STORE_OK)
        scenario_store_fail(L, status, "application");
    const bool waits = record->style != NULL && strcmp(record->style, "blocking") == 0;
    if (record->style != NULL && !waits && strcmp(record->style, "streaming") != 0)
        scenario_store_refuse(L, record, "application", record->name,
                              "its style in the database is neither streaming nor blocking");
    *a = make_application(scenario_copy_quietly(L, record->name), waits);
    clump_store_free(record);
    if (a->name == NULL)
        scenario_fail_memory(L);
    find_fit(L, a);
    if (a->kind == SCENARIO_BY_STORE)
        find_recording(L, a->name, a);
    clump_store_status found = clump_store_lockstep(scenario_store_of(L), a->name, &a->lockstep);
    if (found == CLUMP_STORE_OK)
        found = clump_store_mutual_exchange(scenario_store_of(L), a->name, &a->exchange);
    if (found != CLUMP_STORE_OK)
        scenario_store_fail(L, found, "application");
    /* What was fitted belongs to this run of the script, and recordings are kept by themselves: answers tell only that there is
     * none. */
    scenario_answer *kept = a->kind == SCENARIO_BY_STORE && strcmp(a->name, name) == 0
                                ? scenario_answer_add(&question)
                                : NULL;
    if (kept != NULL) {
        kept->waits = waits;
        kept->lockstep = a->lockstep;
        kept->exchange = a->exchange;
    }
}
