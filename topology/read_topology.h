/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef CLUMP_TOPOLOGY_READ_TOPOLOGY_H
#define CLUMP_TOPOLOGY_READ_TOPOLOGY_H

/*
 * Descriptions of nodes into trees. The format is told from what the text says:
 *
 *   hwloc       XML of lstopo, versions 1 to 3, exported with I/O devices
 *   NCCL, RCCL  XML that NCCL_TOPO_DUMP_FILE writes and NCCL_TOPO_FILE names
 *   nvidia-smi  the matrix of `nvidia-smi topo -m` (not that of rocm-smi)
 *
 * Of the machine that this runs on libhwloc writes the same XML.
 */

#include "topology/node_tree.h"

/**
 * Read a description, and finish the tree (node_tree.h).
 *
 * @param topology  to be freed with clump_topology_free; zeroed if it fails
 * Errors: CLUMP_BAD_ARGUMENT says where the text is wrong or what the node lacks; CLUMP_NO_MEMORY.
 */
clump_status clump_topology_read(const char *bytes, size_t size, const clump_topology_rules *rules,
                                 const clump_topology_choice *choice, clump_topology *topology,
                                 clump_error *error);

/** The same of the machine that it runs on. Errors: also where the system tells nothing. */
clump_status clump_topology_read_machine(const clump_topology_rules *rules,
                                         const clump_topology_choice *choice,
                                         clump_topology *topology, clump_error *error);

#endif
