/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef CLUMP_MODEL_SIMULATION_SCHEDULE_NICS_H
#define CLUMP_MODEL_SIMULATION_SCHEDULE_NICS_H

/*
 * Internal to model/simulation. How messages pass the NICs by the rules of a schedule (clump_schedule_rules).
 *
 * Which NIC: the one that is free first, or its rank's own (cluster_network.h); or they are taken in turn, whether or not they are
 * free: the MPI library has a connection through each pair of NICs with every partner, and a place in that list. Long messages then go
 * over all of them, an equal share each. How: as a whole, or by packets (nic_windows.h).
 *
 *     schedule_nics_send -> event ARRIVAL: schedule_nics_arrive -> event DELIVERY: schedule_nics_complete
 *
 * Events of the caller have numbers below first_event; those from there on are for nic_windows_go_on().
 */

#include "model/simulation/cluster_network.h"
#include "model/simulation/event_queue.h"
#include "model/simulation/nic_windows.h"
#include "model/simulation/schedule.h"

/** Kinds of events; without the kind they are numbers of messages. The fourth kind is free. */
#define SCHEDULE_NICS_ARRIVAL (UINT32_C(1) << 30)
#define SCHEDULE_NICS_DELIVERY (UINT32_C(2) << 30)
#define SCHEDULE_NICS_KIND (UINT32_C(3) << 30)

typedef struct schedule_nics {
    network *net;
    event_queue *events;
    nic_windows windows;
    uint32_t step; /* places for each message; 0: NICs are not taken in turn */
    uint64_t stripe_above;
    uint32_t slots; /* of `next` */
    uint8_t
        *next; /* by sender and receiver; pairs may share a place where there are very many ranks */
    uint8_t *taken; /* by message, where they take turns as a whole; else NULL */
} schedule_nics;

/**
 * @param longest      message, bytes
 * @param first_event  number of the first event that is not the caller's
 * @param messages     their numbers are below it
 * False without memory; release in any case.
 */
bool schedule_nics_make(schedule_nics *n, const clump_schedule_rules *rules, double longest,
                        network *net, event_queue *events, uint32_t first_event, size_t messages);
void schedule_nics_release(schedule_nics *n);

/** As network_send and network_receive, of message m that takes its turn. */
double schedule_nics_send_in_turn(schedule_nics *n, uint32_t m, uint32_t from, uint32_t to,
                                  double bytes, double ready);
double schedule_nics_receive_in_turn(schedule_nics *n, uint32_t m, uint32_t to, double bytes,
                                     double now);

/** The message is handed to the windows. */
void schedule_nics_hand_over(schedule_nics *n, uint32_t m, uint32_t from, uint32_t to, double bytes,
                             double now);

/** Whether the message takes its turn. */
static inline bool schedule_nics_turn(const schedule_nics *n, uint32_t from, uint32_t to)
{
    return n->step > 0 && !network_is_local(n->net, from, to);
}

/** Message m is given to its NIC, or to shared memory, at `ready`: its ARRIVAL will come. */
static inline void schedule_nics_send(schedule_nics *n, uint32_t m, uint32_t from, uint32_t to,
                                      double bytes, double ready)
{
    const double arrival = nic_windows_concern(&n->windows, from, to) ? ready
                           : schedule_nics_turn(n, from, to)
                               ? schedule_nics_send_in_turn(n, m, from, to, bytes, ready)
                               : network_send(n->net, from, to, bytes, ready);
    event_queue_add(n->events, arrival, SCHEDULE_NICS_ARRIVAL | m);
}

/** The ARRIVAL of message m. @return whether all of it is there; otherwise its DELIVERY will come */
static inline bool schedule_nics_arrive(schedule_nics *n, uint32_t m, uint32_t from, uint32_t to,
                                        double bytes, double now)
{
    if (nic_windows_concern(&n->windows, from, to)) {
        schedule_nics_hand_over(n, m, from, to, bytes, now);
        return false;
    }
    const double there = schedule_nics_turn(n, from, to)
                             ? schedule_nics_receive_in_turn(n, m, to, bytes, now)
                             : network_receive(n->net, from, to, bytes, now);
    if (there > now)
        event_queue_add(n->events, there, SCHEDULE_NICS_DELIVERY | m);
    return there <= now;
}

/** The DELIVERY of message m, or of a part of it. @return whether all of it is there */
static inline bool schedule_nics_complete(schedule_nics *n, uint32_t m)
{
    return nic_windows_complete(&n->windows, m);
}

#endif
