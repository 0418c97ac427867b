/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef CLUMP_MODEL_SIMULATION_MESSAGES_H
#define CLUMP_MODEL_SIMULATION_MESSAGES_H

/*
 * Message-level simulation: what chapter 8 leaves out (8.5.3, 8.5.4). Ranks that compute, send, and
 * handle what arrives when they poll; discrete messages with LogGP times; NICs that are occupied in
 * both directions, so that many senders to one receiver contend there; windows, and queues of
 * finite length whose senders wait.
 *
 * One message of b bytes between nodes, the processors and NICs being free:
 *
 *   0                     the sender begins
 *   o_s                   the sending NIC begins; it is busy for g + (b-1) G
 *   o_s + L               the first byte is at the receiving NIC, which is busy for g + (b-1) G
 *   o_s + L + (b-1) G     the message is in the receiver's queue
 *   + o_r                 handled, if the receiver polls at once
 *
 * Within a node the same holds with the parameters of shared memory, where every processor has a
 * port of its own in place of the NICs. Times in microseconds.
 */

#include "model/loggp.h"
#include "model/polling.h"
#include "model/prediction.h"
#include "model/simulation/simulation.h"

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
 * Nodes that are all alike. Rank r is processor r % processors of node r / processors.
 *
 * What follows memory_penalty is chapter 8's in terms of messages; all zero: none of it.
 *
 *   group_sizes   static mapping: processors of each NIC
 *   efficiency    a message takes 1/E(q) as long while q processors of its station (the node, or
 *                 the NIC if mapped statically) have messages at the NICs, itself included
 *   placement     a NIC serves near and far processors at those fractions of its speed, and the
 *                 NICs of a slot that are busy at the same time share its bandwidth; a pooled
 *                 message takes the NIC on which it ends first
 *   max_nics_per_processor  pooled: NICs that work for one processor at the same time; a message
 *                 takes a whole NIC, so that the fraction is cut off
 *   half_duplex_bus  bytes of bulk messages cross the bus to the NIC one direction at a time; g is
 *                 not concerned
 */
typedef struct clump_cluster {
    size_t nodes;          /**< >= 1; at most 2^24 ranks in all */
    size_t processors;     /**< of each node, >= 1 */
    size_t nics;           /**< of each node, >= 1 */
    clump_mapping mapping; /**< pooled: a message takes the NIC that is free first, on both sides;
                                static: that of its processor */
    clump_loggp network, shared_memory;
    size_t send_queue;     /**< messages that wait at a NIC before its senders wait; 0: no limit */
    size_t receive_queue;  /**< messages that wait for a rank before its NIC waits; 0: no limit */
    bool half_duplex;      /**< a NIC that sends cannot receive at the same time */
    double memory_penalty; /**< factor of computations, > 0 */
    const size_t *group_sizes; /**< NULL: as even as possible, larger ones first */
    clump_efficiency efficiency;
    clump_placement placement;
    double max_nics_per_processor; /**< >= 1; 0: no limit */
    bool half_duplex_bus;
    clump_message_polling polling;
} clump_cluster;

/**
 * The NOW of a machine: as many nodes as it has ranks, of a processor and a NIC each. Its NICs are
 * all near, nobody shares them, and nothing is local: there is nothing to be adaptive about.
 */
clump_cluster clump_cluster_now(const clump_cluster *machine);

/** Who sends to whom. */
typedef enum clump_pattern {
    CLUMP_PATTERN_UNIFORM = 0, /**< random ranks: of other nodes for the share remote_share of the
                                    messages, of the own node for the others */
    CLUMP_PATTERN_ALL_TO_ALL,  /**< r+1, r+2, ... in turn, all but itself; `run` messages each */
    CLUMP_PATTERN_NEIGHBOURS,  /**< r+1 and r-1 in turn */
    CLUMP_PATTERN_MANY_TO_ONE, /**< rank 0, which sends nothing by itself */
    CLUMP_PATTERN_MATRIX       /**< random, in proportion to the row of the matrix */
} clump_pattern;

