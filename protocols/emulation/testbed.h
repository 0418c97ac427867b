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
    bool user_namespace; /**< the calling process had to become root in one of its own */
};

/**
 * Put the calling process, of one thread, into new namespaces (CLONE_NEW...): as it is, or as root of a
 * new user namespace, which forgets PR_SET_PDEATHSIG.
 */
clump_protocol_status clump_emulation_unshare(int namespaces, bool *user_namespace, char *message);

/** Only whether that is allowed: puts the calling process into a network namespace of its own. */
clump_protocol_status clump_emulation_testbed_enter(struct clump_emulation_testbed *testbed,
                                                    char *message);

/**
 * Put the calling process, of one thread, into new namespaces, and make all of the plan's there.
 * Ends in the far one. What was made goes when the process ends.
 */
clump_protocol_status clump_emulation_testbed_make(struct clump_emulation_testbed *testbed,
                                                   const clump_emulation_plan *plan, char *message);

/** Address of the far end of a NIC, from 0, of a node. */
struct sockaddr_in clump_emulation_far_address(unsigned node, unsigned nic, uint16_t port);

/** SO_PRIORITY of a processor's packets. */
int clump_emulation_class(const clump_emulation_plan *plan, unsigned processor);

#endif
