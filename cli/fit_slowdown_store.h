/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef FIT_SLOWDOWN_STORE_H
#define FIT_SLOWDOWN_STORE_H

#include "cli/fit_slowdown_output.h"

/** Store the result under the name of --name, all of it or nothing; does nothing without that
 *  option. Complains itself and returns the exit code. */
int fit_slowdown_keep(const command_invocation *invocation, const fit_slowdown_answer *answer);

#endif
