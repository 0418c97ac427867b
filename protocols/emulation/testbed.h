/* SPDX-License-Identifier: GPL-3.0-or-later */
/**
 * Namespaces without a name, and veth pairs between them that are as fast as a NIC.
 */
#ifndef CLUMP_PROTOCOLS_EMULATION_TESTBED_H
#define CLUMP_PROTOCOLS_EMULATION_TESTBED_H

#include "protocols/emulation/emulation_plan.h"
#include "protocols/protocol_status.h"

#include <netinet/in.h>

enum { CLUMP_EMULATION_MOST_NODES = CLUMP_EMULATION_MOST_PROCESSORS + 1 };

/**
 * Node 0 is the Clump's; 1 to P are the NOW's. The descriptors are namespaces, which live while
 * these are open or a process is in them.
 */
struct clump_emulation_testbed {
    int far; /**< where all NICs lead to */
    int nodes[CLUMP_EMULATION_MOST_NODES];
    unsigned node_count;
};

/**
 * Make all of the plan's. The calling process, of one thread, is in a network namespace of its own,
 * which becomes the far one. What was made goes when the process ends.
 */
clump_protocol_status clump_emulation_testbed_make(struct clump_emulation_testbed *testbed,
                                                   const clump_emulation_plan *plan, char *message);

/** Address of the far end of a NIC, from 0, of a node. */
struct sockaddr_in clump_emulation_far_address(unsigned node, unsigned nic, uint16_t port);

/** SO_PRIORITY of a processor's packets. */
int clump_emulation_class(const clump_emulation_plan *plan, unsigned processor);

#endif
