/* SPDX-License-Identifier: GPL-3.0-or-later */
/** A UDP socket as a link: it never blocks, and moves batches in one system call where it can. */
#ifndef CLUMP_PROTOCOLS_NETWORK_UDP_H
#define CLUMP_PROTOCOLS_NETWORK_UDP_H

#include "protocols/network/datagram_link.h"
#include "protocols/protocol_status.h"

#include <stdbool.h>

enum { CLUMP_UDP_TEXT = 64, CLUMP_UDP_MESSAGE = 256, CLUMP_UDP_INTERFACES = 16 };

typedef struct clump_udp clump_udp;

typedef struct clump_udp_counters {
    uint64_t oversized; /**< datagrams that were larger than any of ours, and dropped */
    uint64_t empty;     /**< datagrams without a byte, which only wake who sleeps */
} clump_udp_counters;

/**
 * Open a socket on HOST:PORT, [HOST]:PORT for IPv6; port 0: any. NULL: 127.0.0.1:0, which only
 * processes of this machine reach. BAD_INPUT, IN_USE or FAILED with a message.
 */
clump_protocol_status clump_udp_open(const char *where, clump_udp **udp,
                                     char message[CLUMP_UDP_MESSAGE]);
void clump_udp_close(clump_udp *udp);

clump_datagram_link clump_udp_link(clump_udp *udp);

/**
 * From now on datagrams leave through these interfaces of the machine, one after the other, whatever
 * its routes prefer: through `count` NICs, each carries the same number. 0: as the system routes them.
 * @return false: more than CLUMP_UDP_INTERFACES, or no IPv4 socket
 */
bool clump_udp_spread(clump_udp *udp, const unsigned *interfaces, unsigned count);

/** HOST:PORT of an address, in digits. */
void clump_udp_text(const clump_address *address, char text[CLUMP_UDP_TEXT]);

/** Where it listens, as text that clump_udp_resolve() reads. */
void clump_udp_name(const clump_udp *udp, char text[CLUMP_UDP_TEXT]);

/** The address of HOST:PORT for this socket. May ask a name server, and block. */
clump_protocol_status clump_udp_resolve(const clump_udp *udp, const char *where,
                                        clump_address *address, char message[CLUMP_UDP_MESSAGE]);

/** Sleep until something arrives, at most `timeout_ns`. @return whether something is there */
bool clump_udp_wait(const clump_udp *udp, uint64_t timeout_ns);

clump_udp_counters clump_udp_count(const clump_udp *udp);

#endif
