/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "scenarios/stored.h"

#include "model/model_error.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* L is half a round trip without the overheads. What is not sure of them is not sure of L, with the other
 * sign: drawn apart their sum would scatter more than the round trips did that it comes from. */
static void draw_loggp(lua_State *L, const char *platform, const char *transport,
                       double values[CLUMP_LOGGP_QUANTITIES],
                       const double half_widths[CLUMP_LOGGP_QUANTITIES])
{
    const double sum = values[0] + values[1] + values[2];
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
        values[i] = scenario_draw_normal(
            L, i == 0 ? sum : values[i], sqrt(fmax(square, 0)) / CLUMP_UNCERTAIN_95,
            i == 0 ? 1e-3 * values[3] : 0, HUGE_VAL, "%.70s %.20s %.60s", platform, transport,
            i == 0 ? "half_round_trip" : clump_loggp_quantities[i]);
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
    scenario_answer *answer = scenario_answer_of(L, "misses", p->name, "");
    if (!answer->known) {
        clump_store_misses found = {.now_us = NAN, .node_us = NAN};
        const clump_store_status status =
            p->counterpart != NULL
                ? clump_store_find_misses(scenario_store_of(L), p->name, p->counterpart, &found)
                : CLUMP_STORE_OK;
        if (status != CLUMP_STORE_OK)
            scenario_store_fail(L, status, "platform");
        answer->misses = (clump_misses){.share = clump_model_error_miss_share(),
                                        .now_us = found.now_us,
                                        .node_us = found.node_us,
                                        .line_bytes = found.line_bytes,
                                        .bytes_per_us = found.bytes_per_us};
        answer->known = true;
    }
    p->misses = answer->misses;
}

/* What a fit of a node found of its NICs, as drawn; false: nothing. */
static bool find_nic_quantity(lua_State *L, const char *platform, const char *quantity,
                              double *value)
{
    const clump_store_filter filter = {
        .platform = platform, .application = "", .quantity = quantity};
    clump_store_measurement m;
    if (scenario_store_value(L, &filter, NULL, &m) != CLUMP_STORE_OK)
        return false;
    *value = scenario_draw_measured(L, m.value, m.half_width, "%.80s %.60s", platform, quantity);
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
        scenario_store_invalid(L, record, "platform", record->name,
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
