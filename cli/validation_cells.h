/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef CLUMP_CLI_VALIDATION_CELLS_H
#define CLUMP_CLI_VALIDATION_CELLS_H

/* The columns of `validate`, and so its JSON keys and CSV headings. */

#include "cli/cells.h"
#include "fitting/validation.h"

/** A run and a variant; for errors only the data set of the run matters. */
typedef struct clump_cli_validation_line {
    const clump_validation_run *run;
    size_t variant; /**< CLUMP_VALIDATION_VARIANTS: chosen by the other runs */
    clump_validation_summary sum;
} clump_cli_validation_line;

/** Rows that show `count` lines, which must outlive them. */
clump_cli_rows clump_cli_validation_predictions(const clump_cli_validation_line *lines,
                                                size_t count);
clump_cli_rows clump_cli_validation_errors(const clump_cli_validation_line *lines, size_t count);
clump_cli_rows clump_cli_validation_problems(const clump_cli_validation_line *lines, size_t count);

#endif
