/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef CLUMP_MODEL_SIMULATION_REPLICATIONS_H
#define CLUMP_MODEL_SIMULATION_REPLICATIONS_H

/*
 * Internal to model/simulation. Replications of a node that run side by side.
 *
 *   part         groups of the node that are of the same size, and so alike
 *   account      processors whose work is counted together: those of a part, or each by itself
 *                where utilizations differ
 *   sharing      stations that run together: all of the node where it shares memory, else one
 *   replication  all stations of the node, and a stream of random numbers
 */

#include "model/demand_solvers.h"
#include "model/node.h"
#include "model/simulation/sharing.h"
#include "model/simulation/simulation.h"

/** Intervals of the pilot. */
enum { SIMULATION_PILOT = 64 };

typedef struct simulation_part {
    model_groups groups;
    size_t customers; /* of each group: processors or gangs */
    double gang;      /* processors a customer */
    size_t account;   /* the first one */
    size_t station;   /* the first one */
    simulation_rate *rates;
    double reach; /* transient: time at which the work done is looked at, near T' */
    double speed; /* transient: work per time at that moment */
} simulation_part;

typedef struct simulation_replication {
    simulation_random random;
    simulation_station *stations;
    simulation_sharing *sharings;
    model_arrival *arrivals; /* correlated demand with memory: one for each of the senders */
    double *ends;
    double *base;          /* equilibrium: work of each account when the measurement began */
    double *work;          /* of a processor of each account in the measured time */
    double *time;          /* that it took; transient: the repeats */
    double *speed;         /* transient: sum over the repeats of work per time at the end */
    double active, served; /* mean processors and NICs in use, once measured */
    double active_base, served_base;
    double *pilot; /* work in each interval of the pilot */
    uint64_t events;
} simulation_replication;

/** Processors that are done communicating at the same time, with correlated demand and memory. */
typedef struct simulation_sender {
    double sent;             /* time from the start, if random numbers are 1 */
    double work, need;       /* C, D */
    size_t account, station; /* the first station */
    size_t stations;         /* in which each they are so many: */
    size_t processors;
} simulation_sender;

typedef struct simulation_run {
    const clump_node *node;
    const clump_load *load;
    const clump_simulation_options *options;
    simulation_ziggurat ziggurat;
    simulation_sampler computation, communication;
    double *adjusted, *factor; /* U_adj and k: one, or one a processor */
    double *lengths;           /* k relative to the greatest, where they matter; or NULL */
    bool distinct;
    simulation_part *parts;
    size_t part_count, group_count;
    size_t account_count;
    simulation_replication *replications;
    size_t replication_count;
    size_t *order; /* correlated demand: processors of each group by utilization, ascending */
    simulation_sender *senders; /* the same with memory */
    size_t sender_count;
    /* The first three with memory; else NULL. */
    simulation_rate *memory;               /* nu(K) of all customers of the node that compute */
    uint32_t *home;                        /* station of each customer */
    double *nu;                            /* nu(0..P) */
    const simulation_rate **station_rates; /* of each station */
    simulation_sharing_setup *setups;      /* of each sharing */
    size_t sharing_count;
    int threads;
    double warm_up;
    double measured_from; /* events */
    bool cut;             /* not even the first round was made in full: too few events */
    bool starved;         /* nor enough of it to say anything */
    bool stopped;         /* by who watches over the node */
    /* The estimate. */
    double quantile;
    double *slowdowns, *half_widths; /* of each account, k included */
    double slowdown, half_width;
    bool estimated; /* at least once */
} simulation_run;

/** Check, and acquire everything that the simulation needs. Release in any case. */
clump_status simulation_run_prepare(simulation_run *run, clump_error *error);
void simulation_run_release(simulation_run *run);

/** Work that the customers of a station have done, in time on the NOW. */
double simulation_run_work(const simulation_run *run, const simulation_station *station,
                           size_t customers);

/** Processors of an account. */
double simulation_run_weight(const simulation_run *run, size_t account);
/** The part to which an account belongs. */
const simulation_part *simulation_run_part(const simulation_run *run, size_t account);

/** What the kinds of demand do: measure until the interval is narrow enough. */
bool simulation_run_equilibrium(simulation_run *run);
bool simulation_run_transient(simulation_run *run);
bool simulation_run_correlated(simulation_run *run);

/** Correlated demand needs the order of processors that differ. */
clump_status simulation_run_sort(simulation_run *run, clump_error *error);

/** Events of all replications so far. */
double simulation_run_events(const simulation_run *run);

/** Processors or gangs in all groups; `alike`: in one group of each part. */
double simulation_run_customers(const simulation_run *run, bool alike);

/** Whether it was stopped: then work and time of the replications say nothing, and the estimate is that of
 *  the last whole round. */
bool simulation_run_stopped(simulation_run *run);

/**
 * What share of a first round of so many events is allowed, at most 1; `least` is the share below
 * which it says nothing.
 */
double simulation_run_allowed(simulation_run *run, double events, double least);

/**
 * How much longer the next round should be than all measured so far: 0 if the interval is narrow
 * enough, or the events are used up (`reached` tells which). Tells the progress.
 */
double simulation_run_more(simulation_run *run, bool *reached);

#endif
