/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/explore_sensitivity.h"

#include "cli/errors.h"
#include "fitting/variance_indices.h"
#include "model/root.h"

#include <math.h>
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Each row costs thirty runs of the script a parameter. */
enum { MOST_ROWS = 500, MESSAGE = 2048 };

typedef struct influence {
    size_t row, parameter;
    double slope, slope_error; /* dX/d parameter, where all are at their medians */
    clump_variance_index index;
} influence;

typedef struct study {
    clump_cli_explorer *explorer;
    clump_scenario *medians; /* owns the strings of the rows */
    clump_cli_row *rows;
    size_t row_count;
    influence *influences; /* row by row */
    double *a, *b, *mixed; /* slowdowns: draw by draw, `row_count` each */
    char message[MESSAGE];
    clump_scenario_status failed;
} study;

/* The slowdowns of all rows with one draw; `rows` has room for all, or is NULL. */
static clump_scenario_status run_draw(const clump_cli_explorer *e, const clump_cli_draw *draw,
                                      size_t row_count, double *slowdowns, char *message)
{
    clump_scenario *scenario = NULL;
    clump_scenario_status status =
        clump_cli_explorer_prepare(e, 0, draw, NULL, 0, &scenario, message, MESSAGE);
    if (status != CLUMP_SCENARIO_OK)
        return status;
    const size_t stride = clump_scenario_most_applications(scenario);
    clump_result *scratch = calloc(stride, sizeof *scratch);
    clump_cli_row *rows = calloc(stride, sizeof *rows);
    size_t row = 0;
    if (scratch == NULL || rows == NULL) {
        (void)snprintf(message, MESSAGE, "out of memory");
        status = CLUMP_SCENARIO_FAILED;
    }
    for (size_t c = 0; c < clump_scenario_configurations(scenario) && status == CLUMP_SCENARIO_OK;
         c++) {
        size_t count = 0;
        status = clump_cli_explorer_compute(e, scenario, c, false, scratch, rows, &count, message,
                                            MESSAGE);
        for (size_t k = 0; k < count && status == CLUMP_SCENARIO_OK; k++, row++)
            if (row < row_count)
                slowdowns[row] = rows[k].result.slowdown;
    }
    if (status == CLUMP_SCENARIO_OK && row != row_count) {
        (void)snprintf(
            message, MESSAGE,
            "the scenario asks for %zu rows with one draw and %zu with another, expected "
            "as many for all",
            row_count, row);
        status = CLUMP_SCENARIO_BAD_INPUT;
    }
    free(scratch);
    free(rows);
    clump_scenario_free(scenario);
    return status;
}

/* All draws of a matrix: A (swapped -1), B (other), or A with one column of B. */
static int run_matrix(study *s, bool other, int swapped, double *slowdowns)
{
    const clump_cli_explorer *e = s->explorer;
    clump_scenario_status failed = CLUMP_SCENARIO_OK;
#pragma omp parallel for schedule(dynamic, 8) num_threads(e->threads)
    for (size_t k = 0; k < e->draws; k++) {
        char message[MESSAGE];
        const clump_cli_draw draw = {e, k, other, swapped, -1, 0, false};
        const clump_scenario_status found =
            run_draw(e, &draw, s->row_count, slowdowns + k * s->row_count, message);
        if (found != CLUMP_SCENARIO_OK) {
#pragma omp critical(clump_cli_sensitivity)
            {
                failed = found;
                (void)snprintf(s->message, sizeof s->message, "%s", message);
            }
        }
    }
    return failed == CLUMP_SCENARIO_OK ? CLUMP_CLI_DONE
                                       : clump_cli_explorer_explain(e, failed, s->message);
}

/* One row's column of a matrix. */
static void take_column(const study *s, const double *slowdowns, size_t row, double *column)
{
    for (size_t k = 0; k < s->explorer->draws; k++)
        column[k] = slowdowns[k * s->row_count + row];
}

