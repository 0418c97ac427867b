/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "exploring/explore_columns.h"

#include "cli/options/numbers.h"
#include "data/suggest.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    SCENARIO,
    APPLICATION,
    PLATFORM,
    PROCESSORS,
    NICS,
    MAPPING,
    DEMAND,
    UTILIZATION,
    MAX_NICS,
    REMOTE_FRACTION,
    COST_RATIO,
    MEMORY_PENALTY,
    WAITING_FRACTION,
    PHASE_CYCLES,
    PROTOCOL,
    LOSS,
    LOSS_FACTOR,
    NIC_UTILIZATION,
    SLOWDOWN,
    WORST,
    WORST_APPLICATION,
    MEDIAN,
    LOW,
    HIGH,
    AT_PERCENTILE,
    NOW_TIME,
    PREDICTED_TIME,
    PRICE,
    WORK_PRICE,
    LEAST_NICS,
    LEAST_REAL,
    PARETO,
    FIXED_COUNT
};

/* Swept variables stand before what follows from them. */
enum { VARIABLES_AT = APPLICATION };

static const table_column fixed[FIXED_COUNT] = {
    [SCENARIO] = {"scenario", "Scenario", 0, FOLD_ALWAYS, COLUMN_PROSE},
    [APPLICATION] = {"application", "Application", 0, FOLD_ALWAYS, COLUMN_LEFT},
    [PLATFORM] = {"platform", "Platform", 0, FOLD_ALWAYS, COLUMN_LEFT},
    [PROCESSORS] = {"processors", "Processors", 0, FOLD_ROWS, COLUMN_RIGHT},
    [NICS] = {"nics", "NICs", 0, FOLD_NEVER, COLUMN_RIGHT},
    [MAPPING] = {"mapping", "Mapping", 0, FOLD_ALWAYS, COLUMN_LEFT},
    [DEMAND] = {"demand", "Demand", 0, FOLD_ALWAYS, COLUMN_LEFT},
    [UTILIZATION] = {"utilization", "Utilization", 0, FOLD_ROWS, COLUMN_RIGHT},
    [MAX_NICS] = {"max_nics_per_processor", "NICs/processor", 0, FOLD_ROWS, COLUMN_RIGHT},
    [REMOTE_FRACTION] = {"remote_fraction", "Remote", 0, FOLD_ROWS, COLUMN_RIGHT},
    [COST_RATIO] = {"cost_ratio", "Cost ratio", 0, FOLD_ROWS, COLUMN_DETAIL},
    [MEMORY_PENALTY] = {"memory_penalty", "Memory penalty", 0, FOLD_ROWS, COLUMN_RIGHT},
    [WAITING_FRACTION] = {"waiting_fraction", "Waiting", 0, FOLD_ROWS, COLUMN_DETAIL},
    [PHASE_CYCLES] = {"phase_cycles", "Phase", 0, FOLD_ROWS, COLUMN_RIGHT},
    [PROTOCOL] = {"protocol", "Protocol", 0, FOLD_ALWAYS, COLUMN_LEFT},
    [LOSS] = {"loss", "Loss", 0, FOLD_ALWAYS, COLUMN_RIGHT},
    [LOSS_FACTOR] = {"loss_factor", "Loss factor", 0, FOLD_NEVER, COLUMN_RIGHT},
    [NIC_UTILIZATION] = {"nic_utilization", "NICs used", NUMBER_PERCENT, FOLD_NEVER, COLUMN_RIGHT},
    [SLOWDOWN] = {"slowdown", "Slowdown", NUMBER_RATIO, FOLD_NEVER, COLUMN_RIGHT},
    [WORST] = {"worst_slowdown", "Worst", NUMBER_RATIO, FOLD_NEVER, COLUMN_RIGHT},
    [WORST_APPLICATION] = {"worst_application", "of", 0, FOLD_NEVER, COLUMN_LEFT},
    [MEDIAN] = {"median", "Median", NUMBER_RATIO, FOLD_NEVER, COLUMN_RIGHT},
    [LOW] = {"low", "5%", NUMBER_RATIO, FOLD_NEVER, COLUMN_RIGHT},
    [HIGH] = {"high", "95%", NUMBER_RATIO, FOLD_NEVER, COLUMN_RIGHT},
    [AT_PERCENTILE] = {"percentile", "Percentile", NUMBER_RATIO, FOLD_NEVER, COLUMN_RIGHT},
    [NOW_TIME] = {"now_time_s", "NOW s", 0, FOLD_ROWS, COLUMN_DETAIL},
    [PREDICTED_TIME] = {"predicted_time_s", "Predicted s", 0, FOLD_NEVER, COLUMN_RIGHT},
    [PRICE] = {"price", "Price", NUMBER_EXACT, FOLD_NEVER, COLUMN_RIGHT},
    [WORK_PRICE] = {"price_per_now_machine", "Per NOW machine", NUMBER_GENERAL, FOLD_NEVER,
                    COLUMN_RIGHT},
    [LEAST_NICS] = {"least_nics", "Least NICs", 0, FOLD_NEVER, COLUMN_RIGHT},
    [LEAST_REAL] = {"least_nics_real", NULL, 0, 0, COLUMN_RIGHT},
    [PARETO] = {"pareto", "Pareto", 0, FOLD_NEVER, COLUMN_LEFT},
};

