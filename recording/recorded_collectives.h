/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef CLUMP_RECORDING_RECORDED_COLLECTIVES_H
#define CLUMP_RECORDING_RECORDED_COLLECTIVES_H

/*
 * Internal to recording/. What collectives of a recording were: the n-th that a rank calls on a communicator belongs to the
 * n-th ones of its other members, of whom each tells its own part.
 */

#include "model/workload/collective.h"
#include "recording/recording.h"

#define RECORDED_NO_INDEX UINT32_MAX

typedef struct recorded_collective {
    clump_collective_kind kind; /**< KINDS: ranks do not agree on it */
    uint32_t root;              /**< index in the communicator */
    uint64_t bytes;             /**< as of clump_collective_operation */
    uint64_t *parts;            /**< NULL while all are alike; in the end sums */
    int32_t kept;               /**< number of the parts among those that are kept; -1: none yet */
    double begin, end;          /**< s: the first and the last of its calls begins */
} recorded_collective;

typedef struct recorded_communicator {
    recorded_collective *all;
    size_t count, room;
    uint32_t kept;  /**< its number among those that are kept; RECORDED_NO_INDEX: none yet */
    uint32_t index; /**< of the rank in hand; RECORDED_NO_INDEX: not a member */
    uint64_t next;  /**< number of the next collective of the rank in hand */
} recorded_communicator;

typedef struct recorded_collectives {
    const clump_recording *recording;
    size_t count;
    recorded_communicator *of;
} recorded_collectives;

/** Zeroed it is empty; release it in any case. false without memory. */
bool recorded_collectives_make(recorded_collectives *c, const clump_recording *recording);
void recorded_collectives_release(recorded_collectives *c);

/** From now on calls are those of this rank, from its first one on. Cost: O(members of all communicators). */
void recorded_collectives_rank(recorded_collectives *c, uint32_t rank);

/** The kind of a call, or KINDS: it is none that has an algorithm. */
clump_collective_kind recorded_collective_kind(clump_call_kind kind);

/** What a call of the rank in hand tells of its collective; false without memory. */
bool recorded_collectives_learn(recorded_collectives *c, const clump_recorded_call *call);

/** All ranks have told. */
void recorded_collectives_sum(recorded_collectives *c);

/**
 * The collective of a call of the rank in hand.
 * @param number  which of its communicator
 * @return false: it is left out
 */
bool recorded_collectives_find(recorded_collectives *c, const clump_recorded_call *call,
                               clump_collective_operation *operation, uint64_t *number);

#endif
