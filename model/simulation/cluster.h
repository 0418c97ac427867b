/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef CLUMP_MODEL_SIMULATION_CLUSTER_H
#define CLUMP_MODEL_SIMULATION_CLUSTER_H

/* The nodes on which messages and schedules are simulated: processors, NICs, LogGP parameters. */

#include "model/loggp.h"
#include "model/prediction.h"
#include "model/workload/polling.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/**
 * Adaptive polling (chapter 4) under both protocols of a node. A poll accepts up to `acceptance`
 * local messages; every s-th looks at the network too, and accepts up to s times as many there. s
 * follows from the integer estimates (4.6) to (4.8). Polls are made before every message that is
 * sent, answers included, between the pieces of a computation, and over and over by who waits.
 *
 * The LogGP parameters are then those of each protocol alone: in their overheads is a poll of their
 * own protocol, which is taken out, and the polls that happen are paid for instead.
 */
typedef struct clump_message_polling {
    clump_poll_costs costs; /**< local + strategy > 0 */
    uint32_t acceptance;    /**< 1 to 1024; 0: no adaptive polling, every poll finds everything */
    uint32_t accuracy;      /**< a, a power of two to 2^20 */
    uint32_t damping;       /**< d, a power of two below a, to 2^16 */
    uint32_t equality;      /**< k, a power of two to 4096 */
    uint32_t minimum_skip;  /**< s_min, at least 1 */
    uint32_t maximum_skip;  /**< s_max, s_min to d */
} clump_message_polling;

/** Table 4.1; the costs are the machine's. */
#define CLUMP_MESSAGE_POLLING_DEFAULTS ((clump_message_polling){{0, 0, 0}, 4, 4096, 256, 4, 4, 64})

/** Errors: CLUMP_BAD_ARGUMENT says which parameter or cost is wrong; `name` goes before it. */
clump_status clump_message_polling_check(const clump_message_polling *polling, const char *name,
                                         clump_error *error);

/**
 * Nodes that are all alike. Rank r is processor r % processors of node r / processors. A node is that of chapter 8 in terms of
 * messages:
 *
 *   mapping       pooled: a message takes the NIC that is free first, on both sides; static: that of its processor
 *   efficiency    a message takes 1/E(q) as long while q processors of its station (the node, or
 *                 the NIC if mapped statically) have messages at the NICs, itself included
 *   placement     a NIC serves near and far processors at those fractions of its speed, and the
 *                 NICs of a slot that are busy at the same time share its bandwidth; a pooled
 *                 message takes the NIC on which it ends first
 *   max_nics_per_processor  pooled: NICs that work for one processor at the same time; a message
 *                 takes a whole NIC, so that the fraction is cut off
 *   memory        which ranks of a node share while they compute: k of them go on at nu(k)/k each.
 *                 Messages are not slowed by it. Schedules cannot have it
 *   watch         may stop the simulation
 */
typedef struct clump_cluster {
    size_t nodes; /**< >= 1; at most 2^24 ranks in all */
    clump_node node;
    clump_loggp network, shared_memory;
    size_t send_queue;     /**< messages that wait at a NIC before its senders wait; 0: no limit */
    size_t receive_queue;  /**< messages that wait for a rank before its NIC waits; 0: no limit */
    bool half_duplex;      /**< a NIC that sends cannot receive at the same time */
    double memory_penalty; /**< factor of computations, > 0 */
    bool
        half_duplex_bus; /**< bytes of bulk messages cross the bus to the NIC one direction at a time; g is
                                not concerned */
    clump_message_polling polling;
} clump_cluster;

/**
 * The NOW of a machine: as many nodes as it has ranks, of a processor and a NIC each. Its NICs are
 * all near, nobody shares them, and nothing is local: there is nothing to be adaptive about.
 */
clump_cluster clump_cluster_now(const clump_cluster *machine);

/** Errors: CLUMP_BAD_ARGUMENT says what cannot be; `name` ("machine") goes before it. */
clump_status clump_cluster_check(const clump_cluster *machine, const char *name,
                                 clump_error *error);

#endif
