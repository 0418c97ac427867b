/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef CLUMP_MODEL_SIMULATION_SHARING_H
#define CLUMP_MODEL_SIMULATION_SHARING_H

/*
 * Internal to model/simulation. Stations of chapter 8, event by event: customers (processors, or
 * gangs of them) compute, then share the NICs of their station until their communication has been
 * served, and so on. Stations whose customers share memory (memory.h) run together; otherwise each
 * station runs by itself.
 *
 *   q      customers of a station that communicate now
 *   mu(q)  what the station serves then; each of them receives mu(q)/q
 *   v      service that a customer of the station has received who was there from the beginning:
 *          dv/dt = mu(q)/q. Who comes at v with demand s leaves when v has grown by s, whatever
 *          happens in between, so that departures stand in a heap that is never changed. Between two
 *          events of a station its v, and its integrals, are left behind: they are brought up to date
 *          at its next event, and at the end
 *   u      the same for computations: of K customers that compute each goes on at nu(K)/K. Without
 *          shared memory it is the time
 *
 * Time is that of the Clump, in cycles R+S = 1 of the NOW. A computation takes R = 1-U, a
 * communication needs the service S = U, each times a random number of mean 1. Cycles of different
 * length need not be told apart where something is random, since only R/S matters then.
 */

#include "model/simulation/event_heap.h"
#include "model/simulation/sampler.h"
#include "model/station.h"
#include "model/watch.h"

/** mu(q) or nu(K), and what follows from it. */
typedef struct simulation_rate {
    double rate;  /**< mu(q) */
    double speed; /**< mu(q)/q, 0 for q = 0 */
    double slow;  /**< q/mu(q) */
} simulation_rate;

/** rates[q] of q customers who are served, or compute, at `rate` in all. */
static inline simulation_rate simulation_rate_of(double rate, size_t q)
{
    return (simulation_rate){rate, rate / (double)q, (double)q / rate};
}

/** What does not change while stations run; shared by replications. */
typedef struct simulation_sharing_setup {
    size_t customers, stations;
    const simulation_rate *memory; /**< nu(K), K up to `customers`; NULL: memory is not shared */
    const uint32_t *home;          /**< station of each customer; NULL: there is one */
    const simulation_rate *const *rates; /**< mu of each station */
    const double *utilizations;          /**< one a customer, or one for all */
    const double *lengths; /**< R+S of each customer in units of the time; NULL: all 1 */
    bool distinct;
    const simulation_sampler *computation, *communication;
    bool spread;              /**< the first computations are under way, at random points */
    const clump_watch *watch; /**< who may stop it somewhere; or NULL */
} simulation_sharing_setup;

/** A station at a moment. */
typedef struct simulation_station {
    simulation_heap active; /* by v */
    size_t computing;
    double time, virtual_time, behind; /* t, v and u when it was brought up to date */
    double ready;       /* when the next one has been served; HUGE_VAL: nobody is there */
    double active_time; /* integral of q */
    double served;      /* integral of mu(q) */
    double computed;    /* integral of what those that compute do */
} simulation_station;

/** Stations that run together, at a moment. The heaps have room for all customers. */
typedef struct simulation_sharing {
    simulation_station *stations;
    simulation_heap computing; /* by u */
    double *drawn; /* work given to each customer so far, in time on the NOW; NULL: not wanted */
    double time, virtual_time; /* t, u */
    uint64_t events;           /* ends of computations and of communications */
} simulation_sharing;

/** Everybody begins a computation at time 0. */
void simulation_sharing_start(simulation_sharing *s, const simulation_sharing_setup *setup,
                              simulation_random *random);

/** Go on until `end`. Every station is up to date then. */
void simulation_sharing_run(simulation_sharing *s, const simulation_sharing_setup *setup,
                            simulation_random *random, double end);

/** Go on until the customers together have done `work` from now on, in time on the NOW. */
void simulation_sharing_reach(simulation_sharing *s, const simulation_sharing_setup *setup,
                              simulation_random *random, double work);

/** Work that each customer has done, in time on the NOW; needs `drawn`. */
void simulation_sharing_works(const simulation_sharing *s, const simulation_sharing_setup *setup,
                              double *works);

#endif
