/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef RESULT_NETWORKS_H
#define RESULT_NETWORKS_H

#include "model/result.h"

/* --explain: a table of the networks of results, with what they lose and what that makes of their
 * LogGP parameters. Both return an exit code. */

/** Complains if none of these rows has a network whose protocol is known. */
int result_networks_check(const char *command, const clump_result *results, size_t count);

int result_networks_print(const clump_result *results, size_t count);

#endif
