/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef CLUMP_SCENARIOS_NODE_FILE_H
#define CLUMP_SCENARIOS_NODE_FILE_H

/*
 * What a platform has, from a description of its node (topology/read_topology.h):
 *
 *   platform { topology = "node.xml" }     a file, from the folder of the script
 *   platform { topology = {
 *       file =
 *       nics            { "mlx5_0", ... }: those that are used
 *       cores = true    cores communicate, although there are GPUs
 *       nic_speed       1e9 bits a second, of NICs of which the file has none
 *       gpu             "volta" or "ampere", for algorithm = "nccl", where the file does not say it } }
 *
 * From it come, unless the script gives them:
 *   processors, nics
 *   max_nics_per_processor    what the link of a processor carries, in NICs
 *   placement                 ports of cards that share a slot
 *   G of network              what a NIC leaves to data
 *   G of shared_memory        links between GPUs: NVLink, XGMI, else PCIe
 * and what NCCL runs on (nccl_node.h). Other links that limit what processors send are no station of the engine: a
 * line tells how much they take.
 */

#include "scenarios/objects.h"

/** Fill in what the file says, if the table has the field. */
void scenario_node_file_field(scenario_table table, const char *key, scenario_platform *platform);

#endif
