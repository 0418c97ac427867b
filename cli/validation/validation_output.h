/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef CLUMP_CLI_VALIDATION_VALIDATION_OUTPUT_H
#define CLUMP_CLI_VALIDATION_VALIDATION_OUTPUT_H

/* Predicted beside measured times, and the errors of each variant of the model. */

#include "cli/output/output.h"
#include "cli/pictures/plot_options.h"
#include "fitting/validation/validation.h"

/**
 * @param variants   those whose predictions are listed, one at least
 * @param simulated  the runs were simulated, which is shown beside the predictions
 * @param reasons    say of every time why it is not predicted; else of the user's own
 * @return the exit code. Tables and JSON have the predictions, the errors by data set and variant,
 *         and what was not predicted; CSV has the predictions.
 */
int validation_print(output_format format, const clump_validation *validation,
                     const bool variants[CLUMP_VALIDATION_VARIANTS], bool simulated, bool reasons);

/** Errors that are held against --max-error and --max-mean-error, percent; INFINITY: no limit. */
typedef struct validation_limits {
    const char *command;
    double max_error, max_mean_error;
    int status;      /**< starts as EXIT_DONE */
    double greatest; /**< the greatest error beyond the limit so far; starts as 0 */
    char worst[300]; /**< whose it is */
} validation_limits;

bool validation_limits_given(const validation_limits *limits);

/** Complain of a mean absolute error that is beyond its limit; of whom, printf says: "set 'a': ". NAN is within. */
#if defined(__GNUC__)
__attribute__((format(printf, 3, 4)))
#endif
void
validation_limits_mean(validation_limits *limits, double mean, const char *format, ...);

/** Remember an error, whose it is, if it is the greatest beyond its limit: "'a' on 'b'". */
#if defined(__GNUC__)
__attribute__((format(printf, 3, 4)))
#endif
void
validation_limits_error(validation_limits *limits, double error, const char *format, ...);

/** Complain of the greatest. @return the exit code */
int validation_limits_end(const validation_limits *limits);

/** Columns of the two numbers that stand at their offset: ends of an interval, "2.78 to 3.84"; a time and half the width of
 *  its interval, "3.356 ± 0.044". What is not known is left out. */
void validation_make_range(const table_column *column, const void *record, table_cell *cell);
void validation_make_interval(const table_column *column, const void *record, table_cell *cell);

#define VALIDATION_RANGE(record, member)                                                           \
    .offset = offsetof(record, member), .make_with = validation_make_range, .layout = COLUMN_RIGHT
#define VALIDATION_INTERVAL(record, member)                                                        \
    .offset = offsetof(record, member), .make_with = validation_make_interval,                     \
    .layout = COLUMN_RIGHT

/** Print a table for each part of the rows that follow each other and belong together, and a blank line behind it.
 *  @return the exit code */
int validation_print_groups(const table_rows *rows, bool (*together)(const void *, const void *));

/**
 * Draw predicted against measured times, and slowdowns of each run beside what was measured, as
 * asked for; complains itself.
 *
 * @param variants  those whose predictions are drawn, one at least
 * @return exit code
 */
int validation_draw(const plot_request *request, const clump_validation *validation,
                    const bool variants[CLUMP_VALIDATION_VARIANTS]);

#endif
