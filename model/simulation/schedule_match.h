/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef CLUMP_MODEL_SIMULATION_SCHEDULE_MATCH_H
#define CLUMP_MODEL_SIMULATION_SCHEDULE_MATCH_H

/*
 * Internal to model/simulation. Messages of a schedule find their receives: by source and tag,
 * first come, first served. A message is known by the operation that sends it.
 */

#include "model/simulation/schedule_operations.h"

/** What has happened to an operation, bits. */
enum {
    SCHEDULE_MATCHED = 1, /**< done with, as far as matching goes */
    SCHEDULE_WAITS = 2,   /**< a receive, for its message */
    SCHEDULE_END = 4,     /**< rendezvous: the first of two things that end a send */
    SCHEDULE_LET_GO = 8   /**< it has ended before its message met a receive */
};

/** Receives that wait for a message, or messages that wait for a receive: operations in order. */
typedef struct schedule_channel_queue {
    uint32_t first, last;
    bool receives;
} schedule_channel_queue;

/** Of a rank, where there are receives from any source or with any tag: all messages without a
 * receive, and all such receives without a message, in order. */
typedef struct schedule_any_lists {
    uint32_t first_message, last_message;
    uint32_t first_receive, last_receive;
} schedule_any_lists;

typedef struct schedule_match {
    const clump_schedule *schedule;
    uint8_t *state; /**< of each operation */
    uint32_t
        *needs; /**< of each operation, requirements that are left; NULL: there are none at all */
    /** In the queue of a CPU, or of messages or receives that wait: the next one, or SCHEDULE_NONE. */
    uint32_t *next;
    uint32_t *order; /**< receives: when it was posted; once it has its message, that */
    schedule_channel_queue *channels;
    uint32_t *other_next; /**< of the lists for any; NULL without wildcards */
    schedule_any_lists *any;
    uint32_t posted;
} schedule_match;

/** All zero but for the queues, which are empty; false without memory. Release it in any case. */
bool schedule_match_make(schedule_match *match, const clump_schedule *schedule);
void schedule_match_release(schedule_match *match);

/** A receive is ready: the message that is there for it, which is its own then, or SCHEDULE_NONE. */
uint32_t schedule_match_receive(schedule_match *match, uint32_t receive);

/** A message is there: the earliest receive that accepts it, whose own it is then, or SCHEDULE_NONE. */
uint32_t schedule_match_message(schedule_match *match, uint32_t message);

/** One requirement less. @return whether it was the last one */
static inline bool schedule_match_needs_less(schedule_match *match, uint32_t o)
{
    return --match->needs[o] == 0;
}

/**
 * How many messages are there without a receive.
 * @param least_bytes  only those of so many bytes or more
 * @param to           only those to this rank; SCHEDULE_ANY: to all
 * @param found        receives one of them, or SCHEDULE_NONE: from rank `source` if there is one,
 *                     else the first in the file
 * Cost: O(n).
 */
size_t schedule_match_left(const schedule_match *match, uint64_t least_bytes, uint32_t to,
                           uint32_t source, uint32_t *found);

#endif
