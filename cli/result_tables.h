/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef CLUMP_CLI_RESULT_TABLES_H
#define CLUMP_CLI_RESULT_TABLES_H

/*
 * Results of scenarios for eyes: a table for each scenario, and how far predictions are off.
 */

#include "exploring/inputs.h"

/** What the intervals of rows make of uncertain inputs. */
typedef struct result_inputs {
    bool drawn; /**< they were drawn */
    bool exact; /**< nobody wanted to know (--inputs none) */
    clump_inputs_told told;
} result_inputs;

/** Returns the exit code. */
int result_tables_print(const char *command, const clump_result *results, size_t count,
                        const result_inputs *inputs, bool details);

/** "Not predicted:" and why, below a table; nothing if all rows were predicted. Records begin with a
 *  clump_result. Returns the exit code. */
int result_refusals_print(const char *command, const void *records, size_t record_size,
                          size_t count);

/** Says below a table of such results what the interval is; nothing if no row has one. Records begin
 *  with a clump_result. */
void result_interval_explain(const void *records, size_t record_size, size_t count,
                             const result_inputs *inputs);

/** A table of the networks of which a protocol is known, with what they lose and what that makes of their LogGP
 *  parameters; nothing if there are none. Returns the exit code. */
int result_networks_print(const clump_result *results, size_t count);

#endif
