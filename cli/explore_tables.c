/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/explore_tables.h"

#include "cli/output/errors.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- rows */

/* Keys are those of columns.h. */
static const table_column looks[EXPLORE_COLUMNS] = {
    [EXPLORE_SCENARIO] = {NULL, "Scenario", 0, FOLD_ALWAYS, COLUMN_PROSE},
    [EXPLORE_APPLICATION] = {NULL, "Application", 0, FOLD_ALWAYS, COLUMN_LEFT},
    [EXPLORE_PLATFORM] = {NULL, "Platform", 0, FOLD_ALWAYS, COLUMN_LEFT},
    [EXPLORE_PROCESSORS] = {NULL, "Processors", 0, FOLD_ROWS, COLUMN_RIGHT},
    [EXPLORE_NICS] = {NULL, "NICs", 0, FOLD_NEVER, COLUMN_RIGHT},
    [EXPLORE_MAPPING] = {NULL, "Mapping", 0, FOLD_ALWAYS, COLUMN_LEFT},
    [EXPLORE_DEMAND] = {NULL, "Demand", 0, FOLD_ALWAYS, COLUMN_LEFT},
    [EXPLORE_UTILIZATION] = {NULL, "Utilization", 0, FOLD_ROWS, COLUMN_RIGHT},
    [EXPLORE_MAX_NICS] = {NULL, "NICs/processor", 0, FOLD_ROWS, COLUMN_RIGHT},
    [EXPLORE_REMOTE_FRACTION] = {NULL, "Remote", 0, FOLD_ROWS, COLUMN_RIGHT},
    [EXPLORE_COST_RATIO] = {NULL, "Cost ratio", 0, FOLD_ROWS, COLUMN_DETAIL},
    [EXPLORE_MEMORY_PENALTY] = {NULL, "Memory penalty", 0, FOLD_ROWS, COLUMN_RIGHT},
    [EXPLORE_WAITING_FRACTION] = {NULL, "Waiting", 0, FOLD_ROWS, COLUMN_DETAIL},
    [EXPLORE_PHASE_CYCLES] = {NULL, "Phase", 0, FOLD_ROWS, COLUMN_RIGHT},
    [EXPLORE_PROTOCOL] = {NULL, "Protocol", 0, FOLD_ALWAYS, COLUMN_LEFT},
    [EXPLORE_LOSS] = {NULL, "Loss", 0, FOLD_ALWAYS, COLUMN_RIGHT},
    [EXPLORE_LOSS_FACTOR] = {NULL, "Loss factor", 0, FOLD_NEVER, COLUMN_RIGHT},
    [EXPLORE_NIC_UTILIZATION] = {NULL, "NICs used", NUMBER_PERCENT, FOLD_NEVER, COLUMN_RIGHT},
    [EXPLORE_SLOWDOWN] = {NULL, "Slowdown", NUMBER_RATIO, FOLD_NEVER, COLUMN_RIGHT},
    [EXPLORE_WORST] = {NULL, "Worst", NUMBER_RATIO, FOLD_NEVER, COLUMN_RIGHT},
    [EXPLORE_WORST_APPLICATION] = {NULL, "of", 0, FOLD_NEVER, COLUMN_LEFT},
    [EXPLORE_MEDIAN] = {NULL, "Median", NUMBER_RATIO, FOLD_NEVER, COLUMN_RIGHT},
    [EXPLORE_LOW] = {NULL, "5%", NUMBER_RATIO, FOLD_NEVER, COLUMN_RIGHT},
    [EXPLORE_HIGH] = {NULL, "95%", NUMBER_RATIO, FOLD_NEVER, COLUMN_RIGHT},
    [EXPLORE_AT_PERCENTILE] = {NULL, "Percentile", NUMBER_RATIO, FOLD_NEVER, COLUMN_RIGHT},
    [EXPLORE_NOW_TIME] = {NULL, "NOW s", 0, FOLD_ROWS, COLUMN_DETAIL},
    [EXPLORE_PREDICTED_TIME] = {NULL, "Predicted s", 0, FOLD_NEVER, COLUMN_RIGHT},
    [EXPLORE_PRICE] = {NULL, "Price", NUMBER_EXACT, FOLD_NEVER, COLUMN_RIGHT},
    [EXPLORE_WORK_PRICE] = {NULL, "Per NOW machine", NUMBER_GENERAL, FOLD_NEVER, COLUMN_RIGHT},
    [EXPLORE_LEAST_NICS] = {NULL, "Least NICs", 0, FOLD_NEVER, COLUMN_RIGHT},
    [EXPLORE_LEAST_REAL] = {NULL, NULL, 0, 0, COLUMN_RIGHT},
    [EXPLORE_PARETO] = {NULL, "Pareto", 0, FOLD_NEVER, COLUMN_LEFT},
};

