/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef VALIDATION_CELLS_H
#define VALIDATION_CELLS_H

/* The columns of `validate`, and so its JSON keys and CSV headings. */

#include "cli/output/cells.h"
#include "fitting/validation/validation.h"

/** Each run with the variant that is best on the others. */
#define VALIDATION_CHOSEN ((size_t)CLUMP_VALIDATION_SIMULATED + 1)

/** A run and a variant; for errors only the data set of the run matters. */
typedef struct validation_line {
    const clump_validation_run *run;
    size_t variant; /**< or CLUMP_VALIDATION_SIMULATED, or VALIDATION_CHOSEN */
    clump_validation_summary sum;
} validation_line;

/**
 * Rows that show `count` lines, which must outlive them.
 *
 * @param simulated  what the simulation says stands beside the model
 */
table_rows validation_predictions(const validation_line *lines, size_t count, bool simulated);
table_rows validation_errors(const validation_line *lines, size_t count);
table_rows validation_problems(const validation_line *lines, size_t count);
/** Why runs that the model predicts are not simulated. */
table_rows validation_unsimulated(const validation_line *lines, size_t count);

#endif
