/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "recording/recorded_collectives.h"

#include "recording/open_table.h"

#include <stdlib.h>

bool recorded_collectives_make(recorded_collectives *c, const clump_recording *recording)
{
    c->recording = recording;
    c->count = clump_recording_describe(recording).communicators;
    c->of = calloc(c->count + 1, sizeof *c->of);
    for (size_t i = 0; c->of != NULL && i < c->count; i++)
        c->of[i].kept = RECORDED_NO_INDEX;
    return c->of != NULL;
}

void recorded_collectives_release(recorded_collectives *c)
{
    for (size_t i = 0; c->of != NULL && i < c->count; i++) {
        for (size_t k = 0; k < c->of[i].count; k++)
            free(c->of[i].all[k].parts);
        free(c->of[i].all);
    }
    free(c->of);
    *c = (recorded_collectives){0};
}

static uint32_t index_of(const clump_recording_members *members, uint32_t rank)
{
    for (size_t i = 0; i < members->count; i++)
        if (members->ranks[i] == rank)
            return (uint32_t)i;
    return RECORDED_NO_INDEX;
}

void recorded_collectives_rank(recorded_collectives *c, uint32_t rank)
{
    for (size_t i = 0; i < c->count; i++) {
        const clump_recording_members m = clump_recording_communicator(c->recording, (uint32_t)i);
        c->of[i].index = index_of(&m, rank);
        c->of[i].next = 0;
    }
}

/* Both lists have them in the same order. */
_Static_assert((int)CLUMP_CALL_SCAN - (int)CLUMP_CALL_BARRIER == (int)CLUMP_COLLECTIVE_SCAN &&
                   (int)CLUMP_CALL_GATHER - (int)CLUMP_CALL_BARRIER == (int)CLUMP_COLLECTIVE_GATHER,
               "calls and collectives are in one order");

clump_collective_kind recorded_collective_kind(clump_call_kind kind)
{
    return kind >= CLUMP_CALL_BARRIER && kind <= CLUMP_CALL_SCAN
               ? (clump_collective_kind)(kind - CLUMP_CALL_BARRIER)
               : CLUMP_COLLECTIVE_KINDS;
}

/* Kinds whose ranks have parts of their own. */
static bool has_parts(clump_collective_kind kind)
{
    return kind == CLUMP_COLLECTIVE_GATHER || kind == CLUMP_COLLECTIVE_SCATTER ||
           kind == CLUMP_COLLECTIVE_ALLGATHER || kind == CLUMP_COLLECTIVE_ALLTOALL ||
           kind == CLUMP_COLLECTIVE_REDUCE_SCATTER;
}

/* Bytes of the vector, or of this rank's part. */
static uint64_t told(clump_collective_kind kind, const clump_recorded_call *call, size_t members)
{
    switch (kind) {
    case CLUMP_COLLECTIVE_BROADCAST:
        return call->bytes > call->bytes_received ? call->bytes : call->bytes_received;
    case CLUMP_COLLECTIVE_SCATTER:
    case CLUMP_COLLECTIVE_REDUCE_SCATTER:
        return call->bytes_received;
    case CLUMP_COLLECTIVE_ALLTOALL:
        return call->bytes / members;
    default:
        return call->bytes;
    }
}

/* The next collective of the communicator, new if no other rank has told of it. */
static recorded_collective *next_of(recorded_communicator *of)
{
    if (of->next == of->count) {
        recorded_collective *all = clump_list_grow(of->all, of->count, &of->room, sizeof *all);
        if (all == NULL)
            return NULL;
        of->all = all;
        of->all[of->count++] = (recorded_collective){.root = RECORDED_NO_INDEX, .kept = -1};
    }
    return &of->all[of->next++];
}

static bool set_part(recorded_collective *one, uint32_t index, uint64_t bytes, size_t members)
{
    if (one->parts == NULL) {
        if (one->bytes == bytes)
            return true;
        one->parts = malloc((members + 1) * sizeof *one->parts);
        if (one->parts == NULL)
            return false;
        for (size_t i = 0; i <= members; i++)
            one->parts[i] = one->bytes;
    }
    one->parts[index + 1] = bytes;
    return true;
}

bool recorded_collectives_learn(recorded_collectives *c, const clump_recorded_call *call)
{
    const clump_collective_kind kind = recorded_collective_kind(call->kind);
    if (kind == CLUMP_COLLECTIVE_KINDS || call->communicator >= c->count)
        return true;
    recorded_communicator *of = &c->of[call->communicator];
    const clump_recording_members members =
        clump_recording_communicator(c->recording, call->communicator);
    if (of->index == RECORDED_NO_INDEX)
        return true;
    const bool is_new = of->next == of->count;
    const uint64_t bytes = told(kind, call, members.count);
    recorded_collective *one = next_of(of);
    if (one == NULL)
        return false;
    if (is_new || call->begin < one->begin)
        one->begin = call->begin;
    if (is_new || call->begin > one->end)
        one->end = call->begin;
    if (is_new) {
        one->kind = kind;
        one->bytes = bytes;
    } else if (one->kind != kind) {
        one->kind = CLUMP_COLLECTIVE_KINDS;
    }
    if (one->root == RECORDED_NO_INDEX)
        one->root = call->peer < 0 ? 0 : index_of(&members, (uint32_t)call->peer);
    if (has_parts(kind))
        return set_part(one, of->index, bytes, members.count);
    if (bytes > one->bytes)
        one->bytes = bytes;
    return true;
}

void recorded_collectives_sum(recorded_collectives *c)
{
    for (size_t i = 0; i < c->count; i++) {
        const size_t members = clump_recording_communicator(c->recording, (uint32_t)i).count;
        for (size_t k = 0; k < c->of[i].count; k++) {
            recorded_collective *one = &c->of[i].all[k];
            if (one->parts != NULL) {
                one->parts[0] = 0;
                for (size_t r = 0; r < members; r++)
                    one->parts[r + 1] += one->parts[r];
            } else if (one->kind == CLUMP_COLLECTIVE_REDUCE_SCATTER) {
                one->bytes *= members; /* parts were told, all alike */
            }
        }
    }
}

bool recorded_collectives_find(recorded_collectives *c, const clump_recorded_call *call,
                               clump_collective_operation *operation, uint64_t *number)
{
    const clump_collective_kind kind = recorded_collective_kind(call->kind);
    if (kind == CLUMP_COLLECTIVE_KINDS || call->communicator >= c->count ||
        c->of[call->communicator].index == RECORDED_NO_INDEX)
        return false;
    recorded_communicator *of = &c->of[call->communicator];
    if (of->next >= of->count)
        return false;
    *number = of->next++;
    const recorded_collective *one = &of->all[*number];
    const size_t members = clump_recording_communicator(c->recording, call->communicator).count;
    *operation = (clump_collective_operation){.kind = one->kind,
                                              .ranks = (uint32_t)members,
                                              .root = one->root < members ? one->root : 0,
                                              .bytes = one->parts != NULL ? 0 : one->bytes,
                                              .parts = one->parts};
    return one->kind != CLUMP_COLLECTIVE_KINDS;
}