/* Swept variables stand before what follows from them. */
enum { VARIABLES_AT = EXPLORE_APPLICATION };

static void add_column(explore_columns *c, size_t number, table_column column)
{
    c->numbers[c->count] = number;
    c->columns[c->count++] = column;
}

static void add_variable(explore_columns *c, size_t sweep)
{
    const char *name = c->explorer->settings.sweeps[sweep].name;
    table_column column = {name, name, 0, FOLD_NEVER, COLUMN_RIGHT};
    /* A field of the same name would be a second key. */
    for (size_t i = 0; i < EXPLORE_COLUMNS; i++)
        if (strcmp(explore_key(i), name) == 0)
            column = (table_column){.key = NULL};
    add_column(c, EXPLORE_COLUMNS + sweep, column);
}

bool explore_columns_make(const clump_explorer *explorer, explore_columns *c)
{
    const clump_explore_settings *s = &explorer->settings;
    const size_t most = EXPLORE_COLUMNS + s->sweep_count;
    *c = (explore_columns){.columns = calloc(most, sizeof *c->columns),
                           .numbers = calloc(most, sizeof *c->numbers),
                           .explorer = explorer};
    if (c->columns == NULL || c->numbers == NULL)
        return false;
    for (size_t i = 0; i < EXPLORE_COLUMNS; i++) {
        for (size_t k = 0; i == VARIABLES_AT && k < s->sweep_count; k++)
            if (!s->sweeps[k].is_field)
                add_variable(c, k);
        table_column column = looks[i];
        column.key = explore_key(i);
        add_column(c, i, column);
    }
    return true;
}

void explore_columns_release(explore_columns *c)
{
    free(c->columns);
    free(c->numbers);
}

static void set_row_cell(const void *context, size_t row, size_t column, table_cell *cell)
{
    const explore_columns *c = context;
    const explore_value value = explore_value_of(&c->rows[row], c->numbers[column], cell->buffer);
    switch (value.kind) {
    case EXPLORE_TEXT:
        cell_text(cell, value.text);
        break;
    case EXPLORE_REAL:
        cell_real(cell, value.number);
        break;
    case EXPLORE_WHOLE:
        cell_size(cell, (size_t)value.number);
        break;
    case EXPLORE_TRUTH:
        cell_truth(cell, value.number != 0);
        break;
    }
}

static bool differs(double value, double neutral)
{
    return isfinite(value) && fabs(value - neutral) > 1e-9;
}

/* Tables leave out what changes nothing. */
static bool is_worth(const void *context, size_t place, size_t column)
{
    const explore_columns *c = context;
    const clump_explore_row *row = &c->rows[place];
    const clump_explore_settings *s = &c->explorer->settings;
    switch (c->numbers[column]) {
    case EXPLORE_REMOTE_FRACTION:
        return differs(row->result.remote_fraction, 1);
    case EXPLORE_MEMORY_PENALTY:
        return differs(row->result.memory_penalty, 1);
    case EXPLORE_PROTOCOL:
        return row->result.protocol != NULL;
    case EXPLORE_LOSS:
    case EXPLORE_LOSS_FACTOR:
        return row->result.protocol != NULL && row->result.loss > 0;
    case EXPLORE_WORST:
    case EXPLORE_WORST_APPLICATION:
        return differs(row->worst, row->result.slowdown);
    case EXPLORE_MEDIAN:
    case EXPLORE_LOW:
    case EXPLORE_HIGH:
        return s->draws > 0;
    case EXPLORE_AT_PERCENTILE:
        return s->draws > 0 && differs(s->percentile, 95);
    case EXPLORE_PRICE:
    case EXPLORE_WORK_PRICE:
        return isfinite(row->price);
    case EXPLORE_LEAST_NICS:
        return s->limit > 0;
    default:
        return true;
    }
}

table_rows explore_rows(explore_columns *columns, const clump_explore_row *rows, size_t count)
{
    columns->rows = rows;
    return (table_rows){.key = "results",
                        .columns = columns->columns,
                        .column_count = columns->count,
                        .row_count = count,
                        .cell = set_row_cell,
                        .worth = is_worth,
                        .context = columns};
}

/* ---- break-evens, and what the slowdown hangs on: both begin with what tells rows apart */

