/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/explore_columns.h"

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
} columns[EXPLORE_COLUMNS] = {
    [EXPLORE_SCENARIO] = {"scenario", TEXT, OF_RESULT(scenario)},
    [EXPLORE_APPLICATION] = {"application", TEXT, OF_RESULT(application)},
    [EXPLORE_PLATFORM] = {"platform", TEXT, OF_RESULT(platform)},
    [EXPLORE_PROCESSORS] = {"processors", SIZE, OF_RESULT(processors)},
    [EXPLORE_NICS] = {"nics", SIZE, OF_RESULT(nics)},
    [EXPLORE_MAPPING] = {"mapping", MAPPING, 0},
    [EXPLORE_DEMAND] = {"demand", DEMAND, 0},
    [EXPLORE_UTILIZATION] = {"utilization", REAL, OF_RESULT(utilization)},
    [EXPLORE_MAX_NICS] = {"max_nics_per_processor", POSITIVE, OF_RESULT(max_nics_per_processor)},
    [EXPLORE_REMOTE_FRACTION] = {"remote_fraction", REAL, OF_RESULT(remote_fraction)},
    [EXPLORE_COST_RATIO] = {"cost_ratio", REAL, OF_RESULT(cost_ratio)},
    [EXPLORE_MEMORY_PENALTY] = {"memory_penalty", REAL, OF_RESULT(memory_penalty)},
    [EXPLORE_WAITING_FRACTION] = {"waiting_fraction", REAL, OF_RESULT(waiting_fraction)},
    [EXPLORE_PHASE_CYCLES] = {"phase_cycles", POSITIVE, OF_RESULT(phase_cycles)},
    [EXPLORE_PROTOCOL] = {"protocol", TEXT, OF_RESULT(protocol)},
    [EXPLORE_LOSS] = {"loss", OF_PROTOCOL, OF_RESULT(loss)},
    [EXPLORE_LOSS_FACTOR] = {"loss_factor", OF_PROTOCOL, OF_RESULT(loss_factor)},
    [EXPLORE_NIC_UTILIZATION] = {"nic_utilization", REAL, OF_RESULT(nic_utilization)},
    [EXPLORE_SLOWDOWN] = {"slowdown", REAL, OF_RESULT(slowdown)},
    [EXPLORE_WORST] = {"worst_slowdown", REAL, OF_ROW(worst)},
    [EXPLORE_WORST_APPLICATION] = {"worst_application", TEXT, OF_ROW(worst_application)},
    [EXPLORE_MEDIAN] = {"median", REAL, OF_ROW(median)},
    [EXPLORE_LOW] = {"low", REAL, OF_ROW(low)},
    [EXPLORE_HIGH] = {"high", REAL, OF_ROW(high)},
    [EXPLORE_AT_PERCENTILE] = {"percentile", REAL, OF_ROW(at_percentile)},
    [EXPLORE_NOW_TIME] = {"now_time_s", REAL, OF_RESULT(now_time)},
    [EXPLORE_PREDICTED_TIME] = {"predicted_time_s", REAL, OF_RESULT(predicted_time)},
    [EXPLORE_PRICE] = {"price", REAL, OF_ROW(price)},
    [EXPLORE_WORK_PRICE] = {"price_per_now_machine", REAL, OF_ROW(work_price)},
    [EXPLORE_LEAST_NICS] = {"least_nics", SIZE, OF_ROW(least_nics)},
    [EXPLORE_LEAST_REAL] = {"least_nics_real", REAL, OF_ROW(least_real)},
    [EXPLORE_PARETO] = {"pareto", TRUTH, OF_ROW(pareto)},
};

static bool is_text(storage kind)
{
    return kind == TEXT || kind == MAPPING || kind == DEMAND;
}

const char *explore_key(size_t column)
{
    return columns[column].key;
}

static explore_value real(double number)
{
    return (explore_value){EXPLORE_REAL, number, NULL};
}

static explore_value text(const char *shown)
{
    return (explore_value){EXPLORE_TEXT, NAN, shown};
}

explore_value explore_value_of(const clump_explore_row *row, size_t column,
                               char buffer[CLUMP_DEMAND_NAME_SIZE])
{
    if (column >= EXPLORE_COLUMNS) {
        const char *swept =
            clump_explorer_value(row->explorer, column - EXPLORE_COLUMNS, row->case_index);
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
        return (explore_value){size > 0 ? EXPLORE_WHOLE : EXPLORE_REAL,
                               size > 0 ? (double)size : NAN, NULL};
    }
    case TRUTH:
        return (explore_value){EXPLORE_TRUTH, *(const bool *)at, NULL};
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
    } others[] = {{"U", EXPLORE_UTILIZATION},      {"N", EXPLORE_NICS},
                  {"P", EXPLORE_PROCESSORS},       {"f", EXPLORE_REMOTE_FRACTION},
                  {"V", EXPLORE_COST_RATIO},       {"m", EXPLORE_MAX_NICS},
                  {"cost", EXPLORE_PRICE},         {"worst", EXPLORE_WORST},
                  {"min_nics", EXPLORE_LEAST_NICS}};
    const clump_explore_settings *s = &((const clump_explorer *)context)->settings;
    for (size_t i = 0; i < s->sweep_count; i++)
        if (!s->sweeps[i].is_field && strcmp(s->sweeps[i].name, name) == 0)
            return EXPLORE_COLUMNS + (int)i;
    for (int i = 0; i < EXPLORE_COLUMNS; i++)
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
    const char *names[EXPLORE_COLUMNS + 1] = {NULL};
    for (size_t i = 0; i < EXPLORE_COLUMNS; i++)
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
    if (column < EXPLORE_COLUMNS)
        return is_text(columns[column].kind);
    const char *first = s->sweeps[column - EXPLORE_COLUMNS].values[0];
    return !clump_explore_read_number(first, strlen(first), &number);
}

clump_expression_names explore_names(const clump_explorer *explorer)
{
    return (clump_expression_names){find_column, column_is_text, explorer, similar_column};
}

clump_expression_value explore_operand(int column, const void *row)
{
    static _Thread_local char buffer[CLUMP_DEMAND_NAME_SIZE]; /* compared before the next one */
    const explore_value value = explore_value_of(row, (size_t)column, buffer);
    return (clump_expression_value){value.number, value.text};
}
