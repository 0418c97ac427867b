/* SPDX-License-Identifier: GPL-3.0-or-later */
/**
 * The packet layer of the LCI family (cluster-protocols.txt, sections 4 and 5): one node that sends
 * packets to others, in order and without overrunning them, along trees to all of them, and that
 * keeps a fetch-and-add variable. It does no I/O and reads no clock.
 *
 *   open -> { send | multicast | fetch_add | receive | transmit | next | release | forward } ->
 * close
 *
 * Two reliability schemes, after the same pattern of windows, piggybacked and half-window
 * acknowledgements:
 *
 *   credits      (l-sdma, l-pio, l-rcpy; section 4.1) for links that lose nothing. A window is a
 *                right to `window` receive buffers; the acknowledgement says that buffers were
 *                released. A missing packet cannot be repaired: the link is declared broken.
 *   retransmit   (l-hrx, l-nirx; section 5.1) go-back-N, delayed acknowledgements, send buffers
 *                held until acknowledged. All senders share one pool of receive buffers; when it
 *                is empty packets are dropped, and with `request_again` (l-nirx) asked for again
 *                once a buffer is free.
 *
 * Whether the node stands for the program of the NIC or of the host is the caller's affair.
 * Every step also counts the words of protocol state that it touches (clump_lci_work), from which
 * virtual time makes processor time.
 *
 * Restarts: each packet names the incarnation of both ends. HELLO packets tell them before the
 * first data; packets from or for an earlier incarnation are refused. When the other end turns out
 * to be a new process, packets on their way to the old one are given up and counted in `lost`.
 *
 * A node serves one thread at a time. All nodes of a system must be opened with the same `nodes`,
 * `mtu`, `window`, `retransmit`, `tree` and `first_sequence`.
 */
#ifndef CLUMP_PROTOCOLS_RELIABILITY_LCI_H
#define CLUMP_PROTOCOLS_RELIABILITY_LCI_H

#include "protocols/protocol_status.h"
#include "protocols/reliability/packet.h"
#include "protocols/reliability/tree.h"

#define CLUMP_LCI_NEVER UINT64_MAX

typedef struct clump_lci clump_lci;

typedef struct clump_lci_options {
    uint16_t nodes, self; /**< 2 to 1024; below `nodes` */
    uint16_t mtu;         /**< payload of a packet, 64 to 4104 bytes */
    uint16_t window;      /**< packets without acknowledgement per peer, 1 to 4096 */
    bool retransmit;      /**< false: credits */
    bool request_again;   /**< with retransmit: ask for what was dropped for lack of buffers */
    bool forward;         /**< pass multicasts on as they arrive; false: clump_lci_forward() */
    clump_tree tree;
    uint16_t send_buffers;    /**< at least 1 */
    uint32_t receive_buffers; /**< at least 1; with credits at least window (nodes - 1) */
    uint64_t timeout_ns;      /**< until packets are sent again, at least 1 */
    uint64_t timeout_most_ns; /**< the timeout doubles up to this while nothing is acknowledged */
    uint64_t acknowledge_ns;  /**< until an acknowledgement is sent by itself (retransmit) */
    uint32_t incarnation;     /**< of this process, at least 1, grows with each start */
    uint16_t first_sequence;
} clump_lci_options;

typedef struct clump_lci_counters {
    uint64_t sent;         /**< packets with data, transmitted for the first time */
    uint64_t resent;       /**< and again */
    uint64_t acknowledged; /**< packets that only acknowledge, transmitted */
    uint64_t again;        /**< requests to send again, transmitted */
    uint64_t hellos;       /**< transmitted */
    uint64_t accepted;     /**< packets with data that were taken */
    uint64_t multicasts;   /**< of them those of multicasts */
    uint64_t bytes;        /**< their data, without headers */
    uint64_t duplicates;   /**< that had been taken before */
    uint64_t out_of_order; /**< that came too early, and were dropped */
    uint64_t no_buffer;    /**< dropped for lack of a buffer */
    uint64_t refused;      /**< damaged, hostile, or of another incarnation */
    uint64_t lost;         /**< given up because the other end restarted */
    uint64_t restarts;     /**< of other ends, seen */
    uint64_t broken;       /**< links on which a packet is missing (credits) */
    uint64_t timeouts;
    uint64_t most_receive_buffers, most_send_buffers; /**< in use at once */
} clump_lci_counters;

