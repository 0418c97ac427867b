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
