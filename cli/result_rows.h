/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef CLUMP_CLI_RESULT_ROWS_H
#define CLUMP_CLI_RESULT_ROWS_H

/*
 * Results of the model as rows: the columns, and so the JSON keys and CSV headings, that
 * `slowdown` and `predict` share.
 */

#include "cli/cells.h"
#include "scenarios/result.h"

/** `results` must outlive the rows. */
clump_cli_rows clump_cli_result_rows(const clump_result *results, size_t count);

/** "0.2% longer than the NOW", "as long as the NOW"; what follows "takes". */
#define CLUMP_CLI_VERDICT_SIZE 80
const char *clump_cli_result_verdict(double slowdown, char text[CLUMP_CLI_VERDICT_SIZE]);

#endif
