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

#include "model/simulation/cluster.h"
#include "model/simulation/message_program.h"
#include "model/simulation/simulation.h"

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

typedef struct clump_ratio {
    double value, half_width;
} clump_ratio;

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
clump_status clump_simulate_messages(const clump_cluster *machine, const clump_cluster *against,
                                     const clump_program *program,
                                     const clump_simulation_options *options,
                                     clump_message_result *result, clump_message_result *other,
                                     clump_ratio *ratio, clump_error *error);

#endif
