/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "exploring/explore_sensitivity_study.h"

#include "cli/output/errors.h"
#include "cli/output/output.h"

#include <math.h>
#include <stdio.h>

enum {
    SCENARIO,
    APPLICATION,
    PLATFORM,
    PROCESSORS,
    NICS,
    MAPPING,
    DEMAND,
    SLOWDOWN,
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
    COLUMN_COUNT
};

static const table_column columns[COLUMN_COUNT] = {
    [SCENARIO] = {"scenario", "Scenario", 0, FOLD_ALWAYS, COLUMN_PROSE},
    [APPLICATION] = {"application", "Application", 0, FOLD_ALWAYS, COLUMN_LEFT},
    [PLATFORM] = {"platform", "Platform", 0, FOLD_ALWAYS, COLUMN_LEFT},
    [PROCESSORS] = {"processors", "Processors", 0, FOLD_ROWS, COLUMN_RIGHT},
    [NICS] = {"nics", "NICs", 0, FOLD_ROWS, COLUMN_RIGHT},
    [MAPPING] = {"mapping", "Mapping", 0, FOLD_ALWAYS, COLUMN_LEFT},
    [DEMAND] = {"demand", "Demand", 0, FOLD_ALWAYS, COLUMN_LEFT},
    [SLOWDOWN] = {"slowdown", "Slowdown", NUMBER_RATIO, FOLD_ROWS, COLUMN_RIGHT},
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

static void set_cell(const void *context, size_t place, size_t column, table_cell *cell)
{
    const study *s = context;
    const influence *f = &s->influences[place];
    const clump_result *r = &s->rows[f->row].result;
    const clump_explorer_parameter *p = &s->explorer->parameters[f->parameter];
    const double median = clump_uncertain_quantile(&p->distribution, 0.5);
    const double reals[COLUMN_COUNT] = {
        [SLOWDOWN] = r->slowdown,
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
    const char *texts[COLUMN_COUNT] = {[SCENARIO] = r->scenario,
                                       [APPLICATION] = r->application,
                                       [PLATFORM] = r->platform,
                                       [MAPPING] = clump_mapping_name(r->mapping),
                                       [PARAMETER] = p->name};
    if (column == PROCESSORS || column == NICS) {
        cell_size(cell, column == NICS ? r->nics : r->processors);
    } else if (column == DEMAND) {
        clump_demand_name(r->demand, r->gang_size, cell->buffer);
        cell_text(cell, cell->buffer);
    } else if (texts[column] != NULL || column <= DEMAND) {
        cell_text(cell, texts[column]);
    } else {
        cell_real(cell, reals[column]);
    }
}

/* On which the slowdowns hang most, over all rows. */
static size_t most_important(const study *s)
{
    size_t best = 0;
    double most = -HUGE_VAL;
    for (size_t i = 0; i < s->explorer->parameter_count; i++) {
        double sum = 0;
        for (size_t r = 0; r < s->row_count; r++)
            sum += s->influences[r * s->explorer->parameter_count + i].index.total;
        if (sum > most) {
            most = sum;
            best = i;
        }
    }
    return best;
}

int clump_sensitivity_print(const study *s)
{
    const clump_explorer *e = s->explorer;
    const clump_explorer_parameter *first = &e->parameters[most_important(s)];
    output_field fields[3] = {{.key = "most_important"}, {.key = "draws"}, {.key = "seed"}};
    cell_text(&fields[0].value, first->name);
    cell_size(&fields[1].value, e->draws);
    cell_size(&fields[2].value, (size_t)e->seed);
    const table_rows rows = {.key = "sensitivity",
                             .columns = columns,
                             .column_count = COLUMN_COUNT,
                             .row_count = s->row_count * e->parameter_count,
                             .cell = set_cell,
                             .context = s};
    const int status = output_print(e->invocation->format, &rows, fields, 3);
    if (status == EXIT_DONE && e->invocation->format == FORMAT_TABLE)
        printf(
            "\nThe slowdown hangs most on %s. Derivative and elasticity: where all are at their\n"
            "medians. Alone and total: shares of its variance over the whole ranges, %zu draws,\n"
            "with standard errors.\n",
            first->name, e->draws);
    return status;
}
