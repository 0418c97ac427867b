/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef CLUMP_SCENARIOS_NODE_FILE_H
#define CLUMP_SCENARIOS_NODE_FILE_H

/*
 * platform { topology = ... }: what a platform has, from a description of its node (topology/read_topology.h). From it come,
 * unless the script gives them: processors, nics, max_nics_per_processor, placement, and the G of both networks; and
 * what NCCL runs on (nccl_node.h). Other links that limit what processors send are no station of the engine: a
 * line tells how much they take.
 */

#include "scenarios/objects.h"

/** Fill in what the file says, if the table has the field. */
void scenario_node_file_field(scenario_table table, const char *key, scenario_platform *platform);

#endif
