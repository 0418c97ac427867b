/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef CLUMP_FITTING_CLUSTERS_COLLECTIVE_SHAPES_H
#define CLUMP_FITTING_CLUSTERS_COLLECTIVE_SHAPES_H

/*
 * Collective operations as chains of messages (model/workload/collective_time.h) whose times between nodes were
 * measured (MODEL.md, "Collective operations").
 */

#include "fitting/clusters/nic_rates.h"
#include "model/workload/collective_time.h"

#include <stdbool.h>

/** What is known of the NICs of a platform: rates of pairs, and half round trips of one pair by size. */
typedef struct clump_collective_nics {
    const clump_nic_rates *rates;
    const clump_cluster_sample *latencies; /**< us, sorted by size, at least one */
    size_t latency_count;
    double spread; /**< each message goes over the NICs as those of so many processes; 0: of one */
    /** How often bytes of messages of MPI_Isend are copied one after the other where they are fetched; 0: as half round trips. */
    double copies;
} clump_collective_nics;

typedef enum clump_collective {
    CLUMP_ALLREDUCE,
    CLUMP_ALLGATHER,
    CLUMP_ALLTOALL,
    CLUMP_BROADCAST
} clump_collective;

/** An operation of `processes` on `nodes` (2 at least), of size_bytes a process (alltoall: for each
 *  process). */
typedef struct clump_collective_call {
    clump_collective operation;
    double size_bytes, processes, nodes;
    bool in_rings; /**< long allgathers go around in a ring, and not in turns to both neighbours */
    bool nccl;     /**< NCCL: rings, or trees where these are faster between nodes */
    bool in_gpus;  /**< in memory of GPUs */
} clump_collective_call;

/** The same as the engine names it. */
clump_collective_kind clump_collective_kind_in_engine(clump_collective operation);

/** us after which a message of each of `sharing` processes of a node has arrived at another node. */
double clump_collective_message_us(const clump_collective_nics *nics, double sharing,
                                   double size_bytes);

clump_collective_chain clump_collective_chain_of(const clump_collective_call *call,
                                                 const clump_collective_nics *nics);

/** us of an operation that takes `us` behind the NICs `from`, behind the NICs `to`. */
double clump_collective_behind(const clump_collective_call *call, double us,
                               const clump_collective_nics *from, const clump_collective_nics *to);

#endif