enum { SCENARIO, APPLICATION, PLATFORM, PROCESSORS, NICS, MAPPING, DEMAND, CONFIGURATION_COUNT };

#define CONFIGURATION_COLUMNS                                                                      \
    [SCENARIO] = {"scenario", "Scenario", 0, FOLD_ALWAYS, COLUMN_PROSE},                           \
    [APPLICATION] = {"application", "Application", 0, FOLD_ALWAYS, COLUMN_LEFT},                   \
    [PLATFORM] = {"platform", "Platform", 0, FOLD_ALWAYS, COLUMN_LEFT},                            \
    [PROCESSORS] = {"processors", "Processors", 0, FOLD_ROWS, COLUMN_RIGHT},                       \
    [NICS] = {"nics", "NICs", 0, FOLD_ROWS, COLUMN_RIGHT},                                         \
    [MAPPING] = {"mapping", "Mapping", 0, FOLD_ALWAYS, COLUMN_LEFT},                               \
    [DEMAND] = {"demand", "Demand", 0, FOLD_ALWAYS, COLUMN_LEFT}

static void set_configuration(const clump_result *r, size_t column, table_cell *cell)
{
    const char *texts[CONFIGURATION_COUNT] = {[SCENARIO] = r->scenario,
                                              [APPLICATION] = r->application,
                                              [PLATFORM] = r->platform,
                                              [MAPPING] = clump_mapping_name(r->mapping),
                                              [DEMAND] = cell->buffer};
    if (column == PROCESSORS || column == NICS) {
        cell_size(cell, column == NICS ? r->nics : r->processors);
        return;
    }
    if (column == DEMAND)
        clump_demand_name(r->demand, r->gang_size, cell->buffer);
    cell_text(cell, texts[column]);
}

enum { UTILIZATION = CONFIGURATION_COUNT, SLOWDOWN, BELOW, ABOVE, CROSSING_COUNT };

static const table_column crossing_columns[CROSSING_COUNT] = {
    CONFIGURATION_COLUMNS,
    [UTILIZATION] = {"utilization", "Break-even U", NUMBER_EXACT, FOLD_NEVER, COLUMN_RIGHT},
    [SLOWDOWN] = {"slowdown", "Slowdown", NUMBER_RATIO, FOLD_NEVER, COLUMN_RIGHT},
    [BELOW] = {"faster_below", "Faster below", 0, FOLD_NEVER, COLUMN_LEFT},
    [ABOVE] = {"faster_above", "Faster above", 0, FOLD_NEVER, COLUMN_LEFT},
};

typedef struct crossings {
    const clump_break_even *answer;
    const clump_explore_variable *compared;
} crossings;

static void set_crossing(const void *context, size_t row, size_t column, table_cell *cell)
{
    const crossings *c = context;
    const clump_break_even_point *point = &c->answer->points[row];
    if (c->compared != NULL && c->compared->field != NULL &&
        strcmp(c->compared->field, crossing_columns[column].key) == 0)
        return; /* each side has its own */
    switch (column) {
    case UTILIZATION:
        cell_real(cell, point->result.utilization);
        break;
    case SLOWDOWN:
        cell_real(cell, point->result.slowdown);
        break;
    case BELOW:
    case ABOVE:
        cell_text(cell, column == BELOW ? point->below : point->above);
        break;
    default:
        set_configuration(&point->result, column, cell);
    }
}

int explore_print_break_even(output_format format, const clump_break_even *answer,
                             const clump_explore_variable *compared)
{
    const crossings c = {answer, compared};
    output_field fields[2] = {{.key = "without_crossing"}, {.key = "equal"}};
    cell_size(&fields[0].value, answer->none);
    cell_size(&fields[1].value, answer->equal);
    const table_rows rows = {.key = "crossings",
                             .columns = crossing_columns,
                             .column_count = CROSSING_COUNT,
                             .row_count = answer->count,
                             .cell = set_crossing,
                             .context = &c};
    int status = EXIT_DONE;
    if (answer->count > 0 || format != FORMAT_TABLE)
        status = output_print(format, &rows, fields, 2);
    if (status != EXIT_DONE || format != FORMAT_TABLE)
        return status;
    if (answer->none > 0)
        printf("%s%zu configuration%s without a crossing: one side is the faster one at every "
               "utilization.\n",
               answer->count > 0 ? "\n" : "", answer->none, answer->none == 1 ? "" : "s");
    if (answer->equal > 0)
        printf("%s%zu configuration%s equally fast at every utilization.\n",
               answer->count + answer->none > 0 ? "\n" : "", answer->equal,
               answer->equal == 1 ? "" : "s");
    return status;
}

