/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef CLUMP_FITTING_GANGS_GANG_FIT_H
#define CLUMP_FITTING_GANGS_GANG_FIT_H

/*
 * How much processors of a node communicate together: the size of gangs s, from the number q of them that
 * do so at a time (new; MODEL.md 28).
 *
 * Independent processors make q vary as little as chance allows, gangs of s make its variance s times as
 * large, and if all communicate at once it is the greatest that there can be. The variance also says how
 * often a processor that communicates meets others, which is what costs time where NICs are shared.
 *
 * What was recorded is one stretch of time, whose moments depend on those before. It is cut into batches,
 * as many as seem to be independent of each other, and the interval is that of the jackknife over these.
 */

#include "model/status.h"
#include "model/workload/overlap.h"

#include <stdbool.h>
#include <stddef.h>

typedef struct clump_gang_question {
    size_t processors; /**< P of a node, at least 2 */
    /** N that they shared, pooled, while they were recorded; 0: nobody slowed anybody down, as on a NOW */
    double nics;
    const clump_overlap_window *windows; /**< in the order of time, of about the same length */
    size_t window_count;
    const double
        *shares;        /**< of its time that each processor communicates; NULL: the same for all */
    size_t share_count; /**< of those: P, or more if nodes differ */
    /** The shares are those of one node after the other, and windows are of all these nodes together. Then what differs
     *  from node to node does not count as processors that communicate together. Processors of a last node that is not
     *  complete are in no window. */
    bool by_node;
    double confidence; /**< of the interval, such as 0.9 */
} clump_gang_question;

typedef struct clump_gang_fit {
    double utilization; /**< share of the time that a processor is active */
    double variance;    /**< of q, around the mean of its node */
    double gang_size;   /**< s, 1 to P */
    double low, high;   /**< its interval; NAN: too little was recorded for one */
    /** Variance over that of independent processors: below 1 they avoid each other. */
    double ratio;
    double ratio_low, ratio_high;
    size_t batches; /**< behind the interval */
    /** Independent ones that would tell the mean of q as well; NAN: not known. */
    double observations;
    bool rejects_independent; /**< the interval leaves s = 1 out, on either side ... */
    bool rejects_correlated;  /**< ... and s = P */
} clump_gang_fit;

/** Fewer batches than this have no interval. */
#define CLUMP_GANG_LEAST_BATCHES 8

/**
 * @param fit  filled in on CLUMP_OK
 * Errors: CLUMP_BAD_ARGUMENT for numbers that cannot be, and where nobody or everybody communicates all the
 *         time, so that nothing follows.
 * Cost: O(windows); with NICs that were shared also some 2000 P a batch.
 */
clump_status clump_gang_fit_compute(const clump_gang_question *question, clump_gang_fit *fit,
                                    clump_error *error);

/**
 * The distribution of q that gangs of s have in equilibrium, whose mean is given: what a histogram is
 * compared with. s = 1 is independent, s = P correlated demand.
 *
 * @param nics          as in the question
 * @param mean          of q, between 0 and P, both left out
 * @param distribution  receives P + 1 shares of the time. Where gangs are not of a whole size the neighbouring
 *                      whole numbers share what falls between them.
 */
clump_status clump_gang_distribution(size_t processors, double nics, double mean, double gang_size,
                                     double *distribution, clump_error *error);

/** Half of the sum of the differences: the share of the time that would have to be moved to make one of the
 *  other, 0 to 1. */
double clump_gang_distance(const double *distribution, const double *other, size_t processors);

#endif