static int find_indices(study *s)
{
    const clump_cli_explorer *e = s->explorer;
    double *columns = calloc(3 * e->draws, sizeof *columns);
    if (columns == NULL)
        return clump_cli_error_memory(e->invocation->arguments.command);
    int status = run_matrix(s, false, -1, s->a);
    if (status == CLUMP_CLI_DONE)
        status = run_matrix(s, true, -1, s->b);
    for (size_t i = 0; i < e->parameter_count && status == CLUMP_CLI_DONE; i++) {
        status = run_matrix(s, false, (int)i, s->mixed);
        for (size_t r = 0; r < s->row_count && status == CLUMP_CLI_DONE; r++) {
            influence *f = &s->influences[r * e->parameter_count + i];
            take_column(s, s->a, r, columns);
            take_column(s, s->b, r, columns + e->draws);
            take_column(s, s->mixed, r, columns + 2 * e->draws);
            if (clump_variance_index_estimate(columns, columns + e->draws, columns + 2 * e->draws,
                                              e->draws, &f->index, NULL) != CLUMP_OK)
                status = clump_cli_error_failed(e->invocation->arguments.command,
                                                "no indices from %zu draws", e->draws);
        }
    }
    free(columns);
    return status;
}

/* ---- derivatives */

typedef struct along {
    study *s;
    size_t row;
    int parameter;
    double *slowdowns;
} along;

static clump_status slowdown_along(double x, double *value, void *context, clump_error *error)
{
    along *a = context;
    const clump_cli_draw draw = {a->s->explorer, 0, false, -1, a->parameter, x, true};
    a->s->failed = run_draw(a->s->explorer, &draw, a->s->row_count, a->slowdowns, a->s->message);
    if (a->s->failed != CLUMP_SCENARIO_OK)
        return clump_fail(error, CLUMP_BAD_ARGUMENT, "the scenario");
    *value = a->slowdowns[a->row];
    return CLUMP_OK;
}

static int find_slopes(study *s)
{
    const clump_cli_explorer *e = s->explorer;
    along a = {s, 0, 0, calloc(s->row_count, sizeof *a.slowdowns)};
    int status = CLUMP_CLI_DONE;
    if (a.slowdowns == NULL)
        return clump_cli_error_memory(e->invocation->arguments.command);
    for (size_t i = 0; i < s->row_count * e->parameter_count && status == CLUMP_CLI_DONE; i++) {
        influence *f = &s->influences[i];
        const clump_uncertain *d = &e->parameters[f->parameter].distribution;
        const double least = clump_uncertain_quantile(d, 1e-4),
                     most = clump_uncertain_quantile(d, 1 - 1e-4);
        clump_error error = {CLUMP_OK, ""};
        a.row = f->row;
        a.parameter = (int)f->parameter;
        const clump_status found =
            clump_derivative(slowdown_along, &a, clump_uncertain_quantile(d, 0.5), least, most,
                             0.1 * (most - least), &f->slope, &f->slope_error, &error);
        if (s->failed != CLUMP_SCENARIO_OK)
            status = clump_cli_explorer_explain(e, s->failed, s->message);
        else if (found != CLUMP_OK)
            status = clump_cli_error_failed(e->invocation->arguments.command, "%s", error.message);
    }
    free(a.slowdowns);
    return status;
}

/* ---- output */

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

