/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/validation_rows.h"

#include "cli/csv_output.h"
#include "cli/errors.h"
#include "cli/json_output.h"
#include "cli/table_output.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A run and a variant; for errors only the data set of the run matters. */
typedef struct line {
    const clump_validation_run *run;
    size_t variant; /* CLUMP_VALIDATION_VARIANTS: chosen by the other runs */
    clump_validation_summary sum;
} line;

/* ---- predictions ---- */

enum {
    DATASET,
    APPLICATION,
    PLATFORM,
    LAYER,
    VARIANT,
    TRAFFIC,
    UTILIZATION,
    REMOTE,
    NOW_TIME,
    NOW_HALF_WIDTH,
    SLOWDOWN,
    PREDICTED_SHOWN,
    PREDICTED,
    PREDICTED_HALF_WIDTH,
    MEASURED_SHOWN,
    MEASURED,
    MEASURED_HALF_WIDTH,
    ERROR,
    PREDICTION_COLUMNS
};

static const clump_cli_column prediction_columns[PREDICTION_COLUMNS] = {
    [DATASET] = {"dataset", "Data set", 0, CLUMP_CLI_FOLD_ALWAYS, CLUMP_CLI_LEFT},
    [APPLICATION] = {"application", "Application", 0, 0, CLUMP_CLI_LEFT},
    [PLATFORM] = {"platform", "Platform", 0, CLUMP_CLI_FOLD_ALWAYS, CLUMP_CLI_LEFT},
    [LAYER] = {"layer", "Layer", 0, CLUMP_CLI_FOLD_ALWAYS, CLUMP_CLI_LEFT},
    [VARIANT] = {"variant", "Variant", 0, CLUMP_CLI_FOLD_ALWAYS, CLUMP_CLI_LEFT},
    [TRAFFIC] = {"traffic", "Traffic", 0, CLUMP_CLI_FOLD_ROWS, CLUMP_CLI_LEFT},
    [UTILIZATION] = {"utilization", "Utilization", 0, 0, CLUMP_CLI_RIGHT},
    [REMOTE] = {"remote_fraction", "Remote", 0, 0, CLUMP_CLI_RIGHT},
    [NOW_TIME] = {"now_time_s", "NOW s", 0, 0, CLUMP_CLI_RIGHT},
    [NOW_HALF_WIDTH] = {"now_half_width_s", NULL, 0, 0, CLUMP_CLI_RIGHT},
    [SLOWDOWN] = {"slowdown", "Slowdown", CLUMP_CLI_RATIO, 0, CLUMP_CLI_RIGHT},
    [PREDICTED_SHOWN] = {NULL, "Predicted s", 0, 0, CLUMP_CLI_RIGHT},
    [PREDICTED] = {"predicted_time_s", NULL, 0, 0, CLUMP_CLI_RIGHT},
    [PREDICTED_HALF_WIDTH] = {"predicted_half_width_s", NULL, 0, 0, CLUMP_CLI_RIGHT},
    [MEASURED_SHOWN] = {NULL, "Measured s", 0, 0, CLUMP_CLI_RIGHT},
    [MEASURED] = {"measured_time_s", NULL, 0, 0, CLUMP_CLI_RIGHT},
    [MEASURED_HALF_WIDTH] = {"measured_half_width_s", NULL, 0, 0, CLUMP_CLI_RIGHT},
    [ERROR] = {"error", "Error", CLUMP_CLI_SIGNED, 0, CLUMP_CLI_RIGHT},
};

static const char *variant_name(size_t variant)
{
    return variant < CLUMP_VALIDATION_VARIANTS ? clump_validation_variants[variant].name
                                               : "chosen by others";
}

/* "3.356 ± 0.044" */
static void set_interval(clump_cli_cell *cell, double value, double half_width)
{
    if (!isfinite(value))
        return;
    if (isfinite(half_width))
        (void)snprintf(cell->buffer, sizeof cell->buffer, "%.4g %s %.2g", value,
                       clump_cli_plus_minus(), half_width);
    else
        (void)snprintf(cell->buffer, sizeof cell->buffer, "%.4g", value);
    clump_cli_cell_text(cell, cell->buffer);
}

