/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef CLUMP_CLI_TOPOLOGY_TOPOLOGY_FILE_H
#define CLUMP_CLI_TOPOLOGY_TOPOLOGY_FILE_H

#include "topology/read_topology.h"

/** Read a description of a node; NULL: of this machine. Complains in the name of the command; returns the exit code. */
int topology_file_read(const char *command, const char *path, const clump_topology_rules *rules,
                       const clump_topology_choice *choice, clump_topology *topology);

#endif
