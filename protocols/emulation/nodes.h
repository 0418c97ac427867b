/* SPDX-License-Identifier: GPL-3.0-or-later */
/**
 * Nodes on which programs can run: namespaces with a host name, NICs whose rate token buckets limit in
 * both directions, and a network of bridges that limits nothing.
 *
 * NIC r of every node is on network r, 10.(100+r).0.0/16; the address of node k, from 0, ends in k + 1.
 * With `datagrams` the node itself is 10.98.0.(k+1), by which others reach it through each of its NICs.
 * What starts programs uses a network of its own, 10.99.0.0/16, which has no limit.
 */
#ifndef CLUMP_PROTOCOLS_EMULATION_NODES_H
#define CLUMP_PROTOCOLS_EMULATION_NODES_H

#include "protocols/protocol_status.h"

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

enum {
    CLUMP_NODES_MOST = 64,
    CLUMP_NODES_MOST_NICS = 16,
    CLUMP_NODES_NAME = 16,
    CLUMP_NODES_TCP_HEADERS = 66 /**< of a packet: an acknowledgement costs nothing */
};

struct clump_nodes_plan {
    unsigned nodes, nics;   /**< NICs of a node */
    double bits_per_second; /**< of a NIC */
    /** The programs send datagrams: these count whole, a NIC that was idle sends one packet and no
     *  more before its rate holds, and a node has an address whatever the NIC. Else what TCP carries
     *  counts, without headers, and a NIC that was idle sends 3 kB. */
    bool datagrams;
};

struct clump_nodes {
    unsigned count;
    /** A process that does nothing, whose namespaces are the node. */
    pid_t holder[CLUMP_NODES_MOST];
};

/** "node1" for node 0. */
void clump_nodes_name(unsigned node, char name[CLUMP_NODES_NAME]);

/** Address of a node, whichever of its NICs carries the packets, as text; and the name of a NIC. */
void clump_nodes_address(unsigned node, char address[CLUMP_NODES_NAME]);
void clump_nodes_nic(unsigned nic, char name[CLUMP_NODES_NAME]);

/** Put the calling process, of one thread, into the network of a node. */
bool clump_nodes_enter(const struct clump_nodes *nodes, unsigned node);

/** What a node's NICs have done. */
struct clump_nodes_traffic {
    uint64_t bytes[CLUMP_NODES_MOST_NICS]; /**< sent, with all headers */
    uint64_t packets[CLUMP_NODES_MOST_NICS];
    uint64_t retransmitted; /**< segments of TCP, all NICs */
};

/**
 * Make the nodes as children of the calling process, which must be in a network namespace of its own:
 * bridges and the far ends of NICs are made there. They end with it. `message`: 256 bytes.
 */
clump_protocol_status clump_nodes_make(struct clump_nodes *nodes,
                                       const struct clump_nodes_plan *plan, char *message);

/**
 * Bytes a second that TCP carries from node 0 to node 1 over their first NICs, once it is under way; 0 if
 * that failed. Takes `seconds`.
 */
double clump_nodes_measure_rate(const struct clump_nodes *nodes,
                                const struct clump_nodes_plan *plan, double seconds);

/** The same of the node in whose network the calling process is, without what was retransmitted. */
void clump_nodes_read_own_traffic(struct clump_nodes_traffic *traffic);

void clump_nodes_read_traffic(const struct clump_nodes *nodes, unsigned node,
                              struct clump_nodes_traffic *traffic);

#endif
