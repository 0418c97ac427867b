/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef CLUMP_MODEL_WORKLOAD_POLLING_H
#define CLUMP_MODEL_WORKLOAD_POLLING_H

/*
 * What two protocols under one endpoint, shared memory and network, cost each other (chapter 4,
 * section 7.2.1).
 *
 * Every send and every receive polls once. An endpoint with one protocol looks only at that; with
 * both, each poll looks at shared memory and runs the strategy that decides how often to look at
 * the network, and every s-th poll looks there:
 *
 *   local:    o' = o + b + c_n/s
 *   network:  o' = o - c_n (1 - 1/s) + c_l + b
 *
 * and a message from the network waits for the poll that looks, (s-1)/2 polls on average.
 * With n messages received per poll, the estimates (4.8) and (4.6) settle near k a n_l and
 * 1 + a n_r, and s is their quotient (4.7) within [s_min, s_max]. Damping smooths the estimates and
 * the acceptance count bounds bursts; neither enters these means.
 */

#include "model/loggp.h"
#include "model/status.h"

/** Costs in microseconds, >= 0. */
typedef struct clump_poll_costs {
    double local_us;    /**< c_l: looking into an empty queue in shared memory (table 7.1) */
    double network_us;  /**< c_n: looking at a network without messages (table 7.1) */
    double strategy_us; /**< b: the estimates and the decision, in every poll (section 6.4.1) */
} clump_poll_costs;

/** The parameters of table 4.1 that the means depend on. */
typedef struct clump_poll_strategy {
    double accuracy;     /**< a, > 0 */
    double equality;     /**< k, > 0 */
    double minimum_skip; /**< s_min, >= 1; equal to s_max for a fractional strategy */
    double maximum_skip; /**< s_max, >= s_min */
} clump_poll_strategy;

/** What a poll receives on average, in messages, >= 0; and the time from poll to poll. */
typedef struct clump_poll_traffic {
    double local, network;
    double interval_us; /**< >= 0; of a process that does nothing but wait: c_l + b + c_n/s */
} clump_poll_traffic;

typedef struct clump_poll_effect {
    double skip;         /**< s: mean number of polls to each look at the network */
    clump_loggp local;   /**< shared memory beside the network */
    clump_loggp network; /**< the network beside shared memory */
} clump_poll_effect;

/**
 * What the plain sums leave out. All zero: nothing.
 *
 * A send that stores into the memory of a NIC returns while its stores are still in the write
 * buffer. In a burst, what the next send does first runs while they drain: of what polling shared
 * memory adds to a send over the network, that time (the shadow) costs nothing, which leaves
 * max(c_l + b - shadow, 0). A look at the network, which reads, waits until the stores are done,
 * and so does a system call: these have no shadow.
 */
typedef struct clump_poll_conditions {
    double
        message_strategy_us;  /**< b of a poll that accepts a message; 0: as in clump_poll_costs */
    double network_shadow_us; /**< the shadow of a send over the network */
    double receive_polls;     /**< polls for each message received from the network, besides those
                                   of sends; 0: 1. A process that waits for one message at a time
                                   polls until its look comes: s - 1, after the one of its send */
    double again_us;          /**< an empty look that follows one with a message, if it costs more;
                                   0: as c_n. In the LogGP of the network alone, a send that follows
                                   a receive pays it in its poll; with s >= 2 that poll does not
                                   look */
    double patience_us;       /**< after 64 polls without a look, the longest time since the last
                                   look, if `interval_us` is known; 0: no limit but s polls */
} clump_poll_conditions;

/**
 * LogGP of both protocols in one layer, from each `alone`. L of the network grows by the wait for
 * the next look. g of shared memory changes by as much as its overhead, since the processor is the
 * bottleneck there; g of the network does not change. An overhead is never below 0. O(1).
 * BAD_ARGUMENT names what is out of range.
 *
 * @param conditions  or NULL: none
 */
clump_status clump_polling_effect(const clump_poll_conditions *conditions,
                                  const clump_loggp *local_alone, const clump_loggp *network_alone,
                                  const clump_poll_costs *costs,
                                  const clump_poll_strategy *strategy,
                                  const clump_poll_traffic *traffic, clump_poll_effect *effect,
                                  clump_error *error);

#endif
