/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef CLUMP_TOPOLOGY_NCCL_NODE_H
#define CLUMP_TOPOLOGY_NCCL_NODE_H

/* A node of GPUs as NCCL counts its links (model/workload/nccl.h). */

#include "model/workload/nccl.h"
#include "topology/node_tree.h"

/**
 * @param nodes  how many there are
 * @param gpu    "volta" or "ampere", where the file does not say it (hwloc, nvidia-smi); NULL: not told
 *
 * Within the node messages take NVLink if every GPU has some, at the rate of the GPU that has least; else PCIe, at the
 * rate of the slowest link of a GPU.
 * Errors: CLUMP_BAD_ARGUMENT for cores, AMD's GPUs, GPUs of whose generation NCCL's constants are not known here,
 * and where the speed of NICs or links is not known.
 */
clump_status clump_topology_nccl(const clump_topology *topology, double nodes, const char *gpu,
                                 clump_nccl_node *node, clump_error *error);

#endif