/* Column numbers: those of `fixed`, and FIXED_COUNT + i for sweep i. */
static int column_at(const clump_explore_columns *c, size_t place)
{
    const size_t variables = c->count - FIXED_COUNT;
    if (place < VARIABLES_AT)
        return (int)place;
    if (place >= VARIABLES_AT + variables)
        return (int)(place - variables);
    size_t left = place - VARIABLES_AT, i = 0;
    for (;; i++)
        if (!c->explorer->sweeps[i].is_field && left-- == 0)
            return FIXED_COUNT + (int)i;
}

bool clump_explore_columns_make(const clump_explorer *e, clump_explore_columns *c)
{
    *c = (clump_explore_columns){calloc(FIXED_COUNT + e->sweep_count, sizeof *c->columns),
                                 FIXED_COUNT, e};
    for (size_t i = 0; i < e->sweep_count; i++)
        c->count += !e->sweeps[i].is_field;
    for (size_t place = 0; place < c->count && c->columns != NULL; place++) {
        const int column = column_at(c, place);
        if (column < FIXED_COUNT) {
            c->columns[place] = fixed[column];
            continue;
        }
        const char *name = e->sweeps[column - FIXED_COUNT].name;
        c->columns[place] = (table_column){name, name, 0, FOLD_NEVER, COLUMN_RIGHT};
        /* A field of the same name would be a second key. */
        for (size_t k = 0; k < FIXED_COUNT; k++)
            if (strcmp(fixed[k].key, name) == 0)
                c->columns[place] = (table_column){.key = NULL};
    }
    return c->columns != NULL;
}

void clump_explore_columns_free(clump_explore_columns *c)
{
    free(c->columns);
    c->columns = NULL;
}

