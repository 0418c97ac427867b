/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef CLUMP_MODEL_SLOWEST_H
#define CLUMP_MODEL_SLOWEST_H

/*
 * The slowest of several: where processors wait for each other, the one with most to do decides
 * (new; MODEL.md 25).
 *
 * Where processors differ (in messages or bytes sent, say), published measurements give mean, least
 * and greatest. The processors are taken as a sample of a normal distribution with these.
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

/** A quantity that differs from processor to processor. */
typedef struct clump_uneven {
    double mean, least, greatest;
    size_t processors; /**< over which these were taken; at least 1 */
} clump_uneven;

/** Standard deviation of the quantity: (greatest - least)/(2 E_max(processors)). 0 for one
 *  processor. */
double clump_uneven_deviation(const clump_uneven *uneven);

/**
 * Divide the processors into groups of `group`, independent of each other: by how much the greatest
 * of the groups' means is expected to exceed the mean of all. At most greatest - mean, since no
 * group's mean exceeds the greatest.
 *
 * @param group  processors of a group, at least 1; 1: single processors
 * @return 0 where all are in one group, or equal; NAN if least <= mean <= greatest does not hold
 */
double clump_uneven_excess(const clump_uneven *uneven, size_t group);

/**
 * Time for which a processor at the NIC with most to do waits longer than one at an average NIC:
 * each of the processors that it waits for there sends `excess` messages more (MODEL.md 18).
 *
 * @param utilization  U on the NOW
 * @param slowdown     X, at an average NIC
 * @param excess       messages of a processor there beyond the mean (clump_uneven_excess)
 * @param gap          g, in any unit of time
 * @return in the unit of `gap`; 0 where nobody waits, or for impossible values
 */
double clump_uneven_wait(const clump_coupling *coupling, double utilization, double slowdown,
                         double excess, double gap);

#endif
