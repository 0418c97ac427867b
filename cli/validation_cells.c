/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/validation_cells.h"

#include <math.h>
#include <stdio.h>

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
    MODEL_COLUMNS, /* what follows is of simulations */
    SIMULATED_SHOWN = MODEL_COLUMNS,
    SIMULATED,
    SIMULATED_HALF_WIDTH,
    SIMULATED_ERROR,
    SIMULATED_EVENTS,
    SIMULATED_REPLICATIONS,
    PREDICTION_COLUMNS
};

static const table_column prediction_columns[PREDICTION_COLUMNS] = {
    [DATASET] = {"dataset", "Data set", 0, FOLD_ALWAYS, COLUMN_LEFT},
    [APPLICATION] = {"application", "Application", 0, 0, COLUMN_LEFT},
    [PLATFORM] = {"platform", "Platform", 0, FOLD_ALWAYS, COLUMN_LEFT},
    [LAYER] = {"layer", "Layer", 0, FOLD_ALWAYS, COLUMN_LEFT},
    [VARIANT] = {"variant", "Variant", 0, FOLD_ALWAYS, COLUMN_LEFT},
    [TRAFFIC] = {"traffic", "Traffic", 0, FOLD_ROWS, COLUMN_LEFT},
    [UTILIZATION] = {"utilization", "Utilization", 0, 0, COLUMN_RIGHT},
    [REMOTE] = {"remote_fraction", "Remote", 0, 0, COLUMN_RIGHT},
    [NOW_TIME] = {"now_time_s", "NOW s", 0, 0, COLUMN_RIGHT},
    [NOW_HALF_WIDTH] = {"now_half_width_s", NULL, 0, 0, COLUMN_RIGHT},
    [SLOWDOWN] = {"slowdown", "Slowdown", NUMBER_RATIO, 0, COLUMN_RIGHT},
    [PREDICTED_SHOWN] = {NULL, "Predicted s", 0, 0, COLUMN_RIGHT},
    [PREDICTED] = {"predicted_time_s", NULL, 0, 0, COLUMN_RIGHT},
    [PREDICTED_HALF_WIDTH] = {"predicted_half_width_s", NULL, 0, 0, COLUMN_RIGHT},
    [MEASURED_SHOWN] = {NULL, "Measured s", 0, 0, COLUMN_RIGHT},
    [MEASURED] = {"measured_time_s", NULL, 0, 0, COLUMN_RIGHT},
    [MEASURED_HALF_WIDTH] = {"measured_half_width_s", NULL, 0, 0, COLUMN_RIGHT},
    [ERROR] = {"error", "Error", NUMBER_SIGNED, 0, COLUMN_RIGHT},
    [SIMULATED_SHOWN] = {NULL, "Simulated s", 0, 0, COLUMN_RIGHT},
    [SIMULATED] = {"simulated_time_s", NULL, 0, 0, COLUMN_RIGHT},
    [SIMULATED_HALF_WIDTH] = {"simulated_half_width_s", NULL, 0, 0, COLUMN_RIGHT},
    [SIMULATED_ERROR] = {"simulated_error", "Sim. error", NUMBER_SIGNED, 0, COLUMN_RIGHT},
    [SIMULATED_EVENTS] = {"events", NULL, 0, 0, COLUMN_RIGHT},
    [SIMULATED_REPLICATIONS] = {"replications", NULL, 0, 0, COLUMN_RIGHT},
};

static const char *variant_name(size_t variant)
{
    return variant == CLUMP_VALIDATION_SIMULATED  ? "simulation"
           : variant < CLUMP_VALIDATION_SIMULATED ? clump_validation_variants[variant].name
                                                  : "chosen by others";
}

static const char *variant_meaning(size_t variant)
{
    return variant == CLUMP_VALIDATION_SIMULATED
               ? "message by message, from what the full model is predicted from"
           : variant < CLUMP_VALIDATION_SIMULATED
               ? clump_validation_variants[variant].meaning
               : "each run with the variant that is best on the others";
}

/* "3.356 ± 0.044" */
static void set_interval(table_cell *cell, double value, double half_width)
{
    if (!isfinite(value))
        return;
    if (isfinite(half_width))
        snprintf(cell->buffer, sizeof cell->buffer, "%.4g %s %.2g", value, plus_minus(),
                 half_width);
    else
        snprintf(cell->buffer, sizeof cell->buffer, "%.4g", value);
    cell_text(cell, cell->buffer);
}

static void prediction_text(const validation_line *l, size_t column, table_cell *cell)
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
        cell_text(cell, texts[column]);
    else if (column == PREDICTED_SHOWN)
        set_interval(cell, outcome->predicted, outcome->predicted_half_width);
    else if (column == MEASURED_SHOWN)
        set_interval(cell, run->measured, run->half_width);
    else
        set_interval(cell, run->outcomes[CLUMP_VALIDATION_SIMULATED].predicted,
                     run->outcomes[CLUMP_VALIDATION_SIMULATED].predicted_half_width);
}

