/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef CLUMP_MODEL_SIMULATION_PACKET_TURNS_H
#define CLUMP_MODEL_SIMULATION_PACKET_TURNS_H

/*
 * Internal to model/simulation. NICs that serve their connections in turn, a packet of each. A connection is one of a pair of ranks through a
 * NIC, and its messages go one after the other; those of several connections go side by side, and each is slower for it. (J. Nagle, "On packet
 * switches with infinite storage", IEEE Trans. Comm. 35(4), 1987; A. Demers, S. Keshav, S. Shenker, "Analysis and simulation of a fair
 * queueing algorithm", SIGCOMM 1989.) It is what a NIC does with a queue for each connection, and what connections of TCP that share
 * a link come to.
 *
 * A NIC sends when it is free; its packets reach the receiver's NIC in that order, which takes them in the order in which they come.
 * Alone on its way, a message takes as long as a whole one.
 *
 * Events have numbers: each NIC's turn, and, where duplex is half, each packet that comes.
 */

#include "model/simulation/cluster_network.h"
#include "model/simulation/event_queue.h"

/** A message, or the part of it that goes over one NIC. */
typedef struct packet_flow {
    double leaving, coming; /* bytes that have not left, and that have not come */
    uint32_t message, to;
    uint32_t nic, receiver; /* of all NICs; where it comes in is chosen when its first packet does */
    uint32_t connection;
    uint32_t next;   /* in the ring of its NIC, or of those that are not in use */
    uint32_t behind; /* the next one of its connection */
} packet_flow;

/** What waits at a NIC. */
typedef struct packet_ring {
    uint32_t last; /* whose next is the one whose turn it is */
    double sending, receiving; /* bytes of what was given to the NIC, and has not passed it */
} packet_ring;

typedef struct packet_turns {
    double bytes; /* of a packet; 0: messages go as a whole, by the rules of the network */
    double gap, per_byte, latency;
    network *net;
    event_queue *events;
    uint32_t first_event; /* number of the first NIC's turn */
    uint32_t delivery;    /* what the number of a message is joined with when all of it is there */
    packet_flow *flows;
    uint32_t used, room, spare; /* flows; `spare`: a list of those that are not in use */
    packet_ring *rings;         /* by NIC */
    uint32_t *last_of; /* by connection, which may share a place where there are very many */
    uint32_t places;
    uint8_t *parts; /* by message, of which not all is there */
} packet_turns;

/**
 * @param bytes     of a packet; 0, or where NICs are special: nothing is sent by packets
 * @param messages  their numbers are below it
 * False without memory; release in any case.
 */
bool packet_turns_make(packet_turns *t, double bytes, network *net, event_queue *events,
                       uint32_t first_event, uint32_t delivery, size_t messages);
void packet_turns_release(packet_turns *t);

/** Whether the message goes by packets. */
static inline bool packet_turns_concern(const packet_turns *t, uint32_t from, uint32_t to)
{
    return t->bytes > 0 && !network_is_local(t->net, from, to);
}

/** Any NIC of the sender that has least to do; over all, an equal share each. */
enum { PACKET_ANY_NIC = -1, PACKET_ALL_NICS = -2 };

/** A message is handed over. Without memory the queue of events has failed.
 * @param nic  of the sender's node, and of the receiver's, or one of the above */
void packet_turns_send(packet_turns *t, uint32_t m, uint32_t from, uint32_t to, double bytes,
                       int nic, double now);

/** An event whose number is not below first_event. */
void packet_turns_go_on(packet_turns *t, uint32_t event, double now);

/** Part of the message is there: whether it is the last one. */
static inline bool packet_turns_complete(packet_turns *t, uint32_t m)
{
    return t->bytes == 0 || t->parts[m] <= 1 || --t->parts[m] == 0;
}

#endif
