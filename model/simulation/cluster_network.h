/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef CLUMP_MODEL_SIMULATION_CLUSTER_NETWORK_H
#define CLUMP_MODEL_SIMULATION_CLUSTER_NETWORK_H

/*
 * Internal to model/simulation. NICs and shared memory of a machine: when messages leave and
 * arrive. Queues are first come, first served, so that a time at which something is free is all
 * there is to know of them.
 */

#include "model/simulation/cluster.h"

typedef struct network_nic {
    double send_free, receive_free; /* from when on; one number where duplex is half */
    double bus_free;                /* half-duplex bus */
    double send_busy, receive_busy; /* sums */
    uint64_t sent;
    double *starts; /* of the last send_queue messages, or NULL */
} network_nic;

/** Port of a processor to the shared memory. */
typedef struct network_port {
    double send_free, receive_free;
} network_port;

typedef struct network {
    const clump_cluster *machine;
    size_t ranks, nic_count;
    uint32_t processors, node_nics; /* of each node */
    network_nic *nics;
    network_port *ports;
    double *starts;
    uint32_t *nic_of; /* within the node, by processor; static mapping */
    /* Where NICs are not all alike or lose by sharing. */
    bool special;
    size_t cap;                  /* NICs that a processor drives at once, 0: no limit */
    double *driven_until;        /* cap for each rank: when each of its NICs is done */
    double *sending, *receiving; /* until when a rank has messages at the NICs; NULL: E(q) = 1 */
} network;

static inline double network_later(double a, double b)
{
    return a > b ? a : b;
}

/** Acquire; release in any case. */
bool network_make(network *n, const clump_cluster *machine);
void network_release(network *n);

/** Everything free, nothing sent. */
void network_reset(network *n);

static inline bool network_is_local(const network *n, uint32_t from, uint32_t to)
{
    return n->processors == 1 ? from == to : from / n->processors == to / n->processors;
}

static inline const clump_loggp *network_protocol(const network *n, uint32_t from, uint32_t to)
{
    return network_is_local(n, from, to) ? &n->machine->shared_memory : &n->machine->network;
}

/** Mean shares of the time in which NICs are busy; 0 where there was none. */
void network_utilizations(const network *n, double time, double *sending, double *receiving);

/** From when on the rank may begin a message to `to`: later than `now` if the queue is full. */
double network_may_send(const network *n, uint32_t from, uint32_t to, double now);

/** When a message could begin to leave, or to be received, that is ready at `now`: at once, or when
 * its NIC or port is free. */
double network_begin(const network *n, uint32_t from, uint32_t to, double bytes, double now,
                     bool sends);

/** A message is handed over at `ready`; returns when its first byte arrives. */
double network_send(network *n, uint32_t from, uint32_t to, double bytes, double ready);

/** Its first byte arrives at `now`: returns when all of it is in the queue of the receiver. */
double network_receive(network *n, uint32_t from, uint32_t to, double bytes, double now);

#endif