static double real_of(const clump_explorer_row *row, int column)
{
    const clump_result *r = &row->result;
    switch (column) {
    case PROCESSORS:
        return (double)r->processors;
    case NICS:
        return (double)r->nics;
    case UTILIZATION:
        return r->utilization;
    case MAX_NICS:
        return r->max_nics_per_processor > 0 ? r->max_nics_per_processor : NAN;
    case REMOTE_FRACTION:
        return r->remote_fraction;
    case COST_RATIO:
        return r->cost_ratio;
    case MEMORY_PENALTY:
        return r->memory_penalty;
    case WAITING_FRACTION:
        return r->waiting_fraction;
    case PHASE_CYCLES:
        return r->phase_cycles > 0 ? r->phase_cycles : NAN;
    case LOSS:
        return r->protocol != NULL ? r->loss : NAN;
    case LOSS_FACTOR:
        return r->protocol != NULL ? r->loss_factor : NAN;
    case NIC_UTILIZATION:
        return r->nic_utilization;
    case SLOWDOWN:
        return r->slowdown;
    case WORST:
        return row->worst;
    case MEDIAN:
        return row->median;
    case LOW:
        return row->low;
    case HIGH:
        return row->high;
    case AT_PERCENTILE:
        return row->at_percentile;
    case NOW_TIME:
        return r->now_time;
    case PREDICTED_TIME:
        return r->predicted_time;
    case PRICE:
        return row->price;
    case WORK_PRICE:
        return row->work_price;
    case LEAST_NICS:
        return row->least_nics > 0 ? (double)row->least_nics : NAN;
    case LEAST_REAL:
        return row->least_real;
    case PARETO:
        return row->pareto;
    default:
        return NAN;
    }
}

static const char *text_of(const clump_explorer_row *row, int column, char buffer[64])
{
    const clump_result *r = &row->result;
    char name[CLUMP_DEMAND_NAME_SIZE];
    switch (column) {
    case SCENARIO:
        return r->scenario;
    case APPLICATION:
        return r->application;
    case PLATFORM:
        return r->platform;
    case PROTOCOL:
        return r->protocol;
    case MAPPING:
        return clump_mapping_name(r->mapping);
    case DEMAND:
        if (r->demand != CLUMP_DEMAND_GANG) /* a constant: needs no buffer */
            return clump_demand_kind_name(r->demand);
        clump_demand_name(r->demand, r->gang_size, name);
        snprintf(buffer, 64, "%s", name);
        return buffer;
    case WORST_APPLICATION:
        return row->worst_application;
    default:
        return NULL;
    }
}

static bool is_text(int column)
{
    return column == SCENARIO || column == APPLICATION || column == PLATFORM || column == MAPPING ||
           column == DEMAND || column == PROTOCOL || column == WORST_APPLICATION;
}

static void set_cell(const void *context, size_t place, size_t column_place, table_cell *cell)
{
    const clump_explorer_row *row = (const clump_explorer_row *)context + place;
    const clump_explorer *e = row->explorer;
    const clump_explore_columns c = {NULL, FIXED_COUNT,
                                     e}; /* as clump_explore_columns_make counts */
    clump_explore_columns all = c;
    for (size_t i = 0; i < e->sweep_count; i++)
        all.count += !e->sweeps[i].is_field;
    const int column = column_at(&all, column_place);
    if (column >= FIXED_COUNT) {
        const char *text = clump_explorer_value(e, (size_t)(column - FIXED_COUNT), row->case_index);
        double number;
        if (real_parse(text, &number))
            cell_real(cell, number);
        else
            cell_text(cell, text);
    } else if (is_text(column)) {
        cell_text(cell, text_of(row, column, cell->buffer));
    } else if (column == PROCESSORS || column == NICS) {
        cell_size(cell, column == NICS ? row->result.nics : row->result.processors);
    } else if (column == LEAST_NICS) {
        if (row->least_nics > 0)
            cell_size(cell, row->least_nics);
    } else if (column == PARETO) {
        cell_truth(cell, row->pareto);
    } else {
        cell_real(cell, real_of(row, column));
    }
}

static bool differs(double value, double neutral)
{
    return isfinite(value) && fabs(value - neutral) > 1e-9;
}

