/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef CLUMP_MODEL_SIMULATION_SCHEDULE_NICS_H
#define CLUMP_MODEL_SIMULATION_SCHEDULE_NICS_H

/*
 * Internal to model/simulation. How messages pass the NICs by the rules of a schedule (clump_schedule_rules).
 *
 * Which NIC: the one that is free first, or its rank's own (cluster_network.h); or they are taken in turn, whether or not they are
 * free: the MPI library has a connection through each pair of NICs with every partner, and a place in that list. Long messages then go
 * over all of them, an equal share each.
 *
 * How: as a whole, or by packets (schedule_nics.c).
 *
 *     schedule_nics_send -> event ARRIVAL: schedule_nics_arrive -> event DELIVERY: schedule_nics_complete
 */

#include "model/simulation/cluster_network.h"
#include "model/simulation/event_queue.h"
#include "model/simulation/schedule.h"

/** Kinds of events; without the kind they are numbers of messages. LEFT is also the caller's. */
#define SCHEDULE_NICS_ARRIVAL (UINT32_C(1) << 30)
#define SCHEDULE_NICS_DELIVERY (UINT32_C(2) << 30)
#define SCHEDULE_NICS_LEFT (UINT32_C(3) << 30)
#define SCHEDULE_NICS_KIND (UINT32_C(3) << 30)

typedef struct schedule_nics schedule_nics;

/**
 * @param longest      message, bytes: packets are a fourth of the window, or a 16th of it, if that is more
 * @param first_event  events from there on are for schedule_nics_go_on(), those below it are the caller's
 * @param messages     their numbers are below it
 * NULL without memory.
 */
schedule_nics *schedule_nics_new(const clump_schedule_rules *rules, double longest, network *net,
                                 event_queue *events, uint32_t first_event, size_t messages);
void schedule_nics_free(schedule_nics *n);

/** Message m is given to its NIC, or to shared memory, at `ready`: its ARRIVAL will come. Without bytes it is a word of the library's. */
void schedule_nics_send(schedule_nics *n, uint32_t m, uint32_t from, uint32_t to, double bytes,
                        double ready);

/**
 * The ARRIVAL of message m. A word of the library's that follows other bytes of its connection is in their last packet: it takes no g.
 * @param buffer  a LEFT of it comes when no more than so many bytes have not been sent; negative: none
 * @return whether all of it is there; otherwise its DELIVERY will come. Without memory the queue of events has failed.
 */
bool schedule_nics_arrive(schedule_nics *n, uint32_t m, uint32_t from, uint32_t to, double bytes,
                          double buffer, double now);

/** The DELIVERY of message m, or of a part of it. @return whether all of it is there */
bool schedule_nics_complete(schedule_nics *n, uint32_t m);

/** An event of a packet. */
void schedule_nics_go_on(schedule_nics *n, uint32_t event, double now);

#endif
