/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef CLUMP_FITTING_CLUSTERS_COLLECTIVES_H
#define CLUMP_FITTING_CLUSTERS_COLLECTIVES_H

/*
 * Collective operations of all processes of some nodes behind other NICs: what crosses the NICs follows
 * from the algorithm, what stays within nodes is taken from the same operation behind the NICs that
 * there are (MODEL.md, "Collective operations").
 */

#include "fitting/clusters/nic_rates.h"

/** What is known of the NICs of a platform: rates of pairs, and half round trips of one pair by size. */
typedef struct clump_collective_nics {
    const clump_nic_rates *rates;
    const clump_cluster_sample *latencies; /**< us, sorted by size, at least one */
    size_t latency_count;
} clump_collective_nics;

typedef enum clump_collective { CLUMP_ALLREDUCE, CLUMP_ALLGATHER, CLUMP_ALLTOALL } clump_collective;

/** An operation of `processes` on `nodes` (2 at least), of size_bytes a process (allgather, alltoall: for each other one). */
typedef struct clump_collective_call {
    clump_collective operation;
    double size_bytes, processes, nodes;
} clump_collective_call;

/** us after which a message of each of `sharing` processes of a node has arrived at another node. */
double clump_collective_message_us(const clump_collective_nics *nics, double sharing,
                                   double size_bytes);

/** us of an operation that takes `us` behind the NICs `from`, behind the NICs `to`. */
double clump_collective_predict(const clump_collective_call *call, double us,
                                const clump_collective_nics *from, const clump_collective_nics *to);

/** Predict allreduce, allgather and alltoall of OSU and IMB on each platform from each other one. */
clump_status clump_cluster_collectives(clump_cluster_work *work);

#endif