static void prediction_text(const line *l, size_t column, clump_cli_cell *cell)
{
    const clump_validation_run *run = l->run;
    const clump_validation_outcome *outcome = &run->outcomes[l->variant];
    const char *const texts[] = {[DATASET] = run->dataset,
                                 [APPLICATION] = run->application,
                                 [PLATFORM] = run->platform,
                                 [LAYER] = run->layer,
                                 [VARIANT] = variant_name(l->variant),
                                 [TRAFFIC] = run->scaled_traffic ? "scaled" : "measured"};
    if (column <= TRAFFIC)
        clump_cli_cell_text(cell, texts[column]);
    else if (column == PREDICTED_SHOWN)
        set_interval(cell, outcome->predicted, outcome->predicted_half_width);
    else
        set_interval(cell, run->measured, run->half_width);
}

static void prediction_cell(const void *context, size_t row, size_t column, clump_cli_cell *cell)
{
    const line *l = (const line *)context + row;
    const clump_validation_run *run = l->run;
    const clump_validation_outcome *outcome = &run->outcomes[l->variant];
    const double reals[PREDICTION_COLUMNS] = {
        [UTILIZATION] = outcome->utilization,
        [REMOTE] = run->remote_fraction,
        [NOW_TIME] = run->now_time,
        [NOW_HALF_WIDTH] = run->now_half_width,
        [SLOWDOWN] = outcome->slowdown,
        [PREDICTED] = outcome->predicted,
        [PREDICTED_HALF_WIDTH] = outcome->predicted_half_width,
        [MEASURED] = run->measured,
        [MEASURED_HALF_WIDTH] = run->half_width,
        [ERROR] = outcome->error,
    };
    if (column <= TRAFFIC || column == PREDICTED_SHOWN || column == MEASURED_SHOWN)
        prediction_text(l, column, cell);
    else
        clump_cli_cell_real(cell, reals[column]);
}

/* ---- errors ---- */

static const clump_cli_column error_columns[] = {
    {"dataset", "Data set", 0, CLUMP_CLI_FOLD_ALWAYS, CLUMP_CLI_LEFT},
    {"variant", "Variant", 0, 0, CLUMP_CLI_LEFT},
    {"count", "Runs", 0, 0, CLUMP_CLI_RIGHT},
    {"mean_absolute_error", "Mean |error|", CLUMP_CLI_PERCENT, 0, CLUMP_CLI_RIGHT},
    {"greatest_error", "Greatest", CLUMP_CLI_PERCENT, 0, CLUMP_CLI_RIGHT},
    {"bias", "Bias", CLUMP_CLI_SIGNED, 0, CLUMP_CLI_RIGHT},
    {"meaning", NULL, 0, 0, CLUMP_CLI_LEFT},
};

static void error_cell(const void *context, size_t row, size_t column, clump_cli_cell *cell)
{
    const line *l = (const line *)context + row;
    const double reals[] = {l->sum.mean_absolute, l->sum.greatest, l->sum.bias};
    if (column == 0)
        clump_cli_cell_text(cell, l->run->dataset);
    else if (column == 1)
        clump_cli_cell_text(cell, variant_name(l->variant));
    else if (column == 2)
        clump_cli_cell_size(cell, l->sum.count);
    else if (column < 6)
        clump_cli_cell_real(cell, reals[column - 3]);
    else
        clump_cli_cell_text(cell, l->variant < CLUMP_VALIDATION_VARIANTS
                                      ? clump_validation_variants[l->variant].meaning
                                      : "each run with the variant that is best on the others");
}

/* ---- what was not predicted ---- */

static const clump_cli_column problem_columns[] = {
    {"dataset", "Data set", 0, CLUMP_CLI_FOLD_ROWS, CLUMP_CLI_LEFT},
    {"application", "Application", 0, 0, CLUMP_CLI_LEFT},
    {"platform", "Platform", 0, 0, CLUMP_CLI_LEFT},
    {"layer", "Layer", 0, 0, CLUMP_CLI_LEFT},
    {"problem", "Not predicted because", 0, 0, CLUMP_CLI_PROSE},
};

static void problem_cell(const void *context, size_t row, size_t column, clump_cli_cell *cell)
{
    const clump_validation_run *run = ((const line *)context)[row].run;
    const char *const texts[] = {run->dataset, run->application, run->platform, run->layer,
                                 run->problem};
    clump_cli_cell_text(cell, texts[column]);
}

/* ---- all of it ---- */

typedef struct lines {
    line *predictions, *errors, *problems;
    size_t prediction_count, error_count, problem_count;
} lines;

static bool is_first_of_dataset(const clump_validation *v, size_t i)
{
    for (size_t j = 0; j < i; j++)
        if (strcmp(v->runs[j].dataset, v->runs[i].dataset) == 0)
            return false;
    return true;
}

