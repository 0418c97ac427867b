/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef CLUMP_CLI_RECOMMEND_WORKLOAD_H
#define CLUMP_CLI_RECOMMEND_WORKLOAD_H

/* `recommend --workload`: the programs of a machine, and what the year's work takes and costs with other numbers of NICs. */

#include "cli/recommend_share.h"

/**
 * @param path  of the CSV file: program, share, mpi_share, and as far as known waiting, nic_busy or bytes_per_second, source
 * @param page  to be written for printing, or NULL
 * Complains itself. @return exit code
 */
int recommend_workload_answer(const command_invocation *invocation, const recommend_share *asked,
                              const clump_node *node, const char *path, const char *page);

#endif
