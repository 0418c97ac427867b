/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef CLUMP_MODEL_SLOWEST_H
#define CLUMP_MODEL_SLOWEST_H

/*
 * The slowest of several nodes: a program with barriers takes as long as the last processor of all its nodes (new;
 * MODEL.md 25). What processors have to do is known one by one, or from its spread: then processors are taken as a sample
 * of a normal distribution, and the time is an expectation.
 */

#include "model/stages.h"

#include <stdbool.h>
#include <stddef.h>

/**
 * E_max(k): the mean of the greatest of k independent standard normal numbers. 0 for k <= 1,
 * 1/sqrt(pi) for 2; some sqrt(2 log k) for many.
 *
 * H. L. Harter, *Biometrika* 48 (1961), has it in tables. Error below 1e-13, as far as 10^18. Cost:
 * up to 64 that of a table; of more some 1300 exponentials.
 */
double clump_slowest_normal(size_t count);

/** A quantity that differs from processor to processor, of which only some numbers are known. */
typedef struct clump_spread {
    double mean;
    double deviation;       /**< of a processor; NAN: from least and greatest */
    double least, greatest; /**< with a deviation bounds of every value, or NAN */
    size_t processors;      /**< of which least and greatest are the extremes; read with them */
    double skew, scale;     /**< found by clump_spread_fit */
} clump_spread;

/**
 * Where there is no deviation: let values be mean + scale (exp(skew z) - exp(skew^2/2)), whose mean is the mean, and of
 * which the extremes of `processors` are least and greatest on average. skew 0, where these are equally far from the mean:
 * normal, mean + scale z. A skew beyond 4, and data that no values have, count as 4. Cost: some 10^4 exponentials.
 */
void clump_spread_fit(clump_spread *spread);

/** The value that belongs to the standard normal number `z`, at least 0: as fitted; with a deviation mean + z deviation
 *  within the bounds. */
double clump_spread_value(const clump_spread *spread, double z);

/** A program with barriers on nodes that are alike, whose processors differ. */
typedef struct clump_job {
    const clump_node *node;
    size_t nodes; /**< at least 1 */
    clump_demand demand;
    double gang_size, phase_cycles;
    bool listed; /**< nodes differ: `needs` is asked for each of them, else for one */
    bool drawn;  /**< needs depend on normal numbers */
    /**
     * What the processors of a node have to do.
     *
     * @param z        P independent standard normal numbers, one a processor; NULL unless `drawn`
     * @param needs    receives P needs, in any unit of time
     * @param waiting  receives the share of all time without NICs that is waiting for latency (memory.h)
     * @param alone    receives what the slowest of these processors takes on the NOW, in the same unit
     */
    clump_status (*needs)(void *context, size_t node, const double *z, clump_need *needs,
                          double *waiting, double *alone, clump_error *error);
    void *context;
} clump_job;

typedef struct clump_job_time {
    double time;     /**< from barrier to barrier; of draws its expectation */
    double now_time; /**< the same on the NOW */
    size_t
        node; /**< from 0, of `last`: of draws that of a job of which half of all jobs are faster */
    clump_last last;
    clump_bounds bounds; /**< of `time`, of needs that are not drawn; all 0: none known */
} clump_job_time;

/**
 * The time of the last processor of all nodes: stages.h for each node, and where values are drawn the expected greatest of
 * as many nodes. The same draws, whatever the NICs and the demand: what holds for each draw holds for the mean.
 *
 * @param alone_only  only now_time is wanted
 * Cost: lists: one solution a node that differs. Draws: those of a node, at most 64 (4 + log2 nodes), 8 (4 + log2 nodes) for
 *       many processors; each of a node if nodes differ.
 */
clump_status clump_job_solve(const clump_job *job, bool alone_only, clump_job_time *found,
                             clump_error *error);

#endif