enum {
    SLOWDOWN_AT = CONFIGURATION_COUNT,
    PARAMETER,
    MEDIAN,
    LOW,
    HIGH,
    SLOPE,
    SLOPE_ERROR,
    ELASTICITY,
    FIRST,
    FIRST_ERROR,
    TOTAL,
    TOTAL_ERROR,
    INFLUENCE_COUNT
};

static const table_column influence_columns[INFLUENCE_COUNT] = {
    CONFIGURATION_COLUMNS,
    [SLOWDOWN_AT] = {"slowdown", "Slowdown", NUMBER_RATIO, FOLD_ROWS, COLUMN_RIGHT},
    [PARAMETER] = {"parameter", "Parameter", 0, FOLD_NEVER, COLUMN_LEFT},
    [MEDIAN] = {"median", "Median", 0, FOLD_NEVER, COLUMN_RIGHT},
    [LOW] = {"low", "5%", 0, FOLD_NEVER, COLUMN_RIGHT},
    [HIGH] = {"high", "95%", 0, FOLD_NEVER, COLUMN_RIGHT},
    [SLOPE] = {"derivative", "Derivative", 0, FOLD_NEVER, COLUMN_RIGHT},
    [SLOPE_ERROR] = {"derivative_error", NULL, 0, 0, COLUMN_RIGHT},
    [ELASTICITY] = {"elasticity", "Elasticity", 0, FOLD_NEVER, COLUMN_RIGHT},
    [FIRST] = {"first_order", "Alone", NUMBER_PERCENT, FOLD_NEVER, COLUMN_RIGHT},
    [FIRST_ERROR] = {"first_order_error", "+-", NUMBER_PERCENT, FOLD_NEVER, COLUMN_RIGHT},
    [TOTAL] = {"total", "Total", NUMBER_PERCENT, FOLD_NEVER, COLUMN_RIGHT},
    [TOTAL_ERROR] = {"total_error", "+-", NUMBER_PERCENT, FOLD_NEVER, COLUMN_RIGHT},
};

typedef struct influences {
    const clump_explorer *explorer;
    const clump_sensitivity *answer;
} influences;

static void set_influence(const void *context, size_t row, size_t column, table_cell *cell)
{
    const influences *all = context;
    const clump_influence *f = &all->answer->influences[row];
    const clump_result *r = &all->answer->rows[f->row].result;
    const clump_explore_parameter *p = &all->explorer->parameters[f->parameter];
    const double median = clump_uncertain_quantile(&p->distribution, 0.5);
    const double reals[INFLUENCE_COUNT] = {
        [SLOWDOWN_AT] = r->slowdown,
        [MEDIAN] = median,
        [LOW] = clump_uncertain_quantile(&p->distribution, 0.05),
        [HIGH] = clump_uncertain_quantile(&p->distribution, 0.95),
        [SLOPE] = f->slope,
        [SLOPE_ERROR] = f->slope_error,
        [ELASTICITY] = f->slope * median / r->slowdown,
        [FIRST] = f->index.first,
        [FIRST_ERROR] = f->index.first_error,
        [TOTAL] = f->index.total,
        [TOTAL_ERROR] = f->index.total_error,
    };
    if (column < CONFIGURATION_COUNT)
        set_configuration(r, column, cell);
    else if (column == PARAMETER)
        cell_text(cell, p->name);
    else
        cell_real(cell, reals[column]);
}

int explore_print_sensitivity(output_format format, const clump_explorer *explorer,
                              const clump_sensitivity *answer)
{
    const influences all = {explorer, answer};
    const clump_explore_settings *s = &explorer->settings;
    const char *first = explorer->parameters[answer->most_important].name;
    output_field fields[3] = {{.key = "most_important"}, {.key = "draws"}, {.key = "seed"}};
    cell_text(&fields[0].value, first);
    cell_size(&fields[1].value, s->draws);
    cell_size(&fields[2].value, (size_t)s->seed);
    const table_rows rows = {.key = "sensitivity",
                             .columns = influence_columns,
                             .column_count = INFLUENCE_COUNT,
                             .row_count = answer->influence_count,
                             .cell = set_influence,
                             .context = &all};
    const int status = output_print(format, &rows, fields, 3);
    if (status == EXIT_DONE && format == FORMAT_TABLE)
        printf(
            "\nThe slowdown hangs most on %s. Derivative and elasticity: where all are at their\n"
            "medians. Alone and total: shares of its variance over the whole ranges, %zu draws,\n"
            "with standard errors.\n",
            first, s->draws);
    return status;
}
