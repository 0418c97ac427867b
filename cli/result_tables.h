/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef CLUMP_CLI_RESULT_TABLES_H
#define CLUMP_CLI_RESULT_TABLES_H

/*
 * Results of scenarios for eyes: a table for each scenario, and how far predictions are off.
 */

#include "scenarios/result.h"

/** Returns the exit code. */
int clump_cli_result_tables_print(const clump_result *results, size_t count);

/** Mean of |error| over the rows that have one; NAN if none has. */
double clump_cli_result_mean_error(const clump_result *results, size_t count);

#endif