/* Tables leave out what changes nothing. */
static bool is_worth(const void *context, size_t place, size_t column_place)
{
    const clump_explorer_row *row = (const clump_explorer_row *)context + place;
    size_t variables = 0;
    for (size_t i = 0; i < row->explorer->sweep_count; i++)
        variables += !row->explorer->sweeps[i].is_field;
    if (column_place < VARIABLES_AT + variables)
        return true;
    switch (column_place - variables) {
    case REMOTE_FRACTION:
        return differs(row->result.remote_fraction, 1);
    case MEMORY_PENALTY:
        return differs(row->result.memory_penalty, 1);
    case PROTOCOL:
        return row->result.protocol != NULL;
    case LOSS:
    case LOSS_FACTOR:
        return row->result.protocol != NULL && row->result.loss > 0;
    case WORST:
    case WORST_APPLICATION:
        return differs(row->worst, row->result.slowdown);
    case MEDIAN:
    case LOW:
    case HIGH:
        return row->explorer->draws > 0;
    case AT_PERCENTILE:
        return row->explorer->draws > 0 && differs(row->explorer->percentile, 95);
    case PRICE:
    case WORK_PRICE:
        return isfinite(row->price);
    case LEAST_NICS:
        return row->explorer->limit > 0;
    default:
        return true;
    }
}

table_rows clump_explore_rows(const clump_explore_columns *columns, const clump_explorer_row *rows,
                              size_t count)
{
    return (table_rows){.key = "results",
                        .columns = columns->columns,
                        .column_count = columns->count,
                        .row_count = count,
                        .cell = set_cell,
                        .worth = is_worth,
                        .context = rows};
}

/* ---- expressions */

static int find_column(const char *name, const void *context)
{
    static const struct {
        const char *name;
        int column;
    } others[] = {{"U", UTILIZATION},     {"N", NICS},       {"P", PROCESSORS},
                  {"f", REMOTE_FRACTION}, {"V", COST_RATIO}, {"m", MAX_NICS},
                  {"cost", PRICE},        {"worst", WORST},  {"min_nics", LEAST_NICS}};
    const clump_explorer *e = context;
    for (size_t i = 0; i < e->sweep_count; i++)
        if (!e->sweeps[i].is_field && strcmp(e->sweeps[i].name, name) == 0)
            return FIXED_COUNT + (int)i;
    for (int i = 0; i < FIXED_COUNT; i++)
        if (strcmp(fixed[i].key, name) == 0)
            return i;
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (strcmp(others[i].name, name) == 0)
            return others[i].column;
    return -1;
}

static const char *similar_column(const char *name, const void *context)
{
    const clump_explorer *e = context;
    const char *names[FIXED_COUNT + 1] = {NULL};
    for (int i = 0; i < FIXED_COUNT; i++)
        names[i] = fixed[i].key;
    const char *similar = clump_suggest_among(CLUMP_SUGGEST_WORD, name, names);
    for (size_t i = 0; i < e->sweep_count && similar == NULL; i++)
        if (!e->sweeps[i].is_field) {
            const char *const one[] = {e->sweeps[i].name, NULL};
            similar = clump_suggest_among(CLUMP_SUGGEST_WORD, name, one);
        }
    return similar;
}

/* A variable is a number if its first value is one. */
static bool column_is_text(int column, const void *context)
{
    const clump_explorer *e = context;
    double number;
    if (column < FIXED_COUNT)
        return is_text(column);
    return !real_parse(e->sweeps[column - FIXED_COUNT].values[0], &number);
}

clump_expression_names clump_explore_names(const clump_explorer *explorer)
{
    return (clump_expression_names){find_column, column_is_text, explorer, similar_column};
}

clump_expression_value clump_explore_value(int column, const void *context)
{
    static _Thread_local char buffer[64]; /* of a gang's name; compared before the next one */
    const clump_explorer_row *row = context;
    if (column < FIXED_COUNT)
        return is_text(column) ? (clump_expression_value){NAN, text_of(row, column, buffer)}
                               : (clump_expression_value){real_of(row, column), NULL};
    const char *text =
        clump_explorer_value(row->explorer, (size_t)(column - FIXED_COUNT), row->case_index);
    clump_expression_value value = {NAN, text};
    if (real_parse(text, &value.number))
        value.text = NULL;
    return value;
}
