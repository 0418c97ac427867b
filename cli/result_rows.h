/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef RESULT_ROWS_H
#define RESULT_ROWS_H

/*
 * Results of the model as rows: the columns, and so the JSON keys and CSV headings, that
 * `slowdown` and `predict` share.
 */

#include "cli/output/cells.h"
#include "model/result.h"

/** `results` must outlive the rows. */
table_rows result_rows(const clump_result *results, size_t count);

/** "0.2% longer than the NOW", "as long as the NOW"; what follows "takes". */
#define VERDICT_SIZE 80
const char *result_verdict(double slowdown, char text[VERDICT_SIZE]);

#endif