/** A packet on its way to the application; its buffer is held until clump_lci_release(). */
typedef struct clump_lci_delivery {
    uint32_t buffer;
    uint16_t source; /**< that handed it over; of a multicast the parent */
    uint16_t origin; /**< that sent it first */
    uint16_t tag, size;
    uint8_t content, flags;
    const unsigned char *data;
} clump_lci_delivery;

/** What to send. */
typedef struct clump_lci_message {
    uint8_t content; /**< CLUMP_CONTENT_USER or CLUMP_CONTENT_COPY */
    uint8_t flags;   /**< CLUMP_PACKET_FIRST, CLUMP_PACKET_LAST */
    uint16_t tag, size;
    const void *data;
} clump_lci_message;

/** @return OK, BAD_INPUT or FAILED (no memory); *lci is written only if OK. Memory:
 *  (send_buffers + receive_buffers) mtu bytes, and clump_lci_peer_bytes() for each other node. */
clump_protocol_status clump_lci_open(const clump_lci_options *options, clump_lci **lci);
void clump_lci_close(clump_lci *lci);

/** Bytes of state per peer, without packet buffers. */
size_t clump_lci_peer_bytes(void);

/** Take over one packet, of up to `mtu` bytes, for node `to`. @return OK, BAD_INPUT, or BLOCKED: no
 *  send buffer is free */
clump_protocol_status clump_lci_send(clump_lci *lci, uint16_t to, const clump_lci_message *message);

/** The same for all other nodes; each gets it once. Multicasts of one origin arrive in order. */
clump_protocol_status clump_lci_multicast(clump_lci *lci, const clump_lci_message *message);

/** Ask node `to` for the value of its variable, which is then incremented; the answer is delivered
 *  as CLUMP_CONTENT_FETCHED with the same tag and 4 bytes in network order. */
clump_protocol_status clump_lci_fetch_add(clump_lci *lci, uint16_t to, uint16_t tag);

/** This node's own variable: return its value and increment it. */
uint32_t clump_lci_fetch_add_here(clump_lci *lci);

/** Take a packet from the network. @return OK (also for one that was there before), or BAD_PACKET
 */
clump_protocol_status clump_lci_receive(clump_lci *lci, uint64_t now_ns, const unsigned char *bytes,
                                        size_t size);

/** The next packet for the network, if any: writes at most CLUMP_PACKET_HEADER + mtu bytes.
 *  @param to receives the node it is for. Cost: O(1), and O(nodes) when the soonest deadline is put off. */
bool clump_lci_transmit(clump_lci *lci, uint64_t now_ns, unsigned char *bytes, size_t *size,
                        uint16_t *to);

/** When clump_lci_transmit() has to be asked again at the latest: 0 at once, CLUMP_LCI_NEVER if
 *  only an event can bring something to send. */
uint64_t clump_lci_deadline(const clump_lci *lci);

/** The next packet for the application, if any, in the order of arrival. */
bool clump_lci_next(clump_lci *lci, clump_lci_delivery *delivery);

/** Pass a delivered multicast on to the children of this node (host-level forwarding); no copy is
 *  made. */
clump_protocol_status clump_lci_forward(clump_lci *lci, uint32_t buffer);

/** The application is done with a delivered packet. */
void clump_lci_release(clump_lci *lci, uint64_t now_ns, uint32_t buffer);

/** Whether a send buffer is free: the next send will not be BLOCKED. */
bool clump_lci_can_send(const clump_lci *lci);

/** Whether nothing is waiting to be sent or acknowledged (with credits: to be sent). */
bool clump_lci_idle(const clump_lci *lci);

/** Packets on their way to a peer: transmitted and neither acknowledged nor released. */
uint16_t clump_lci_in_flight(const clump_lci *lci, uint16_t peer);

/** Sequence number of the data packet that is taken next from a peer (retransmit). */
uint16_t clump_lci_expected(const clump_lci *lci, uint16_t peer);

clump_lci_counters clump_lci_count(const clump_lci *lci);

/** Words of protocol state touched since the last call; of them those that can wait until a packet
 *  is on its way, timers started or stopped, and packets of multicasts transmitted (what those cost
 *  depends on who keeps timers and queues). */
typedef struct clump_lci_effort {
    uint32_t words, later, timers, children;
} clump_lci_effort;
clump_lci_effort clump_lci_work(clump_lci *lci);

/** What must hold between any two calls, by recounting; for tests. NULL, or what does not hold. */
const char *clump_lci_check(const clump_lci *lci);

#endif
