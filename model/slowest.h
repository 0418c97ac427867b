/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef CLUMP_MODEL_SLOWEST_H
#define CLUMP_MODEL_SLOWEST_H

/*
 * The slowest of several: where processors wait for each other, the one with most to do decides
 * (new; MODEL.md 25).
 *
 * Documents give of what processors differ in (messages, bytes) the mean, the least and the
 * greatest. The processors are taken as a sample of a normal distribution.
 */

#include "model/tight_coupling.h"

#include <stddef.h>

/**
 * E_max(k): the mean of the greatest of k independent standard normal numbers. 0 for k <= 1,
 * 1/sqrt(pi) for 2; some sqrt(2 log k) for many.
 *
 * H. L. Harter, *Biometrika* 48 (1961), has it in tables. Error below 1e-13, as far as 10^18. Cost:
 * up to 64 that of a table; of more some 1300 exponentials.
 */
double clump_slowest_normal(size_t count);

/** What differs from processor to processor. */
typedef struct clump_uneven {
    double mean, least, greatest;
    size_t processors; /**< of which these are; at least 1 */
} clump_uneven;

/** Standard deviation of a processor: the range is 2 E_max(processors) of it. 0 for one processor. */
double clump_uneven_deviation(const clump_uneven *uneven);

/**
 * By how much the expected greatest mean of a group exceeds the mean of all: groups of `group`
 * processors that have nothing to do with each other, as many as there are. At most greatest - mean:
 * no group has more than all of its processors with the greatest.
 *
 * @param group  processors of a group, at least 1; 1: of single processors
 * @return 0 where all are in one group, or equal; NAN if least <= mean <= greatest does not hold
 */
double clump_uneven_excess(const clump_uneven *uneven, size_t group);

/**
 * Time for which a processor waits at the NIC with most to do, beyond what it waits at one with as much
 * as all others: each of those that hold it up there does so for that much more (MODEL.md 18).
 *
 * @param utilization  U on the NOW
 * @param slowdown     X, at a NIC with as much as all others
 * @param excess       by how much messages of a processor there exceed the mean (clump_uneven_excess)
 * @param gap          g, in any unit of time
 * @return in that unit; 0 where nobody is held up, or for values that cannot be
 */
double clump_uneven_wait(const clump_coupling *coupling, double utilization, double slowdown,
                         double excess, double gap);

#endif
