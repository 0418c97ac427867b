/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef CLUMP_MODEL_SIMULATION_NIC_WINDOWS_H
#define CLUMP_MODEL_SIMULATION_NIC_WINDOWS_H

/*
 * Internal to model/simulation. NICs whose queue holds so many bytes of each connection at a time, and not more. A connection is that of a pair of
 * ranks through one NIC, and its messages go one after the other; what it has not put into the queue follows as its packets leave, behind
 * what others have put there meanwhile. So connections share a NIC that is asked for more than it can carry, and each is slower for it;
 * what fits into a window goes as a whole.
 *
 * It is what TCP does, whose congestion window is 10 segments at first (J. Chu, N. Dukkipati, Y. Cheng, M. Mathis, RFC 6928), and with a window
 * of one packet what NICs do that serve a queue for each connection in turn (J. Nagle, "On packet switches with infinite storage", IEEE Trans.
 * Comm. 35(4), 1987; A. Demers, S. Keshav, S. Shenker, "Analysis and simulation of a fair queueing algorithm", SIGCOMM 1989).
 *
 * Packets reach the receiver's NIC in the order in which they leave, which takes them as they come. Alone on its way, a message takes as
 * long as a whole one.
 *
 * Events have numbers: each NIC's next packet, and, where duplex is half, each packet that comes.
 */

#include "model/simulation/cluster_network.h"
#include "model/simulation/event_queue.h"

/** A message, or the part of it that goes over one NIC. */
typedef struct packet_flow {
    double unqueued, leaving, coming; /* bytes that have not come to the queue, left it, arrived */
    uint32_t message, to;
    uint32_t nic,
        receiver; /* of all NICs; where it comes in is chosen when its first packet does */
    uint32_t connection;
    uint32_t behind; /* the next one of its connection, or of those that are not in use */
} packet_flow;

typedef struct packet_connection {
    double queued;       /* bytes in the queue of its NIC */
    uint32_t next, last; /* flows with bytes that are not; `last` only if there are any */
} packet_connection;

/** Packets of a flow that stand one after the other. */
typedef struct packet_run {
    uint32_t flow, count;
    uint32_t next; /* in its queue, or of those that are not in use */
} packet_run;

typedef struct packet_queue {
    uint32_t first, last;      /* runs */
    bool awaits;               /* the event of its next packet is to come */
    double sending, receiving; /* bytes of what was given to the NIC, and has not passed it */
} packet_queue;

typedef struct nic_windows {
    double bytes; /* of a packet; 0: messages go as a whole, by the rules of the network */
    double window;
    double gap, per_byte, latency;
    network *net;
    event_queue *events;
    uint32_t first_event; /* number of the first NIC's packets */
    uint32_t delivery;    /* what the number of a message is joined with when all of it is there */
    packet_flow *flows;
    uint32_t used, room, spare; /* flows; `spare`: a list of those that are not in use */
    packet_run *runs;
    uint32_t runs_used, runs_room, spare_run;
    packet_queue *queues;           /* by NIC */
    packet_connection *connections; /* two may share a place where there are very many */
    uint32_t places;
    uint8_t *parts; /* by message, of which not all is there; NULL: each is one part */
} nic_windows;

/**
 * @param window    bytes of a connection in the queue; 0, or where NICs are special: messages go as a whole
 * @param longest   message: packets are a fourth of the window, or a 16th of it, if that is more
 * @param striped   numbers of messages that go over several NICs are below it; 0: none do
 * False without memory; release in any case.
 */
bool nic_windows_make(nic_windows *t, double window, double longest, network *net,
                      event_queue *events, uint32_t first_event, uint32_t delivery, size_t striped);
void nic_windows_release(nic_windows *t);

/** Whether the message goes by packets. */
static inline bool nic_windows_concern(const nic_windows *t, uint32_t from, uint32_t to)
{
    return t->bytes > 0 && !network_is_local(t->net, from, to);
}

/** Any NIC of the sender that has least to do; over all, an equal share each. */
enum { NIC_WINDOWS_ANY = -1, NIC_WINDOWS_ALL = -2 };

/** A message is handed over. Without memory the queue of events has failed.
 * @param nic  of the sender's node, and of the receiver's, or one of the above */
void nic_windows_send(nic_windows *t, uint32_t m, uint32_t from, uint32_t to, double bytes, int nic,
                      double now);

/** An event whose number is not below first_event. */
void nic_windows_go_on(nic_windows *t, uint32_t event, double now);

/** Part of the message is there: whether it is the last one. */
static inline bool nic_windows_complete(nic_windows *t, uint32_t m)
{
    return t->parts == NULL || t->parts[m] <= 1 || --t->parts[m] == 0;
}

#endif
