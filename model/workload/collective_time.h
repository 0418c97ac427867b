/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef CLUMP_MODEL_WORKLOAD_COLLECTIVE_TIME_H
#define CLUMP_MODEL_WORKLOAD_COLLECTIVE_TIME_H

/*
 * How long a collective operation takes on nodes whose processors share NICs, in closed form (new; MODEL.md 22 and 33).
 *
 *     a chain of messages (collective_algorithms.h), costs within nodes -> clump_collective_us
 *     all of it, from LogGP and the NICs of a node                      -> clump_collective_time
 */

#include "model/loggp.h"
#include "model/node.h"
#include "model/workload/collective_algorithms.h"
#include "model/workload/nccl.h"

/**
 * What messages within a node cost: latency and overheads, and the gap of a byte. Libraries copy short messages and let
 * receivers fetch long ones: these may have costs of their own.
 */
typedef struct clump_collective_local {
    double latency_us, gap_us_per_byte;
    double combine_us_per_byte; /**< of what reductions add up */
    double long_from;           /**< bytes of the shortest long message; 0: there are none */
    double long_latency_us, long_gap_us_per_byte;
} clump_collective_local;

/** us of an operation. */
double clump_collective_us(const clump_collective_chain *chain,
                           const clump_collective_local *local);

/** Nodes, all alike. */
typedef struct clump_collective_clump {
    const clump_node *node;    /**< processors, NICs, mapping, m, efficiency, slots */
    clump_loggp network;       /**< between nodes */
    clump_loggp shared_memory; /**< within; not read where nothing stays in a node */
    bool half_duplex;          /**< the bus of a NIC moves one direction at a time */
    /** What NCCL runs on, all GPUs and NICs of a node; how many nodes is not read. NULL: not known. */
    const clump_nccl_node *nccl;
} clump_collective_clump;

/** A call of all communicators of some size: rank i of one is `stride` behind rank i - 1. */
typedef struct clump_collective_request {
    clump_collective_kind kind;
    clump_collective_algorithm algorithm;
    double bytes;    /**< real, >= 0 */
    uint32_t ranks;  /**< of all communicators together */
    uint32_t size;   /**< of each; size times stride divides ranks */
    uint32_t stride; /**< >= 1 */
} clump_collective_request;

typedef struct clump_collective_cost {
    double us;
    double nic_us;                        /**< of one NIC, for what leaves a node */
    double remote_messages, remote_bytes; /**< that leave a node */
    const char *way;                      /**< NCCL's, such as "ring LL"; else NULL */
} clump_collective_cost;

/** Where its ranks are. Errors: CLUMP_BAD_ARGUMENT if nodes of so many processors do not hold all communicators alike. */
clump_status clump_collective_lay_out(const clump_collective_request *call, size_t processors,
                                      clump_collective_layout *layout, clump_error *error);

/**
 * Errors: those of the two above. Cost: as clump_collective_chain_make.
 */
clump_status clump_collective_time(const clump_collective_request *call,
                                   const clump_collective_clump *clump, clump_collective_cost *cost,
                                   clump_error *error);

/**
 * What NCCL takes, and how long that is (nccl.h). Communicators on the same nodes have equal shares of the NICs; of GPUs that are
 * joined to each other, and not to a switch, a communicator has the links between its own.
 * @param algorithm  the ring or the tree whose messages come nearest to it
 * Errors: as clump_nccl_time_of, and where clump->nccl is NULL. Cost: constant.
 */
clump_status clump_collective_nccl(const clump_collective_request *call,
                                   const clump_collective_clump *clump,
                                   clump_collective_algorithm *algorithm,
                                   clump_collective_cost *cost, clump_error *error);

/** The algorithm that is fastest of those that the kind has. Errors and cost: as above, of all algorithms. */
clump_status clump_collective_fastest(const clump_collective_request *call,
                                      const clump_collective_clump *clump,
                                      clump_collective_algorithm *algorithm,
                                      clump_collective_cost *cost, clump_error *error);

#endif
