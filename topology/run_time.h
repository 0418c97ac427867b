/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef CLUMP_TOPOLOGY_RUN_TIME_H
#define CLUMP_TOPOLOGY_RUN_TIME_H

/*
 * What sharing links costs a program: processors compute, and send what takes them `utilization` of
 * their time where they have the best way to a NIC to themselves. MODEL.md 31.
 */

#include "topology/assignment.h"

typedef struct clump_topology_run_time {
    double
        at_random;  /**< mean slowdown where processors send independently of each other; NAN where
                           there are more than CLUMP_MOST_BALANCED */
    double at_once; /**< where all send at once, and wait for the slowest */
} clump_topology_run_time;

enum { CLUMP_MOST_BALANCED = 16 };

/**
 * Times over those without sharing.
 *
 * At random: the closed network of processors and links with balanced fair shares (Bonald and Proutiere,
 * Queueing Systems 44, 2003), whose states have a product form for any distribution of computations and
 * messages. At once: fluid, with max-min fair shares that change as processors finish.
 *
 * @param utilization  0 to 1, below 1
 * Errors: CLUMP_BAD_ARGUMENT, also where no limit of any rate is known; CLUMP_NO_MEMORY.
 * Cost: O(2^P links).
 */
clump_status clump_topology_time(const clump_topology *topology, const clump_topology_rules *rules,
                                 const clump_assignment *assignment, double utilization,
                                 clump_topology_run_time *time, clump_error *error);

#endif