static void prediction_cell(const void *context, size_t row, size_t column, table_cell *cell)
{
    const validation_line *l = (const validation_line *)context + row;
    const clump_validation_run *run = l->run;
    const clump_validation_outcome *outcome = &run->outcomes[l->variant];
    const clump_validation_outcome *simulated = &run->outcomes[CLUMP_VALIDATION_SIMULATED];
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
        [SIMULATED] = simulated->predicted,
        [SIMULATED_HALF_WIDTH] = simulated->predicted_half_width,
        [SIMULATED_ERROR] = simulated->error,
        [SIMULATED_EVENTS] = isfinite(simulated->error) ? run->simulation.events : NAN,
        [SIMULATED_REPLICATIONS] =
            isfinite(simulated->error) ? (double)run->simulation.replications : NAN,
    };
    if (column <= TRAFFIC || column == PREDICTED_SHOWN || column == MEASURED_SHOWN ||
        column == SIMULATED_SHOWN)
        prediction_text(l, column, cell);
    else
        cell_real(cell, reals[column]);
}

/* ---- errors ---- */

static const table_column error_columns[] = {
    {"dataset", "Data set", 0, FOLD_ALWAYS, COLUMN_LEFT},
    {"variant", "Variant", 0, 0, COLUMN_LEFT},
    {"count", "Runs", 0, 0, COLUMN_RIGHT},
    {"mean_absolute_error", "Mean |error|", NUMBER_PERCENT, 0, COLUMN_RIGHT},
    {"greatest_error", "Greatest", NUMBER_PERCENT, 0, COLUMN_RIGHT},
    {"bias", "Bias", NUMBER_SIGNED, 0, COLUMN_RIGHT},
    {"meaning", NULL, 0, 0, COLUMN_LEFT},
};

static void error_cell(const void *context, size_t row, size_t column, table_cell *cell)
{
    const validation_line *l = (const validation_line *)context + row;
    const double reals[] = {l->sum.mean_absolute, l->sum.greatest, l->sum.bias};
    if (column == 0)
        cell_text(cell, l->run->dataset);
    else if (column == 1)
        cell_text(cell, variant_name(l->variant));
    else if (column == 2)
        cell_size(cell, l->sum.count);
    else if (column < 6)
        cell_real(cell, reals[column - 3]);
    else
        cell_text(cell, variant_meaning(l->variant));
}

/* ---- what was not predicted ---- */

static const table_column problem_columns[] = {
    {"dataset", "Data set", 0, FOLD_ROWS, COLUMN_LEFT},
    {"application", "Application", 0, 0, COLUMN_LEFT},
    {"platform", "Platform", 0, 0, COLUMN_LEFT},
    {"layer", "Layer", 0, 0, COLUMN_LEFT},
    {"problem", "Not predicted because", 0, 0, COLUMN_PROSE},
};

static const table_column unsimulated_columns[] = {
    {"dataset", "Data set", 0, FOLD_ROWS, COLUMN_LEFT},
    {"application", "Application", 0, 0, COLUMN_LEFT},
    {"platform", "Platform", 0, 0, COLUMN_LEFT},
    {"layer", "Layer", 0, 0, COLUMN_LEFT},
    {"problem", "Not simulated because", 0, 0, COLUMN_PROSE},
};

static void problem_cell(const void *context, size_t row, size_t column, table_cell *cell)
{
    const clump_validation_run *run = ((const validation_line *)context)[row].run;
    const char *const texts[] = {run->dataset, run->application, run->platform, run->layer,
                                 run->problem != NULL ? run->problem : run->simulation.problem};
    cell_text(cell, texts[column]);
}

/* ---- rows ---- */

table_rows validation_predictions(const validation_line *lines, size_t count, bool simulated)
{
    return (table_rows){.key = "predictions",
                        .columns = prediction_columns,
                        .column_count = simulated ? PREDICTION_COLUMNS : MODEL_COLUMNS,
                        .row_count = count,
                        .cell = prediction_cell,
                        .context = lines};
}

table_rows validation_errors(const validation_line *lines, size_t count)
{
    return (table_rows){.key = "errors",
                        .columns = error_columns,
                        .column_count = sizeof error_columns / sizeof *error_columns,
                        .row_count = count,
                        .cell = error_cell,
                        .context = lines};
}

table_rows validation_problems(const validation_line *lines, size_t count)
{
    return (table_rows){.key = "not_predicted",
                        .columns = problem_columns,
                        .column_count = sizeof problem_columns / sizeof *problem_columns,
                        .row_count = count,
                        .cell = problem_cell,
                        .context = lines};
}

table_rows validation_unsimulated(const validation_line *lines, size_t count)
{
    return (table_rows){.key = "not_simulated",
                        .columns = unsimulated_columns,
                        .column_count = sizeof unsimulated_columns / sizeof *unsimulated_columns,
                        .row_count = count,
                        .cell = problem_cell,
                        .context = lines};
}
