/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "recording/format.h"

#include <string.h>

size_t clump_header_pack(const clump_rank_header *header, unsigned char *bytes, size_t capacity)
{
    clump_packer p = {.bytes = bytes, .capacity = capacity};
    clump_pack_number(&p, header->rank);
    clump_pack_number(&p, header->ranks);
    clump_pack_number(&p, header->pid);
    clump_pack_signed(&p, header->start_ns);
    clump_pack_signed(&p, header->steady_ns);
    clump_pack_fixed(&p, header->boot, 8);
    clump_pack_signed(&p, header->offset_ns);
    clump_pack_number(&p, header->error_ns);
    clump_pack_signed(&p, header->thread_level);
    clump_pack_number(&p, header->node_ranks);
    clump_pack_text(&p, header->host);
    clump_pack_text(&p, header->library);
    clump_pack_text(&p, header->program);
    clump_pack_text(&p, header->command);
    return p.length;
}

void clump_block_head(unsigned char head[CLUMP_RECORDING_HEAD], clump_block_type type,
                      const unsigned char *bytes, size_t length)
{
    clump_packer p = {.bytes = head, .capacity = CLUMP_RECORDING_HEAD};
    memcpy(head, CLUMP_RECORDING_BLOCK, 4);
    p.length = 4;
    clump_pack_fixed(&p, type, 4);
    clump_pack_fixed(&p, length, 8);
    clump_pack_fixed(&p, clump_checksum(0, bytes, length), 4);
    clump_pack_fixed(&p, clump_checksum(0, head, 16), 4);
}

static int64_t nanoseconds(double seconds)
{
    return (int64_t)(seconds * 1e9 + .5);
}

/* A traced call may cost 200 ns in all: these write where there is room for certain. */
static unsigned char *put_number(unsigned char *p, uint64_t value)
{
    for (; value > 127; value >>= 7)
        *p++ = (unsigned char)(value | 128);
    *p++ = (unsigned char)value;
    return p;
}

static unsigned char *put_signed(unsigned char *p, int64_t value)
{
    const uint64_t bits = (uint64_t)value;
    return put_number(p, value < 0 ? ~(bits << 1) : bits << 1);
}

static unsigned char *put_requests(unsigned char *p, clump_call_state *state,
                                   const clump_recorded_call *call)
{
    const bool completes = clump_call_completes(call);
    p = put_number(p, call->requests);
    for (uint32_t i = 0; i < call->requests; i++) {
        const clump_call_request *request = &call->request[i];
        p = put_signed(p, (int64_t)(request->number - state->request));
        state->request = request->number;
        *p++ = (unsigned char)request->kind;
        if (completes && request->kind == CLUMP_REQUEST_RECEIVE) {
            p = put_signed(p, request->peer);
            p = put_signed(p, request->tag);
            p = put_number(p, request->bytes);
        }
    }
    return p;
}

void clump_call_pack(clump_packer *packer, clump_call_state *state, const clump_recorded_call *call)
{
    const int64_t begin = nanoseconds(call->begin), end = nanoseconds(call->end);
    const int64_t gap = begin - state->end_ns, processor = nanoseconds(call->processor);
    const bool other_tag = call->kind == CLUMP_CALL_SENDRECV && call->tag_receive != call->tag;
    const bool more = call->thread != state->thread || call->calls != 1 ||
                      call->peer_receive != -1 || call->nonblocking || call->any || other_tag;
    const unsigned flags =
        (processor != gap ? CLUMP_HAS_PROCESSOR : 0) |
        (call->peer != state->peer ? CLUMP_HAS_PEER : 0) |
        (call->tag != state->tag ? CLUMP_HAS_TAG : 0) | (call->bytes != 0 ? CLUMP_HAS_BYTES : 0) |
        (call->bytes_received != 0 ? CLUMP_HAS_RECEIVED : 0) |
        (call->communicator != 0 ? CLUMP_HAS_COMMUNICATOR : 0) |
        (call->requests != 0 ? CLUMP_HAS_REQUESTS : 0) | (more ? CLUMP_HAS_MORE : 0);
    if (packer->capacity - packer->length < CLUMP_CALL_MOST(call->requests))
        return;
    unsigned char *p = packer->bytes + packer->length;
    *p++ = (unsigned char)call->kind;
    *p++ = (unsigned char)flags;
    p = put_signed(p, gap);
    p = put_number(p, end > begin ? (uint64_t)(end - begin) : 0);
    if (flags & CLUMP_HAS_PROCESSOR)
        p = put_number(p, (uint64_t)processor);
    if (flags & CLUMP_HAS_PEER)
        p = put_signed(p, call->peer);
    if (flags & CLUMP_HAS_TAG)
        p = put_signed(p, call->tag);
    if (flags & CLUMP_HAS_BYTES)
        p = put_number(p, call->bytes);
    if (flags & CLUMP_HAS_RECEIVED)
        p = put_number(p, call->bytes_received);
    if (flags & CLUMP_HAS_COMMUNICATOR)
        p = put_number(p, call->communicator);
    if (flags & CLUMP_HAS_MORE) {
        p = put_number(p, call->thread);
        p = put_number(p, call->calls);
        p = put_signed(p, call->peer_receive);
        *p++ = (unsigned char)((call->nonblocking ? CLUMP_MORE_NONBLOCKING : 0) |
                               (call->any ? CLUMP_MORE_ANY : 0) | (other_tag ? CLUMP_MORE_TAG : 0));
        if (other_tag)
            p = put_signed(p, call->tag_receive);
    }
    if (flags & CLUMP_HAS_REQUESTS)
        p = put_requests(p, state, call);
    packer->length = (size_t)(p - packer->bytes);
    state->end_ns = end > begin ? end : begin;
    state->peer = call->peer;
    state->tag = call->tag;
    state->thread = call->thread;
}

size_t clump_communicator_pack(uint32_t number, uint32_t ordinal, const uint32_t *ranks,
                               size_t count, unsigned char *bytes, size_t capacity)
{
    clump_packer p = {.bytes = bytes, .capacity = capacity};
    clump_pack_number(&p, number);
    clump_pack_number(&p, ordinal);
    clump_pack_number(&p, count);
    for (size_t i = 0; i < count;) {
        const int64_t step = i + 1 < count ? (int64_t)ranks[i + 1] - (int64_t)ranks[i] : 1;
        size_t n = 1;
        while (i + n < count && (int64_t)ranks[i + n] - (int64_t)ranks[i + n - 1] == step)
            n++;
        clump_pack_number(&p, ranks[i]);
        clump_pack_number(&p, n);
        clump_pack_signed(&p, step);
        i += n;
    }
    return p.length;
}
