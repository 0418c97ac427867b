/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "recording/call_unpack.h"

#include <limits.h>
#include <stdlib.h>

/* Times up to a century: sums of them stay within what a double tells apart by ns for 100 days. */
#define TIME_MOST (INT64_C(3156000000) * 1000000000)

static void refuse(clump_unpacker *u, size_t at)
{
    if (!u->bad) {
        u->bad = true;
        u->bad_at = at;
    }
}

static int unpack_rank(clump_unpacker *u, uint32_t ranks)
{
    const size_t at = u->at;
    const int rank = clump_unpack_int(u, -1);
    if (rank >= 0 && (uint32_t)rank >= ranks)
        refuse(u, at);
    return rank;
}

static bool unpack_requests(clump_unpacker *u, clump_call_state *state, uint32_t ranks,
                            clump_call_room *room, clump_recorded_call *call)
{
    const bool completes = clump_call_completes(call);
    const size_t count = (size_t)clump_unpack_limited(u, (u->length - u->at) / 2);
    if (count > room->capacity) {
        clump_call_request *more = realloc(room->request, count * sizeof *more);
        if (more == NULL)
            return false;
        room->request = more;
        room->capacity = count;
    }
    for (size_t i = 0; i < count && !u->bad; i++) {
        clump_call_request *request = &room->request[i];
        *request = (clump_call_request){.peer = -1, .tag = -1};
        request->number = state->request += (uint64_t)clump_unpack_signed(u);
        request->kind = clump_unpack_limited(u, CLUMP_REQUEST_KINDS - 1);
        if (completes && request->kind == CLUMP_REQUEST_RECEIVE) {
            request->peer = unpack_rank(u, ranks);
            request->tag = clump_unpack_int(u, INT_MIN);
            request->bytes = clump_unpack_number(u);
        }
    }
    call->requests = (uint32_t)count;
    call->request = room->request;
    return true;
}

int clump_call_unpack(clump_unpacker *u, clump_call_state *state, uint32_t ranks,
                      clump_call_room *room, clump_recorded_call *call)
{
    if (u->at >= u->length)
        return 0;
    const size_t start = u->at;
    *call = clump_call_of((clump_call_kind)clump_unpack_limited(u, CLUMP_CALL_KINDS - 1), 0, 0);
    const unsigned flags = clump_unpack_byte(u);
    unsigned more = 0;
    const int64_t gap = clump_unpack_signed(u);
    const uint64_t length = clump_unpack_limited(u, TIME_MOST);
    uint64_t processor = gap > 0 ? (uint64_t)gap : 0;
    if (gap > TIME_MOST || gap < -TIME_MOST || state->end_ns + gap < 0 || state->end_ns > TIME_MOST)
        refuse(u, start);
    if (u->bad)
        return -1;
    const int64_t begin = state->end_ns + gap;
    state->end_ns = begin + (int64_t)length;
    if (flags & CLUMP_HAS_PROCESSOR)
        processor = clump_unpack_limited(u, TIME_MOST);
    if (flags & CLUMP_HAS_PEER)
        state->peer = unpack_rank(u, ranks);
    if (flags & CLUMP_HAS_TAG)
        state->tag = clump_unpack_int(u, INT_MIN);
    if (flags & CLUMP_HAS_BYTES)
        call->bytes = clump_unpack_number(u);
    if (flags & CLUMP_HAS_RECEIVED)
        call->bytes_received = clump_unpack_number(u);
    if (flags & CLUMP_HAS_COMMUNICATOR)
        call->communicator = (uint32_t)clump_unpack_limited(u, UINT32_MAX);
    if (flags & CLUMP_HAS_MORE) {
        state->thread = (uint32_t)clump_unpack_limited(u, CLUMP_CALL_THREADS_MOST - 1);
        call->calls = (uint32_t)clump_unpack_limited(u, UINT32_MAX);
        call->peer_receive = unpack_rank(u, ranks);
        more = (unsigned)clump_unpack_limited(u, CLUMP_MORE_NONBLOCKING | CLUMP_MORE_TAG |
                                                     CLUMP_MORE_ANY);
        call->nonblocking = (more & CLUMP_MORE_NONBLOCKING) != 0;
        call->any = (more & CLUMP_MORE_ANY) != 0;
        if (more & CLUMP_MORE_TAG)
            call->tag_receive = clump_unpack_int(u, INT_MIN);
    }
    if (flags & CLUMP_HAS_REQUESTS && !unpack_requests(u, state, ranks, room, call))
        return -2;
    call->begin = (double)begin * 1e-9;
    call->end = (double)state->end_ns * 1e-9;
    call->processor = (double)processor * 1e-9;
    call->peer = state->peer;
    call->tag = state->tag;
    call->thread = state->thread;
    if (call->kind == CLUMP_CALL_SENDRECV && (more & CLUMP_MORE_TAG) == 0)
        call->tag_receive = call->tag;
    return u->bad ? -1 : 1;
}
