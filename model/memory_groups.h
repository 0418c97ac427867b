/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef CLUMP_MODEL_MEMORY_GROUPS_H
#define CLUMP_MODEL_MEMORY_GROUPS_H

/*
 * Internal to model/. Groups of processors that have NICs of their own, as in a static mapping, and share one
 * memory (new; MODEL.md 22).
 *
 *   q_g   customers of group g that communicate, Q their sum over the groups
 *   K     customers that compute, of all groups together: J - Q
 *
 * The equilibrium of all groups has product form, prod_g A_g(q_g) K!/V(K). Seen from one group the others
 * only change the speed at which it computes: while k of its own customers do, they go on at the rate
 * k E[nu(K)/K], which depends on k alone. With this rate in place of nu it is a closed network on its own.
 */

#include "model/station.h"
#include "model/watch.h"

#include <stddef.h>

/** Groups that are alike. */
typedef struct model_memory_group {
    size_t count;               /**< at least 1 */
    size_t customers;           /**< of each, processors or gangs, at least 1 */
    const double *utilizations; /**< one for all, or one a customer */
    size_t utilization_count;
    clump_station station; /**< of each; its gang_size is the same in all groups */
    double
        *rates; /**< receives `customers` + 1 rates at which the customers of one group compute: put
                        into its station as `computing`, with gang_size as computing_step */
} model_memory_group;

/** Customers of all groups together, at most; and times the groups that differ. */
#define MODEL_MEMORY_MOST_CUSTOMERS ((size_t)10000)
#define MODEL_MEMORY_MOST_STATES ((size_t)10000000)

/**
 * @param memory        a station with the nu of the node in `computing`, and the gang_size of the groups;
 *                      nothing else of it is read
 * @param distribution  receives the probabilities that 0, 1, ... customers communicate, or NULL
 * @param computed      receives the mean rate at which all compute, in customers
 * Errors: CLUMP_BAD_ARGUMENT also beyond the limits above; CLUMP_STOPPED.
 * Cost: O(J^2) time; O(J) memory for each group that differs.
 */
clump_status model_memory_groups_solve(model_memory_group *groups, size_t count,
                                       const clump_station *memory, const clump_watch *watch,
                                       double *distribution, double *computed, clump_error *error);

#endif
