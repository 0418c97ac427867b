/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef CLUMP_MODEL_WORKLOAD_PLACED_H
#define CLUMP_MODEL_WORKLOAD_PLACED_H

/*
 * What the messages of a program ask of NICs, if its ranks are placed on nodes of P processors (new;
 * MODEL.md 28): from who sends what to whom, to the times of each rank.
 *
 * A message of b bytes occupies the NIC of its sender and that of its receiver for g + (b-1) G. Both
 * directions of a NIC work at once, so that a rank which sends and receives together is done when the longer
 * of both is; one that sends, and then receives, takes the sum. Where a rank waits for a message before it
 * goes on, the rest of o_s + L + o_r comes on top, and is waiting that loads no NIC. A rank is never faster
 * than its own overheads, o_s for each message sent and o_r for each received.
 */

#include "model/loggp.h"
#include "model/status.h"

#include <stddef.h>
#include <stdint.h>

/** Messages from a rank to another, of about the same size. */
typedef struct clump_placed_messages {
    uint32_t from, to; /**< a message to oneself costs nothing */
    double messages;   /**< >= 0, real where those of a collective are shared out */
    double bytes;      /**< of all of them, >= 0 */
} clump_placed_messages;

/** How a rank goes about its messages. */
typedef struct clump_placed_style {
    /** Of the messages that it receives: it goes on only when they are there. */
    double waited_share;
    double serial_share; /**< of its transfers: it does not send and receive at once */
} clump_placed_style;

/** Time of a rank in communication, microseconds. */
typedef struct clump_placed_rank {
    double now_us;    /**< on the NOW, where every rank has a node of its own */
    double remote_us; /**< on nodes of P: what it exchanges with other nodes, by a NIC of its own */
    double nic_us;    /**< of that, in which a NIC is in use; <= remote_us */
    double local_us;  /**< what it exchanges with its own node */
    /** Time of NICs for what it sends to other nodes; the greater of this and ... */
    double sent_us;
    double received_us;                      /**< ... this is nic_us where both go on at once */
    double local_sent_us, local_received_us; /**< the same of local_us */
    double remote_messages;                  /**< sent to other nodes */
    double remote_bytes;
} clump_placed_rank;

/**
 * @param ranks          of the program
 * @param processors     P: ranks 0 to P-1 are on the first node, and so on; the last one may have fewer
 * @param network        between nodes, and everywhere on the NOW
 * @param shared_memory  within a node; may be NULL where clump_placed_is_local() is 0
 * @param styles         one a rank
 * @param placed         receives one a rank
 * Errors: CLUMP_BAD_ARGUMENT for ranks beyond the last one, numbers below 0, and a missing protocol;
 *         CLUMP_NO_MEMORY.
 * Cost: O(messages + ranks).
 */
clump_status clump_placed_compute(const clump_placed_messages *messages, size_t count, size_t ranks,
                                  size_t processors, const clump_loggp *network,
                                  const clump_loggp *shared_memory,
                                  const clump_placed_style *styles, clump_placed_rank *placed,
                                  clump_error *error);

/** Whether any of the messages stays within a node of P. */
int clump_placed_is_local(const clump_placed_messages *messages, size_t count, size_t processors);

#endif
