/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef VALIDATION_ROWS_H
#define VALIDATION_ROWS_H

/* Predicted beside measured times, and the errors of each variant of the model. */

#include "cli/output/output.h"
#include "fitting/validation/validation.h"

/**
 * @param variants   those whose predictions are listed, one at least
 * @param simulated  the runs were simulated, which is shown beside the predictions
 * @return the exit code. Tables and JSON have the predictions, the errors by data set and variant,
 *         and what was not predicted; CSV has the predictions.
 */
int validation_print(output_format format, const clump_validation *validation,
                     const bool variants[CLUMP_VALIDATION_VARIANTS], bool simulated);

#endif
