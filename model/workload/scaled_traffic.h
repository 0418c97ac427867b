/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef CLUMP_MODEL_WORKLOAD_SCALED_TRAFFIC_H
#define CLUMP_MODEL_WORKLOAD_SCALED_TRAFFIC_H

/* Traffic of numbers of processors for which it was not counted (MODEL.md 18). */

#include "model/workload/traffic.h"

/** Traffic that was counted, of one processor. */
typedef struct clump_counted_traffic {
    double processors; /**< of all nodes; 0: none */
    clump_traffic remote, local;
} clump_counted_traffic;

/** Nodes for which it is wanted, and the program. */
typedef struct clump_scaled_nodes {
    double nodes, processors; /**< of a node */
    int all_to_all;           /**< everybody sends to everybody, in equal parts */
    int fixed_problem;        /**< its size does not grow with the processors */
} clump_scaled_nodes;

/**
 * @param fewest, most  runs with the fewest and with the most processors; may be the same
 */
void clump_traffic_scale(const clump_counted_traffic *fewest, const clump_counted_traffic *most,
                         const clump_scaled_nodes *wanted, clump_traffic *remote,
                         clump_traffic *local);

/** All of it times a factor. */
clump_traffic clump_traffic_times(clump_traffic traffic, double factor);

#endif
