/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "exploring/explore_sensitivity.h"
#include "exploring/explore_sensitivity_study.h"

#include "cli/output/errors.h"
#include "model/root.h"

#include <math.h>
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Each row costs thirty runs of the script a parameter. */
enum { MOST_ROWS = 500, MESSAGE = SENSITIVITY_MESSAGE };

/* The slowdowns of all rows with one draw; `rows` has room for all, or is NULL. */
static clump_scenario_status run_draw(const clump_explorer *e, const clump_explorer_draw *draw,
                                      size_t row_count, double *slowdowns, char *message)
{
    clump_scenario *scenario = NULL;
    clump_scenario_status status =
        clump_explorer_prepare(e, 0, draw, NULL, 0, &scenario, message, MESSAGE);
    if (status != CLUMP_SCENARIO_OK)
        return status;
    const size_t stride = clump_scenario_most_applications(scenario);
    clump_result *scratch = calloc(stride, sizeof *scratch);
    clump_explorer_row *rows = calloc(stride, sizeof *rows);
    size_t row = 0;
    if (scratch == NULL || rows == NULL) {
        snprintf(message, MESSAGE, "out of memory");
        status = CLUMP_SCENARIO_FAILED;
    }
    for (size_t c = 0; c < clump_scenario_configurations(scenario) && status == CLUMP_SCENARIO_OK;
         c++) {
        size_t count = 0;
        status =
            clump_explorer_compute(e, scenario, c, false, scratch, rows, &count, message, MESSAGE);
        for (size_t k = 0; k < count && status == CLUMP_SCENARIO_OK; k++, row++)
            if (row < row_count)
                slowdowns[row] = rows[k].result.slowdown;
    }
    if (status == CLUMP_SCENARIO_OK && row != row_count) {
        snprintf(message, MESSAGE,
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
    const clump_explorer *e = s->explorer;
    clump_scenario_status failed = CLUMP_SCENARIO_OK;
#pragma omp parallel for schedule(dynamic, 8) num_threads(e->threads)
    for (size_t k = 0; k < e->draws; k++) {
        char message[MESSAGE];
        const clump_explorer_draw draw = {e, k, other, swapped, -1, 0, false};
        const clump_scenario_status found =
            run_draw(e, &draw, s->row_count, slowdowns + k * s->row_count, message);
        if (found != CLUMP_SCENARIO_OK) {
#pragma omp critical(clump_sensitivity)
            {
                failed = found;
                snprintf(s->message, sizeof s->message, "%s", message);
            }
        }
    }
    return failed == CLUMP_SCENARIO_OK ? EXIT_DONE : clump_explorer_explain(e, failed, s->message);
}

/* One row's column of a matrix. */
static void take_column(const study *s, const double *slowdowns, size_t row, double *column)
{
    for (size_t k = 0; k < s->explorer->draws; k++)
        column[k] = slowdowns[k * s->row_count + row];
}

static int find_indices(study *s)
{
    const clump_explorer *e = s->explorer;
    double *columns = calloc(3 * e->draws, sizeof *columns);
    if (columns == NULL)
        return error_memory(e->invocation->arguments.command);
    int status = run_matrix(s, false, -1, s->a);
    if (status == EXIT_DONE)
        status = run_matrix(s, true, -1, s->b);
    for (size_t i = 0; i < e->parameter_count && status == EXIT_DONE; i++) {
        status = run_matrix(s, false, (int)i, s->mixed);
        for (size_t r = 0; r < s->row_count && status == EXIT_DONE; r++) {
            influence *f = &s->influences[r * e->parameter_count + i];
            take_column(s, s->a, r, columns);
            take_column(s, s->b, r, columns + e->draws);
            take_column(s, s->mixed, r, columns + 2 * e->draws);
            if (clump_variance_index_estimate(columns, columns + e->draws, columns + 2 * e->draws,
                                              e->draws, &f->index, NULL) != CLUMP_OK)
                status = error_failed(e->invocation->arguments.command, "no indices from %zu draws",
                                      e->draws);
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
    const clump_explorer_draw draw = {a->s->explorer, 0, false, -1, a->parameter, x, true};
    a->s->failed = run_draw(a->s->explorer, &draw, a->s->row_count, a->slowdowns, a->s->message);
    if (a->s->failed != CLUMP_SCENARIO_OK)
        return clump_fail(error, CLUMP_BAD_ARGUMENT, "the scenario");
    *value = a->slowdowns[a->row];
    return CLUMP_OK;
}

static int find_slopes(study *s)
{
    const clump_explorer *e = s->explorer;
    along a = {s, 0, 0, calloc(s->row_count, sizeof *a.slowdowns)};
    int status = EXIT_DONE;
    if (a.slowdowns == NULL)
        return error_memory(e->invocation->arguments.command);
    for (size_t i = 0; i < s->row_count * e->parameter_count && status == EXIT_DONE; i++) {
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
            status = clump_explorer_explain(e, s->failed, s->message);
        else if (found != CLUMP_OK)
            status = error_failed(e->invocation->arguments.command, "%s", error.message);
    }
    free(a.slowdowns);
    return status;
}

/* The rows themselves, with all parameters at their medians. */
static int make_rows(study *s)
{
    clump_explorer *e = s->explorer;
    const clump_explorer_draw nominal = {e, 0, false, -1, -1, 0, true};
    const clump_scenario_status found =
        clump_explorer_prepare(e, 0, &nominal, NULL, 0, &s->medians, s->message, sizeof s->message);
    if (found != CLUMP_SCENARIO_OK)
        return clump_explorer_explain(e, found, s->message);
    const size_t configurations = clump_scenario_configurations(s->medians),
                 stride = clump_scenario_most_applications(s->medians);
    if (configurations * stride > MOST_ROWS)
        return error_usage(e->invocation->arguments.command,
                           "--sensitivity: found %zu rows, expected at most %d; vary less",
                           configurations * stride, MOST_ROWS);
    clump_result *scratch = calloc(stride, sizeof *scratch);
    s->rows = calloc(configurations * stride, sizeof *s->rows);
    clump_scenario_status status = CLUMP_SCENARIO_FAILED;
    if (scratch != NULL && s->rows != NULL)
        status = CLUMP_SCENARIO_OK;
    for (size_t c = 0; c < configurations && status == CLUMP_SCENARIO_OK; c++) {
        size_t count = 0;
        status = clump_explorer_compute(e, s->medians, c, false, scratch, s->rows + s->row_count,
                                        &count, s->message, sizeof s->message);
        s->row_count += count;
    }
    free(scratch);
    return status == CLUMP_SCENARIO_OK ? EXIT_DONE : clump_explorer_explain(e, status, s->message);
}

int clump_sensitivity(clump_explorer *e)
{
    const char *command = e->invocation->arguments.command;
    study s = {.explorer = e};
    if (!e->drawn)
        return error_usage(command,
                           "--uncertain is missing, expected what varies beside --sensitivity");
    if (e->cases > 1)
        return error_usage(
            command,
            "--sensitivity: found %zu runs of the script, expected one; give its variables "
            "one value each",
            e->cases);
    snprintf(s.message, sizeof s.message, "out of memory");
    int status = make_rows(&s);
    if (status == EXIT_DONE) {
        const size_t values = e->draws * s.row_count;
        s.influences = calloc(s.row_count * e->parameter_count, sizeof *s.influences);
        s.a = malloc(values * sizeof *s.a);
        s.b = malloc(values * sizeof *s.b);
        s.mixed = malloc(values * sizeof *s.mixed);
        if (s.influences == NULL || s.a == NULL || s.b == NULL || s.mixed == NULL)
            status = error_memory(command);
        for (size_t i = 0; i < s.row_count * e->parameter_count && status == EXIT_DONE; i++) {
            s.influences[i].row = i / e->parameter_count;
            s.influences[i].parameter = i % e->parameter_count;
        }
    }
    if (status == EXIT_DONE)
        status = find_indices(&s);
    if (status == EXIT_DONE)
        status = find_slopes(&s);
    if (status == EXIT_DONE)
        status = clump_sensitivity_print(&s);
    clump_scenario_free(s.medians);
    free(s.rows);
    free(s.influences);
    free(s.a);
    free(s.b);
    free(s.mixed);
    return status;
}
