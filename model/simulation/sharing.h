/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef CLUMP_MODEL_SIMULATION_SHARING_H
#define CLUMP_MODEL_SIMULATION_SHARING_H

/*
 * Internal to model/simulation. One station of chapter 8, event by event: customers (processors, or
 * gangs of them) compute, then share the NICs until their communication has been served, and so on.
 *
 *   n      customers
 *   q      those that communicate now
 *   mu(q)  what the station serves then; each of them receives mu(q)/q
 *   v      service that a customer has received who was there from the beginning:
 *          dv/dt = mu(q)/q. Who comes at v with demand s leaves when v has grown by s, whatever
 *          happens in between, so that departures stand in a heap that is never changed. Very many
 *          that are alike stand in buckets instead.
 *
 * Time is that of the Clump, in cycles R+S = 1 of the NOW. A computation takes R = 1-U, a
 * communication needs the service S = U, each times a random number of mean 1. Cycles of different
 * length need not be told apart where something is random, since only R/S matters then.
 */

#include "model/simulation/event_buckets.h"
#include "model/simulation/sampler.h"
#include "model/station.h"
#include "model/watch.h"

#include <stdbool.h>

/** mu(q) and what follows from it. */
typedef struct simulation_rate {
    double rate;  /**< mu(q) */
    double speed; /**< mu(q)/q, 0 for q = 0 */
    double slow;  /**< q/mu(q) */
} simulation_rate;

/** Fill in rates[0..customers]. */
void simulation_rates_make(const clump_station *station, size_t customers, simulation_rate *rates);

/** What does not change while a station runs; shared by replications. */
typedef struct simulation_sharing_setup {
    size_t customers;
    const simulation_rate *rates;
    const double *utilizations; /**< one a customer, or one for all */
    const double *lengths;      /**< R+S of each customer in units of the time; NULL: all 1 */
    bool distinct;
    const simulation_sampler *computation, *communication;
    bool spread;              /**< the first computations are under way, at random points */
    const clump_watch *watch; /**< who may stop it somewhere; or NULL */
} simulation_sharing_setup;

/** A station at a moment. The heaps have room for all customers. */
typedef struct simulation_sharing {
    simulation_heap computing;                        /* by time */
    simulation_heap active;                           /* by v */
    simulation_buckets *computing_many, *active_many; /* in their place; or NULL */
    double *drawn; /* work given to each customer so far, in time on the NOW; NULL: not wanted */
    double time, virtual_time;
    double active_time; /* integral of q */
    double served;      /* integral of mu(q) */
    double computed;    /* integral of what those that compute do; set where they share memory */
    uint64_t events;    /* ends of computations and of communications */
} simulation_sharing;

/** Everybody begins a computation at time 0. */
void simulation_sharing_start(simulation_sharing *s, const simulation_sharing_setup *setup,
                              simulation_random *random);

/** Go on until `end`. */
void simulation_sharing_run(simulation_sharing *s, const simulation_sharing_setup *setup,
                            simulation_random *random, double end);

/** Go on until the customers together have done `work`, in time on the NOW. */
void simulation_sharing_reach(simulation_sharing *s, const simulation_sharing_setup *setup,
                              simulation_random *random, double work);

/** Work that all customers have done, in time on the NOW. */
static inline double simulation_sharing_work(const simulation_sharing *s, size_t customers)
{
    return (double)customers * s->time - s->active_time + s->served;
}

/** The same for each of them; needs `drawn`. */
void simulation_sharing_works(const simulation_sharing *s, double *works);

#endif
