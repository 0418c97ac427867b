/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef CLUMP_CLI_VALIDATION_VALIDATION_FROZEN_H
#define CLUMP_CLI_VALIDATION_VALIDATION_FROZEN_H

/* `validate --freeze` and `validate --frozen`. */

#include "cli/command.h"

/**
 * Predict what is not measured yet, keep it under `name`, and show it.
 * @param fitted  constants that are fitted, or NULL
 * @return the exit code
 */
int validation_freeze(const command_invocation *invocation, const char *name, const bool *fitted);

/**
 * Show what was kept beside what was measured since.
 * @param max_error, max_mean_error  percent; more is a failure. INFINITY: no limit
 */
int validation_judge_frozen(const command_invocation *invocation, const char *name,
                            const bool *fitted, double max_error, double max_mean_error);

#endif
