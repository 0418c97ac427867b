/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "exploring/columns.h"

#include "data/suggest.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

/* How a column stands in a row. */
typedef enum storage {
    TEXT,
    REAL,
    POSITIVE,    /* a real number that does not apply where it is 0 */
    OF_PROTOCOL, /* the same where the network's protocol is not named */
    SIZE,        /* does not apply where it is 0 */
    TRUTH,
    MAPPING,
    DEMAND
} storage;

#define OF_ROW(field) offsetof(clump_explore_row, field)
#define OF_RESULT(field) offsetof(clump_explore_row, result.field)

static const struct {
    const char *key;
    storage kind;
    size_t offset;
} columns[CLUMP_EXPLORE_COLUMNS] = {
    [CLUMP_EXPLORE_SCENARIO] = {"scenario", TEXT, OF_RESULT(scenario)},
    [CLUMP_EXPLORE_APPLICATION] = {"application", TEXT, OF_RESULT(application)},
    [CLUMP_EXPLORE_PLATFORM] = {"platform", TEXT, OF_RESULT(platform)},
    [CLUMP_EXPLORE_PROCESSORS] = {"processors", SIZE, OF_RESULT(processors)},
    [CLUMP_EXPLORE_NICS] = {"nics", SIZE, OF_RESULT(nics)},
    [CLUMP_EXPLORE_MAPPING] = {"mapping", MAPPING, 0},
    [CLUMP_EXPLORE_DEMAND] = {"demand", DEMAND, 0},
    [CLUMP_EXPLORE_UTILIZATION] = {"utilization", REAL, OF_RESULT(utilization)},
    [CLUMP_EXPLORE_MAX_NICS] = {"max_nics_per_processor", POSITIVE,
                                OF_RESULT(max_nics_per_processor)},
    [CLUMP_EXPLORE_REMOTE_FRACTION] = {"remote_fraction", REAL, OF_RESULT(remote_fraction)},
    [CLUMP_EXPLORE_COST_RATIO] = {"cost_ratio", REAL, OF_RESULT(cost_ratio)},
    [CLUMP_EXPLORE_MEMORY_PENALTY] = {"memory_penalty", REAL, OF_RESULT(memory_penalty)},
    [CLUMP_EXPLORE_WAITING_FRACTION] = {"waiting_fraction", REAL, OF_RESULT(waiting_fraction)},
    [CLUMP_EXPLORE_PHASE_CYCLES] = {"phase_cycles", POSITIVE, OF_RESULT(phase_cycles)},
    [CLUMP_EXPLORE_PROTOCOL] = {"protocol", TEXT, OF_RESULT(protocol)},
    [CLUMP_EXPLORE_LOSS] = {"loss", OF_PROTOCOL, OF_RESULT(loss)},
    [CLUMP_EXPLORE_LOSS_FACTOR] = {"loss_factor", OF_PROTOCOL, OF_RESULT(loss_factor)},
    [CLUMP_EXPLORE_NIC_UTILIZATION] = {"nic_utilization", REAL, OF_RESULT(nic_utilization)},
    [CLUMP_EXPLORE_SLOWDOWN] = {"slowdown", REAL, OF_RESULT(slowdown)},
    [CLUMP_EXPLORE_WORST] = {"worst_slowdown", REAL, OF_ROW(worst)},
    [CLUMP_EXPLORE_WORST_APPLICATION] = {"worst_application", TEXT, OF_ROW(worst_application)},
    [CLUMP_EXPLORE_MEDIAN] = {"median", REAL, OF_ROW(median)},
    [CLUMP_EXPLORE_LOW] = {"low", REAL, OF_ROW(low)},
    [CLUMP_EXPLORE_HIGH] = {"high", REAL, OF_ROW(high)},
    [CLUMP_EXPLORE_AT_PERCENTILE] = {"percentile", REAL, OF_ROW(at_percentile)},
    [CLUMP_EXPLORE_NOW_TIME] = {"now_time_s", REAL, OF_RESULT(now_time)},
    [CLUMP_EXPLORE_PREDICTED_TIME] = {"predicted_time_s", REAL, OF_RESULT(predicted_time)},
    [CLUMP_EXPLORE_PRICE] = {"price", REAL, OF_ROW(price)},
    [CLUMP_EXPLORE_WORK_PRICE] = {"price_per_now_machine", REAL, OF_ROW(work_price)},
    [CLUMP_EXPLORE_LEAST_NICS] = {"least_nics", SIZE, OF_ROW(least_nics)},
    [CLUMP_EXPLORE_LEAST_REAL] = {"least_nics_real", REAL, OF_ROW(least_real)},
    [CLUMP_EXPLORE_PARETO] = {"pareto", TRUTH, OF_ROW(pareto)},
};

static bool is_text(storage kind)
{
    return kind == TEXT || kind == MAPPING || kind == DEMAND;
}

const char *clump_explore_key(size_t column)
{
    return columns[column].key;
}