static const clump_cli_column columns[COLUMN_COUNT] = {
    [SCENARIO] = {"scenario", "Scenario", 0, CLUMP_CLI_FOLD_ALWAYS, CLUMP_CLI_PROSE},
    [APPLICATION] = {"application", "Application", 0, CLUMP_CLI_FOLD_ALWAYS, CLUMP_CLI_LEFT},
    [PLATFORM] = {"platform", "Platform", 0, CLUMP_CLI_FOLD_ALWAYS, CLUMP_CLI_LEFT},
    [PROCESSORS] = {"processors", "Processors", 0, CLUMP_CLI_FOLD_ROWS, CLUMP_CLI_RIGHT},
    [NICS] = {"nics", "NICs", 0, CLUMP_CLI_FOLD_ROWS, CLUMP_CLI_RIGHT},
    [MAPPING] = {"mapping", "Mapping", 0, CLUMP_CLI_FOLD_ALWAYS, CLUMP_CLI_LEFT},
    [DEMAND] = {"demand", "Demand", 0, CLUMP_CLI_FOLD_ALWAYS, CLUMP_CLI_LEFT},
    [SLOWDOWN] = {"slowdown", "Slowdown", CLUMP_CLI_RATIO, CLUMP_CLI_FOLD_ROWS, CLUMP_CLI_RIGHT},
    [PARAMETER] = {"parameter", "Parameter", 0, CLUMP_CLI_FOLD_NEVER, CLUMP_CLI_LEFT},
    [MEDIAN] = {"median", "Median", 0, CLUMP_CLI_FOLD_NEVER, CLUMP_CLI_RIGHT},
    [LOW] = {"low", "5%", 0, CLUMP_CLI_FOLD_NEVER, CLUMP_CLI_RIGHT},
    [HIGH] = {"high", "95%", 0, CLUMP_CLI_FOLD_NEVER, CLUMP_CLI_RIGHT},
    [SLOPE] = {"derivative", "Derivative", 0, CLUMP_CLI_FOLD_NEVER, CLUMP_CLI_RIGHT},
    [SLOPE_ERROR] = {"derivative_error", NULL, 0, 0, CLUMP_CLI_RIGHT},
    [ELASTICITY] = {"elasticity", "Elasticity", 0, CLUMP_CLI_FOLD_NEVER, CLUMP_CLI_RIGHT},
    [FIRST] = {"first_order", "Alone", CLUMP_CLI_PERCENT, CLUMP_CLI_FOLD_NEVER, CLUMP_CLI_RIGHT},
    [FIRST_ERROR] = {"first_order_error", "+-", CLUMP_CLI_PERCENT, CLUMP_CLI_FOLD_NEVER,
                     CLUMP_CLI_RIGHT},
    [TOTAL] = {"total", "Total", CLUMP_CLI_PERCENT, CLUMP_CLI_FOLD_NEVER, CLUMP_CLI_RIGHT},
    [TOTAL_ERROR] = {"total_error", "+-", CLUMP_CLI_PERCENT, CLUMP_CLI_FOLD_NEVER, CLUMP_CLI_RIGHT},
};

