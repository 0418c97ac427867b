/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef CLUMP_TOPOLOGY_READ_FORMATS_H
#define CLUMP_TOPOLOGY_READ_FORMATS_H

/* Internal to topology/: one function a format. They add parts, and do not finish the tree. */

#include "topology/node_tree.h"

#include <libxml/tree.h>

/** `root` is <topology>. */
clump_status topology_read_hwloc(const xmlNode *root, clump_topology *topology, clump_error *error);

/** `root` is <system>. */
clump_status topology_read_nccl(const xmlNode *root, clump_topology *topology, clump_error *error);

/** No part is added where the text has not the heading of such a matrix. */
clump_status topology_read_nvidia_smi(const char *bytes, size_t size, clump_topology *topology,
                                      clump_error *error);

/** What a PCI class such as 0x0302 is: a GPU, a NIC, a bridge, or CLUMP_PART_MACHINE for none of these.
 *  Screens (0x0300) are none. */
clump_part_kind topology_pci_kind(unsigned long class_code);

#endif