static clump_explore_value real(double number)
{
    return (clump_explore_value){CLUMP_EXPLORE_REAL, number, NULL};
}

static clump_explore_value text(const char *shown)
{
    return (clump_explore_value){CLUMP_EXPLORE_TEXT, NAN, shown};
}

clump_explore_value clump_explore_value_of(const clump_explore_row *row, size_t column,
                                           char buffer[CLUMP_DEMAND_NAME_SIZE])
{
    if (column >= CLUMP_EXPLORE_COLUMNS) {
        const char *swept =
            clump_explorer_value(row->explorer, column - CLUMP_EXPLORE_COLUMNS, row->case_index);
        double number;
        return clump_explore_read_number(swept, strlen(swept), &number) ? real(number)
                                                                        : text(swept);
    }
    const void *at = (const char *)row + columns[column].offset;
    switch (columns[column].kind) {
    case TEXT:
        return text(*(const char *const *)at);
    case MAPPING:
        return text(clump_mapping_name(row->result.mapping));
    case DEMAND:
        if (row->result.demand != CLUMP_DEMAND_GANG)
            return text(clump_demand_kind_name(row->result.demand));
        clump_demand_name(row->result.demand, row->result.gang_size, buffer);
        return text(buffer);
    case POSITIVE:
        return real(*(const double *)at > 0 ? *(const double *)at : NAN);
    case OF_PROTOCOL:
        return real(row->result.protocol != NULL ? *(const double *)at : NAN);
    case SIZE: {
        const size_t size = *(const size_t *)at;
        return (clump_explore_value){size > 0 ? CLUMP_EXPLORE_WHOLE : CLUMP_EXPLORE_REAL,
                                     size > 0 ? (double)size : NAN, NULL};
    }
    case TRUTH:
        return (clump_explore_value){CLUMP_EXPLORE_TRUTH, *(const bool *)at, NULL};
    default:
        return real(*(const double *)at);
    }
}

/* ---- expressions */

static int find_column(const char *name, const void *context)
{
    static const struct {
        const char *name;
        int column;
    } others[] = {{"U", CLUMP_EXPLORE_UTILIZATION},      {"N", CLUMP_EXPLORE_NICS},
                  {"P", CLUMP_EXPLORE_PROCESSORS},       {"f", CLUMP_EXPLORE_REMOTE_FRACTION},
                  {"V", CLUMP_EXPLORE_COST_RATIO},       {"m", CLUMP_EXPLORE_MAX_NICS},
                  {"cost", CLUMP_EXPLORE_PRICE},         {"worst", CLUMP_EXPLORE_WORST},
                  {"min_nics", CLUMP_EXPLORE_LEAST_NICS}};
    const clump_explore_settings *s = &((const clump_explorer *)context)->settings;
    for (size_t i = 0; i < s->sweep_count; i++)
        if (!s->sweeps[i].is_field && strcmp(s->sweeps[i].name, name) == 0)
            return CLUMP_EXPLORE_COLUMNS + (int)i;
    for (int i = 0; i < CLUMP_EXPLORE_COLUMNS; i++)
        if (strcmp(columns[i].key, name) == 0)
            return i;
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (strcmp(others[i].name, name) == 0)
            return others[i].column;
    return -1;
}

static const char *similar_column(const char *name, const void *context)
{
    const clump_explore_settings *s = &((const clump_explorer *)context)->settings;
    const char *names[CLUMP_EXPLORE_COLUMNS + 1] = {NULL};
    for (size_t i = 0; i < CLUMP_EXPLORE_COLUMNS; i++)
        names[i] = columns[i].key;
    const char *similar = clump_suggest_among(CLUMP_SUGGEST_WORD, name, names);
    for (size_t i = 0; i < s->sweep_count && similar == NULL; i++)
        if (!s->sweeps[i].is_field)
            similar = clump_suggest_among(CLUMP_SUGGEST_WORD, name,
                                          (const char *const[]){s->sweeps[i].name, NULL});
    return similar;
}

/* A variable is a number if its first value is one. */
static bool column_is_text(int column, const void *context)
{
    const clump_explore_settings *s = &((const clump_explorer *)context)->settings;
    double number;
    if (column < CLUMP_EXPLORE_COLUMNS)
        return is_text(columns[column].kind);
    const char *first = s->sweeps[column - CLUMP_EXPLORE_COLUMNS].values[0];
    return !clump_explore_read_number(first, strlen(first), &number);
}

clump_expression_names clump_explore_names(const clump_explorer *explorer)
{
    return (clump_expression_names){find_column, column_is_text, explorer, similar_column};
}

clump_expression_value clump_explore_operand(int column, const void *row)
{
    static _Thread_local char buffer[CLUMP_DEMAND_NAME_SIZE]; /* compared before the next one */
    const clump_explore_value value = clump_explore_value_of(row, (size_t)column, buffer);
    return (clump_expression_value){value.number, value.text};
}