static void set_cell(const void *context, size_t place, size_t column, clump_cli_cell *cell)
{
    const study *s = context;
    const influence *f = &s->influences[place];
    const clump_result *r = &s->rows[f->row].result;
    const clump_cli_parameter *p = &s->explorer->parameters[f->parameter];
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
        clump_cli_cell_size(cell, column == NICS ? r->nics : r->processors);
    } else if (column == DEMAND) {
        clump_demand_name(r->demand, r->gang_size, cell->buffer);
        clump_cli_cell_text(cell, cell->buffer);
    } else if (texts[column] != NULL || column <= DEMAND) {
        clump_cli_cell_text(cell, texts[column]);
    } else {
        clump_cli_cell_real(cell, reals[column]);
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

static int print(const study *s)
{
    const clump_cli_explorer *e = s->explorer;
    const clump_cli_parameter *first = &e->parameters[most_important(s)];
    clump_cli_field fields[3] = {{.key = "most_important"}, {.key = "draws"}, {.key = "seed"}};
    clump_cli_cell_text(&fields[0].value, first->name);
    clump_cli_cell_size(&fields[1].value, e->draws);
    clump_cli_cell_size(&fields[2].value, (size_t)e->seed);
    const clump_cli_rows rows = {.key = "sensitivity",
                                 .columns = columns,
                                 .column_count = COLUMN_COUNT,
                                 .row_count = s->row_count * e->parameter_count,
                                 .cell = set_cell,
                                 .context = s};
    const int status = clump_cli_output_print(e->invocation->format, &rows, fields, 3);
    if (status == CLUMP_CLI_DONE && e->invocation->format == CLUMP_CLI_TABLE)
        (void)printf(
            "\nThe slowdown hangs most on %s. Derivative and elasticity: where all are at their\n"
            "medians. Alone and total: shares of its variance over the whole ranges, %zu draws,\n"
            "with standard errors.\n",
            first->name, e->draws);
    return status;
}

/* The rows themselves, with all parameters at their medians. */
static int make_rows(study *s)
{
    clump_cli_explorer *e = s->explorer;
    const clump_cli_draw nominal = {e, 0, false, -1, -1, 0, true};
    const clump_scenario_status found = clump_cli_explorer_prepare(
        e, 0, &nominal, NULL, 0, &s->medians, s->message, sizeof s->message);
    if (found != CLUMP_SCENARIO_OK)
        return clump_cli_explorer_explain(e, found, s->message);
    const size_t configurations = clump_scenario_configurations(s->medians),
                 stride = clump_scenario_most_applications(s->medians);
    if (configurations * stride > MOST_ROWS)
        return clump_cli_error_usage(
            e->invocation->arguments.command,
            "--sensitivity: found %zu rows, expected at most %d; vary less",
            configurations * stride, MOST_ROWS);
    clump_result *scratch = calloc(stride, sizeof *scratch);
    s->rows = calloc(configurations * stride, sizeof *s->rows);
    clump_scenario_status status = CLUMP_SCENARIO_FAILED;
    if (scratch != NULL && s->rows != NULL)
        status = CLUMP_SCENARIO_OK;
    for (size_t c = 0; c < configurations && status == CLUMP_SCENARIO_OK; c++) {
        size_t count = 0;
        status =
            clump_cli_explorer_compute(e, s->medians, c, false, scratch, s->rows + s->row_count,
                                       &count, s->message, sizeof s->message);
        s->row_count += count;
    }
    free(scratch);
    return status == CLUMP_SCENARIO_OK ? CLUMP_CLI_DONE
                                       : clump_cli_explorer_explain(e, status, s->message);
}

int clump_cli_sensitivity(clump_cli_explorer *e)
{
    const char *command = e->invocation->arguments.command;
    study s = {.explorer = e};
    if (!e->drawn)
        return clump_cli_error_usage(
            command, "--uncertain is missing, expected what varies beside --sensitivity");
    if (e->cases > 1)
        return clump_cli_error_usage(
            command,
            "--sensitivity: found %zu runs of the script, expected one; give its variables "
            "one value each",
            e->cases);
    (void)snprintf(s.message, sizeof s.message, "out of memory");
    int status = make_rows(&s);
    if (status == CLUMP_CLI_DONE) {
        const size_t values = e->draws * s.row_count;
        s.influences = calloc(s.row_count * e->parameter_count, sizeof *s.influences);
        s.a = malloc(values * sizeof *s.a);
        s.b = malloc(values * sizeof *s.b);
        s.mixed = malloc(values * sizeof *s.mixed);
        if (s.influences == NULL || s.a == NULL || s.b == NULL || s.mixed == NULL)
            status = clump_cli_error_memory(command);
        for (size_t i = 0; i < s.row_count * e->parameter_count && status == CLUMP_CLI_DONE; i++) {
            s.influences[i].row = i / e->parameter_count;
            s.influences[i].parameter = i % e->parameter_count;
        }
    }
    if (status == CLUMP_CLI_DONE)
        status = find_indices(&s);
    if (status == CLUMP_CLI_DONE)
        status = find_slopes(&s);
    if (status == CLUMP_CLI_DONE)
        status = print(&s);
    clump_scenario_free(s.medians);
    free(s.rows);
    free(s.influences);
    free(s.a);
    free(s.b);
    free(s.mixed);
    return status;
}
