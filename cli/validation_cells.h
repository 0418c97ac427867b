/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef CLUMP_CLI_VALIDATION_CELLS_H
#define CLUMP_CLI_VALIDATION_CELLS_H

/* The columns of `validate`, and so its JSON keys and CSV headings. */

#include "cli/cells.h"
#include "fitting/validation.h"

/** Each run with the variant that is best on the others. */
#define CLUMP_CLI_VALIDATION_CHOSEN ((size_t)CLUMP_VALIDATION_SIMULATED + 1)

/** A run and a variant; for errors only the data set of the run matters. */
typedef struct clump_cli_validation_line {
    const clump_validation_run *run;
    size_t variant; /**< or CLUMP_VALIDATION_SIMULATED, or CLUMP_CLI_VALIDATION_CHOSEN */
    clump_validation_summary sum;
} clump_cli_validation_line;

/**
 * Rows that show `count` lines, which must outlive them.
 *
 * @param simulated  what the simulation says stands beside the model
 */
clump_cli_rows clump_cli_validation_predictions(const clump_cli_validation_line *lines,
                                                size_t count, bool simulated);
clump_cli_rows clump_cli_validation_errors(const clump_cli_validation_line *lines, size_t count);
clump_cli_rows clump_cli_validation_problems(const clump_cli_validation_line *lines, size_t count);
/** Why runs that the model predicts are not simulated. */
clump_cli_rows clump_cli_validation_unsimulated(const clump_cli_validation_line *lines,
                                                size_t count);

#endif
