/* SPDX-License-Identifier: GPL-3.0-or-later */
/**
 * The sockets of one UDP address, and which of them a look reads. One, number 0, takes what comes
 * from anybody. A peer with which there is a session gets a socket of its own beside it, with the
 * same address and port, and connected: the system hands it what that peer sends, and sends through
 * it without looking for the route each time. Only where it can (Linux), and for the first
 * CLUMP_WAYS - 1 peers: before Linux 6.13 the system goes through all sockets of a port for each
 * datagram.
 *
 * The socket from which datagrams come one look after the other is the favourite: each look reads
 * it. The others are watched by one system call for all, which costs half of a read in vain;
 * watching a socket costs its sender more, so the favourite is not watched. After some looks in
 * vain it is, or when others bring something instead.
 */
#ifndef CLUMP_PROTOCOLS_NETWORK_WAYS_H
#define CLUMP_PROTOCOLS_NETWORK_WAYS_H

#include "protocols/network/datagram_link.h"

#include <stdbool.h>

enum { CLUMP_WAYS = 17 };

struct clump_way {
    int file;           /**< -1: none */
    clump_address peer; /**< whose it is; nobody's in way 0 */
    unsigned uses;      /**< joined and not left */
    unsigned farewell;  /**< looks at it since it was left */
    bool young;         /**< may hold what others sent before it was connected */
    bool watched;
    unsigned streak; /**< looks in a row at which something came */
    unsigned needed; /**< of these before several are asked for */
};

struct clump_ways {
    struct clump_way all[CLUMP_WAYS];
    unsigned count;   /**< of places, up to the last one in use */
    unsigned leaving; /**< ways without use that are still open */
    int watch; /**< readable when a watched socket is; -1: there is only way 0, not watched */
    unsigned favourite; /**< CLUMP_WAYS: none */
    unsigned vain;      /**< looks at it in vain since something came from it */
    unsigned missed;    /**< times that others brought something meanwhile */
    unsigned last, run; /**< where something came last, and for how many looks */
};

/** Begin with way 0, which is `file`; closed with the ways. */
void clump_ways_open(struct clump_ways *ways, int file);
void clump_ways_close(struct clump_ways *ways);

/** The way of this peer, as of now or before. @return 0: it has none of its own */
unsigned clump_ways_join(struct clump_ways *ways, const clump_address *peer);
/** Takes back one join of the way; what has arrived there is still received. */
void clump_ways_leave(struct clump_ways *ways, unsigned way);

/** Whether datagrams to this address can leave through the way, other than 0. */
bool clump_ways_leads(const struct clump_ways *ways, unsigned way, const clump_address *peer);

/** Something can be read from some watched ways: which. One system call. @return how many */
unsigned clump_ways_ask(const struct clump_ways *ways, unsigned ready[CLUMP_WAYS]);

/** A look read this way, and something was there or not. */
void clump_ways_looked(struct clump_ways *ways, unsigned way, bool something);

#endif