/** What every rank does: computations, each followed by a burst of messages; sometimes a barrier.
 */
typedef struct clump_program {
    clump_pattern pattern;
    double remote_share;   /**< uniform pattern, 0 to 1; of nodes of node_size processors */
    size_t node_size;      /**< for that: nodes of the program, which can be smaller than those of
                                the machine; 0: those of the machine */
    const double *matrix;  /**< ranks x ranks weights >= 0, row by row; the diagonal is not used */
    double messages;       /**< of each rank, >= 0; the fraction is rounded up or down at random */
    double bulk_share;     /**< of them that are bulk, 0 to 1 */
    double bulk_bytes;     /**< of each bulk message, >= 1 */
    double reply_share;    /**< of the messages that are answered by a short message */
    double blocking_share; /**< of the answered ones whose sender waits for the answer */
    size_t window;         /**< messages of a rank not yet handled or answered, at most; 0: no
                                limit */
    double computation_us; /**< of each rank in all */
    double burst;          /**< messages that follow each computation, >= 1; whole */
    clump_service_time computation_times; /**< between two bursts */
    double poll_us; /**< a computation is interrupted by a poll this often; 0: never */
    double phases;  /**< barriers in the program, the one at its end included, >= 1 */
    double run; /**< all-to-all and neighbours: messages to a rank before the next one's turn, on
                     average; below 1 is taken as 1 */
    /** Ranks r, r+1, ... of a node that compute for the same random times; 0 or 1: none do. */
    size_t together;
    clump_service_time bulk_sizes; /**< bulk messages have 1 + (bulk_bytes-1) x bytes, x of mean 1;
                                        only if sizes_vary */
    bool sizes_vary;
    /** Work of the processors of each node_size, in messages and computation, relative to their
     *  mean; NULL: all the same. */
    const double *imbalance;
} clump_program;

typedef struct clump_message_result {
    double time_us;             /**< until the last rank is done: mean of the replications */
    double half_width;          /**< of its interval, us */
    double nic_utilization;     /**< sending side, mean over the NICs */
    double receive_utilization; /**< receiving side */
    double waiting;             /**< share of the ranks' time in which they only wait and poll */
    double longest_queue;       /**< of a rank, messages; greatest of all replications */
    double messages;            /**< sent in all, replies included */
    double events;
    size_t replications;
    bool reached;
} clump_message_result;

/**
 * Run the program on the machine, again and again until the interval of the mean time is as narrow
 * as options->precision wants it: at least 8 times, or once where nothing is random.
 *
 * Before options->most_events are exceeded it stops with what there is, and `reached` false. If not
 * even the first runs (two on each machine) come to their end within them, they are given up, and
 * the results but for `events` are NAN.
 *
 * @param against  a second machine for the same program with the same random numbers, or NULL; then
 *                 the interval of the ratio of both times counts
 * @param ratio    time on the machine over time on `against`, with its interval; or NULL
 * Errors: CLUMP_BAD_ARGUMENT; CLUMP_NO_MEMORY.
 * Memory, for each thread and machine: 176 bytes a rank, 56 more with adaptive polling, 32 more
 * with ranks that compute together; 56 bytes a NIC, 8 more for each place in its queue; up to 112
 * bytes a message on its way (arrays that double).
 * Cost: two or three events a message, O(log of the messages on their way) each. A poll in vain is
 * an event as well, but for those that follow each other when nothing changes any more.
 */
typedef struct clump_ratio {
    double value, half_width;
} clump_ratio;
clump_status clump_simulate_messages(const clump_cluster *machine, const clump_cluster *against,
                                     const clump_program *program,
                                     const clump_simulation_options *options,
                                     clump_message_result *result, clump_message_result *other,
                                     clump_ratio *ratio, clump_error *error);

#endif
