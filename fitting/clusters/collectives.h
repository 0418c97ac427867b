/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef CLUMP_FITTING_CLUSTERS_COLLECTIVES_H
#define CLUMP_FITTING_CLUSTERS_COLLECTIVES_H

/*
 * Collective operations from the LogGP parameters of messages within and between nodes. Those within nodes
 * are fitted to the other operations of the platform and transport: what is predicted is not among them.
 */

#include "fitting/clusters/collective_shapes.h"

/** A measured time, as the fit sees it. */
typedef struct clump_collective_point {
    clump_collective_chain chain;
    double us;     /**< measured, more than 0 */
    double weight; /**< in the sum that is made small */
} clump_collective_point;

/**
 * The parameters of messages within nodes with which the weighted sum of |log(predicted/measured)| is least:
 * a time that one algorithm or another explains badly counts no more than its distance.
 * @param points       are sorted
 * @param fetched_gap  us/B of messages that receivers fetch, where it is known; 0: it is fitted
 * Cost: some hundred times the number of points.
 */
clump_collective_local clump_collective_fit(clump_collective_point *points, size_t count,
                                            double fetched_gap);

#endif
