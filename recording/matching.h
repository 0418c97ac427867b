/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef CLUMP_RECORDING_MATCHING_H
#define CLUMP_RECORDING_MATCHING_H

/*
 * Which send met which receive, and who came late (MODEL.md 32).
 *
 * Calls of all ranks are added, those of a rank in their order; the order between ranks decides only how much has to be
 * remembered. A message belongs to the oldest open send and the oldest open receive of the same communicator, ranks and
 * tag; the n-th collective that a rank calls on a communicator belongs to the n-th ones of the others. Time inside a
 * call is waiting until its partner has begun, too, and transferring from then on.
 *
 *     clump_matching_new, clump_matching_communicator...
 *     { clump_matching_add }, clump_matching_finish
 *     several nodes: clump_matching_again, and once more, as the clocks are known now
 *     clump_matching_of, clump_matching_clock_of, ...
 *
 * Cost: a constant a call (collectives: a member), whatever the calls are. Memory: what is open, some 100 bytes each, at most
 * CLUMP_MATCHING_MOST; when that is reached nothing more is matched.
 */

#include "recording/call.h"
#include "recording/clocks.h"

enum { CLUMP_MATCHING_MOST = 4000000 };

typedef struct clump_matching clump_matching;

/** Calls of a kind of a rank, of those that were added. */
typedef struct clump_matched {
    uint64_t calls;
    double seconds; /**< of all of them */
    double divided; /**< s of those that are divided into: */
    double waiting; /**< for a late partner; divided - waiting is transferring */
    double waiting_low,
        waiting_high; /**< what it may be: offsets between clocks are known within bounds */
} clump_matched;

/** A call as it was divided. Times are those of the first node's clock. */
typedef struct clump_matched_call {
    size_t rank;
    clump_call_kind kind;
    double begin, end;
    double waiting; /**< s from `begin` on; NAN: not known */
} clump_matched_call;

/** A message that was received: its two calls. Times are those that were recorded. */
typedef struct clump_matched_message {
    size_t from, to; /**< ranks */
    uint32_t from_thread, to_thread;
    double sent;       /**< the send began */
    double begin, end; /**< of the call that received it, or completed its receive */
} clump_matched_message;

/** Who is told of calls as they are divided, and of messages: soon after they were added, or at the end; in any order. */
typedef struct clump_matching_listener {
    void (*call)(const clump_matched_call *call, void *context);          /**< or NULL */
    void (*message)(const clump_matched_message *message, void *context); /**< or NULL */
    void *context;
} clump_matching_listener;

typedef struct clump_matching_summary {
    uint64_t messages;         /**< that were matched */
    uint64_t sends, receives;  /**< without a partner */
    uint64_t collectives;      /**< that were matched, once for all members */
    uint64_t collectives_open; /**< calls whose collective did not have all members */
    uint64_t
        collectives_unlike; /**< calls of communicators whose members called different collectives */
    uint64_t beyond;        /**< calls that were added when too much was open, or without memory */
} clump_matching_summary;

/** @param node  of each rank, below `nodes`. NULL without memory. */
clump_matching *clump_matching_new(size_t ranks, const size_t *node, size_t nodes);
void clump_matching_free(clump_matching *matching);

/** Members of a communicator, ranks of the world; the world itself, 0, is known. False without memory. */
bool clump_matching_communicator(clump_matching *matching, uint32_t number, const uint32_t *ranks,
                                 size_t count);

/** From now on. */
void clump_matching_tell(clump_matching *matching, const clump_matching_listener *listener);

/** A call of a rank. What cannot be (another rank than there are, times that are no numbers) is left out. */
void clump_matching_add(clump_matching *matching, size_t rank, const clump_recorded_call *call);

/** After the last call: what is still open has no partner; clocks are compared. */
void clump_matching_finish(clump_matching *matching);

/** Forgets all but the clocks, which are heeded from now on. */
void clump_matching_again(clump_matching *matching);

/** Once finished: the calls of a kind of a rank (below `ranks`). */
clump_matched clump_matching_of(const clump_matching *matching, size_t rank, clump_call_kind kind);
/** The clock of a node (below `nodes`), against that of the first. */
clump_clock_offset clump_matching_clock_of(const clump_matching *matching, size_t node);
clump_matching_summary clump_matching_sum(const clump_matching *matching); /**< of all ranks */

#endif
