/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef CLUMP_SIMULATION_MESSAGES_H
#define CLUMP_SIMULATION_MESSAGES_H

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
#include "model/prediction.h"
#include "model/simulation/simulation.h"

/** Nodes that are all alike. Rank r is processor r % processors of node r / processors. */
typedef struct clump_machine {
    size_t nodes;          /**< >= 1; at most 2^24 ranks in all */
    size_t processors;     /**< of each node, >= 1 */
    size_t nics;           /**< of each node, >= 1 */
    clump_mapping mapping; /**< pooled: a message takes the NIC that is free first, on both sides;
                                static: that of its processor, groups as even as possible */
    clump_loggp network, shared_memory;
    size_t send_queue;     /**< messages that wait at a NIC before its senders wait; 0: no limit */
    size_t receive_queue;  /**< messages that wait for a rank before its NIC waits; 0: no limit */
    bool half_duplex;      /**< a NIC that sends cannot receive at the same time */
    double memory_penalty; /**< factor of computations, > 0 */
} clump_machine;

/** Who sends to whom. */
typedef enum clump_pattern {
    CLUMP_PATTERN_UNIFORM = 0, /**< random ranks: of other nodes for the share remote_share of the
                                    messages, of the own node for the others */
    CLUMP_PATTERN_ALL_TO_ALL,  /**< r+1, r+2, ... in turn, all but itself */
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
 * as options->precision wants it: at least 8 times, or 2 where nothing is random.
 *
 * @param against  a second machine for the same program with the same random numbers, or NULL; then
 *                 the interval of the ratio of both times counts
 * @param ratio    time on the machine over time on `against`, with its interval; or NULL
 * Errors: CLUMP_BAD_ARGUMENT; CLUMP_NO_MEMORY.
 * Memory: some 100 bytes a rank, 40 a NIC and 32 a message on its way, for each thread.
 * Cost: two or three events a message, O(log of the messages on their way) each.
 */
typedef struct clump_ratio {
    double value, half_width;
} clump_ratio;
clump_status clump_simulate_messages(const clump_machine *machine, const clump_machine *against,
                                     const clump_program *program,
                                     const clump_simulation_options *options,
                                     clump_message_result *result, clump_message_result *other,
                                     clump_ratio *ratio, clump_error *error);

#endif