static void add_errors(lines *all, const clump_validation *validation,
                       const clump_validation_run *run)
{
    for (size_t v = 0; v <= CLUMP_VALIDATION_VARIANTS; v++) {
        const clump_validation_summary sum =
            v < CLUMP_VALIDATION_VARIANTS
                ? clump_validation_summarize(validation, run->dataset, v)
                : clump_validation_chosen_by_others(validation, run->dataset);
        if (sum.count > 0)
            all->errors[all->error_count++] = (line){run, v, sum};
    }
}

static bool make_lines(const clump_validation *validation,
                       const bool variants[CLUMP_VALIDATION_VARIANTS], lines *all)
{
    const size_t n = validation->count;
    *all = (lines){.predictions = calloc(n * CLUMP_VALIDATION_VARIANTS, sizeof(line)),
                   .errors = calloc(n * (CLUMP_VALIDATION_VARIANTS + 1), sizeof(line)),
                   .problems = calloc(n, sizeof(line))};
    if (all->predictions == NULL || all->errors == NULL || all->problems == NULL)
        return false;
    for (size_t v = 0; v < CLUMP_VALIDATION_VARIANTS; v++)
        for (size_t i = 0; i < n && variants[v]; i++)
            if (validation->runs[i].problem == NULL)
                all->predictions[all->prediction_count++] = (line){.run = &validation->runs[i], v};
    for (size_t i = 0; i < n; i++) {
        if (is_first_of_dataset(validation, i))
            add_errors(all, validation, &validation->runs[i]);
        if (validation->runs[i].problem != NULL)
            all->problems[all->problem_count++] = (line){.run = &validation->runs[i]};
    }
    return true;
}

static clump_cli_rows rows_of(const char *key, const clump_cli_column *columns, size_t column_count,
                              void (*cell)(const void *, size_t, size_t, clump_cli_cell *),
                              const line *first, size_t count)
{
    return (clump_cli_rows){.key = key,
                            .columns = columns,
                            .column_count = column_count,
                            .row_count = count,
                            .cell = cell,
                            .context = first};
}

/* A table for each data set, so that its name stands above. */
static int print_by_dataset(const clump_cli_rows *rows, const line *all)
{
    int status = CLUMP_CLI_DONE;
    size_t length;
    for (size_t first = 0; first < rows->row_count && status == CLUMP_CLI_DONE; first += length) {
        for (length = 1; first + length < rows->row_count; length++)
            if (strcmp(all[first].run->dataset, all[first + length].run->dataset) != 0 ||
                (rows->columns == prediction_columns &&
                 all[first].variant != all[first + length].variant))
                break;
        clump_cli_rows part = *rows;
        part.context = all + first;
        part.row_count = length;
        status = clump_cli_table_print(&part);
        (void)putchar('\n');
    }
    return status;
}

static int print_lines(clump_cli_format format, const lines *all)
{
    const clump_cli_rows predictions =
        rows_of("predictions", prediction_columns, PREDICTION_COLUMNS, prediction_cell,
                all->predictions, all->prediction_count);
    const clump_cli_rows errors =
        rows_of("errors", error_columns, sizeof error_columns / sizeof *error_columns, error_cell,
                all->errors, all->error_count);
    const clump_cli_rows problems =
        rows_of("not_predicted", problem_columns, sizeof problem_columns / sizeof *problem_columns,
                problem_cell, all->problems, all->problem_count);
    const clump_cli_rows *const sets[] = {&predictions, &errors, &problems};
    if (format == CLUMP_CLI_CSV)
        return clump_cli_csv_print(&predictions);
    if (format == CLUMP_CLI_JSON)
        return clump_cli_json_print(sets, 3, NULL, 0);
    int status = print_by_dataset(&predictions, all->predictions);
    if (status == CLUMP_CLI_DONE)
        status = print_by_dataset(&errors, all->errors);
    if (status == CLUMP_CLI_DONE && all->problem_count > 0)
        (void)printf("%zu measured time%s not predicted; --format json says why.\n",
                     all->problem_count, all->problem_count == 1 ? " is" : "s are");
    return status;
}

int clump_cli_validation_print(clump_cli_format format, const clump_validation *validation,
                               const bool variants[CLUMP_VALIDATION_VARIANTS])
{
    lines all;
    const int status = make_lines(validation, variants, &all) ? print_lines(format, &all)
                                                              : clump_cli_error_memory("validate");
    free(all.predictions);
    free(all.errors);
    free(all.problems);
    return status;
}
