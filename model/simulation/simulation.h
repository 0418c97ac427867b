/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef CLUMP_MODEL_SIMULATION_SIMULATION_H
#define CLUMP_MODEL_SIMULATION_SIMULATION_H

/*
 * The model of chapter 8, simulated instead of solved: the same node and load as clump_predict, and
 * any distribution of computations and communications (8.5.2).
 *
 * Replications run side by side, each with random numbers of its own: 32 of them, 16 for more than
 * 10^4 processors and 8 for more than 10^5. They are made longer (a transient: repeated) until the
 * interval is as narrow as wanted.
 *
 * Warm-up. A pilot of 64 intervals of time is averaged over the replications, and MSER (White 1997)
 * says how much of it to cut off. As long as that is more than half of it the pilot is made twice
 * as long. What follows the pilot is measured, and nothing of the pilot.
 *
 * The results depend on the seed, not on the number of threads.
 */

#include "model/prediction.h"
#include "model/simulation/service_time.h"

#include <stdbool.h>
#include <stdint.h>

/** How things stand. */
typedef struct clump_simulation_progress {
    double share;      /**< of the work that is expected, 0 to 1 */
    double slowdown;   /**< so far; NAN during warm-up */
    double half_width; /**< of its interval */
    double events;
} clump_simulation_progress;

typedef struct clump_simulation_options {
    uint64_t seed;
    uint64_t stream;   /**< another number, other random numbers under the same seed */
    double precision;  /**< half width of the interval over the slowdown, 1e-6 to 1 */
    double confidence; /**< of the interval, 0.5 to 0.999999 */
    /** Stop near this many, precise or not. A first round that would need more is made shorter; if
     *  not even that says anything, the results are NAN. */
    double most_events;
    int threads; /**< 0: as many as OpenMP thinks fit */
    clump_service_time computation, communication;
    /** The first computations are found under way at random points; false: all begin together, as
     *  after a barrier. It matters where both times are constant, and in no transient. */
    bool spread_start;
    /** Called from the calling thread, now and then; may be NULL. */
    void (*progress)(const clump_simulation_progress *progress, void *context);
    void *context;
} clump_simulation_options;

/** Seed 1, 1%, 95%, 4e9 events, exponential. */
#define CLUMP_SIMULATION_DEFAULTS                                                                  \
    ((clump_simulation_options){                                                                   \
        .seed = 1, .precision = 0.01, .confidence = 0.95, .most_events = 4e9})

/** Internal to model/simulation. Errors: CLUMP_BAD_ARGUMENT. */
clump_status simulation_options_check(const clump_simulation_options *options, clump_error *error);

/** Of a node. */
#define CLUMP_SIMULATION_MOST_PROCESSORS ((size_t)10000000)

typedef struct clump_simulation {
    clump_prediction prediction;
    double half_width;         /**< of prediction.slowdown */
    double slowest_half_width; /**< of prediction.slowest */
    double events;             /**< ends of computations and of communications, warm-up included */
    double measured_events;
    double warm_up; /**< simulated time that was left out, cycles of the NOW */
    size_t replications;
    bool reached; /**< the interval is as narrow as wanted, and no round was cut short or stopped */
} clump_simulation;

/** Values for each processor; any of the pointers may be NULL. Undefined after an error. */
typedef struct clump_simulation_details {
    double *slowdowns, *half_widths;
} clump_simulation_details;

/**
 * Simulate one phase. Independent and gang demand are the closed network of chapter 8, and a phase
 * of finite length its transient: T' with mean work T at T'. With correlated demand all processors
 * of a station compute for the same random time and then communicate with equally random needs; its
 * slowdown is that of the slowest, for which all wait.
 *
 * @param details  or NULL
 * Errors: CLUMP_BAD_ARGUMENT, also for scheduled demand (the best of all schedules is solved for, not
 *         found by chance) and for gangs that do not divide the processors that share NICs;
 *         CLUMP_STOPPED if the node's watch stops it before there is a first estimate.
 * Limits: CLUMP_SIMULATION_MOST_PROCESSORS processors.
 * Memory: 40 bytes a processor and replication, of which 12 to 24 are used; 64 where utilizations differ.
 */
clump_status clump_simulate(const clump_node *node, const clump_load *load,
                            const clump_simulation_options *options, clump_simulation *result,
                            const clump_simulation_details *details, clump_error *error);

/** The same for a program of phases, weighted as clump_predict_phases does it. */
clump_status clump_simulate_phases(const clump_node *node, const clump_phase *phases, size_t count,
                                   const clump_simulation_options *options,
                                   clump_simulation *result, clump_error *error);

#endif
