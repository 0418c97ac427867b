/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef CLUMP_CLI_FIT_SLOWDOWN_STORE_H
#define CLUMP_CLI_FIT_SLOWDOWN_STORE_H

#include "cli/fit_slowdown_output.h"

/** Store the result under the name of --name, all of it or nothing; does nothing without that
 *  option. Complains itself and returns the exit code. */
int clump_cli_fit_slowdown_keep(const clump_cli_invocation *invocation,
                                const clump_cli_fit_slowdown_answer *answer);

#endif
