/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef CLUMP_MODEL_DEMAND_H
#define CLUMP_MODEL_DEMAND_H

/*
 * Demands that are not independent (8.3.3), and what lies between (new).
 *
 *   correlated   all processors start to communicate at the same moment          (8.9)
 *   scheduled    the best that any schedule of the communication can reach       (8.10)
 *   gang         groups of s processors that move together; s = 1 is independent,
 *                s = P correlated                                               (new)
 */

#include "model/classes.h"
#include "model/station.h"
#include "model/status.h"

#include <stddef.h>

typedef enum clump_demand {
    CLUMP_DEMAND_INDEPENDENT = 0,
    CLUMP_DEMAND_CORRELATED,
    CLUMP_DEMAND_SCHEDULED,
    CLUMP_DEMAND_GANG /**< the last one: its name has a number */
} clump_demand;

/** The others, for messages, and all of them, for completion. */
#define CLUMP_DEMAND_LIST "independent, correlated, scheduled"
#define CLUMP_DEMAND_WORDS "independent|correlated|scheduled|gang:"

/** "independent", "correlated", "scheduled" or "gang". */
const char *clump_demand_kind_name(clump_demand demand);

/** Parse such a name. @return 0 if it is none */
int clump_demand_kind_parse(const char *name, clump_demand *demand);

/** The same, but "gang:S" with S in shortest form for gangs. */
#define CLUMP_DEMAND_NAME_SIZE 40
void clump_demand_name(clump_demand demand, double gang_size, char name[CLUMP_DEMAND_NAME_SIZE]);

/** Parse a name with the size of its gangs, which is 1 for the others. @return 0 if it is none */
int clump_demand_parse(const char *name, clump_demand *demand, double *gang_size);

/**
 * Correlated demand. For one class X = 1 - U + U P/mu(P), which is (8.9) when mu = N. With several
 * (new) all start together, share the station as always, and those with the least to send finish
 * first: X_k = 1 - U_k + t_k.
 *
 * @param classes    in ascending order of utilization, as clump_classes_make leaves them
 * @param slowdowns  receives one value a class
 * Cost: O(classes).
 */
clump_status clump_correlated_slowdown(const clump_class *classes, size_t class_count,
                                       const clump_station *station, double *slowdowns,
                                       clump_error *error);

/**
 * Scheduled demand: the execution time of the slowest processor under the best schedule.
 *
 * A schedule that spends the time tau_q with q processors active must satisfy
 * sum tau_q mu(q) >= sum_p U_p and sum tau_q q <= sum_p (X - (1-U_p)); the least such X is the
 * maximum, over the edges (intercept a, slope b >= 0) of the concave hull of mu, of
 *     (sum U_p + b sum (1-U_p)) / (a + b P)
 * and of what each processor needs alone. For mu = N the two edges are the two domains of (8.10).
 * For equal utilizations the bound is reached; otherwise it is a bound. New; MODEL.md 5.
 *
 * Cost: O(classes), and O(P) where efficiency is given or slots are shared.
 */
clump_status clump_scheduled_slowdown(const clump_class *classes, size_t class_count,
                                      const clump_station *station, double *slowdown,
                                      clump_error *error);

/**
 * Gangs of `gang_size` processors with equal utilization: X(P/s, N/s, U).
 *
 * Real s: exact through the closed form of erlang.h when mu is constant. Otherwise P/s is taken as
 * the nearest whole numbers of (equal) gangs below and above, and X interpolated linearly in s.
 *
 * @param station    of the node, seen by single processors (its gang_size is not used)
 * @param gang_size  s, 1 to P
 * Cost: O(P/s).
 */
clump_status clump_gang_slowdown(size_t processors, double utilization,
                                 const clump_station *station, double gang_size, double *slowdown,
                                 clump_error *error);

#endif
