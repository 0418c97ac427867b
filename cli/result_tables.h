/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef RESULT_TABLES_H
#define RESULT_TABLES_H

/*
 * Results of scenarios for eyes: a table for each scenario, and how far predictions are off.
 */

#include "model/result.h"

/** Returns the exit code. */
int result_tables_print(const clump_result *results, size_t count);

/** Mean of |error| over the rows that have one; NAN if none has. */
double result_mean_error(const clump_result *results, size_t count);

#endif
