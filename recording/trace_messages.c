/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A receive whose source and tag are not known when it is posted gets its number when it is completed. Where a program posts several of
 * those for one channel and completes them in another order than they were posted, their messages are interchanged.
 */
#include "recording/trace_messages.h"

typedef struct counts {
    uint32_t free_next;
    uint32_t sent, received;
} counts;

typedef struct open_receive {
    uint32_t free_next;
    uint32_t communicator;
} open_receive;

void trace_messages_make(trace_messages *m)
{
    *m = (trace_messages){.counts = {.size = sizeof(counts)},
                          .open = {.size = sizeof(open_receive)}};
}

void trace_messages_release(trace_messages *m)
{
    clump_table_clear(&m->tags);
    clump_table_clear(&m->channels);
    clump_table_clear(&m->requests);
    clump_pool_clear(&m->counts);
    clump_pool_clear(&m->open);
}

void trace_messages_rank(trace_messages *m)
{
    clump_table_clear(&m->requests);
    clump_pool_clear(&m->open);
}

/* A number for communicator and tag, and one for that with both ranks. */
static uint32_t channel_of(trace_messages *m, uint32_t from, uint32_t to, uint32_t communicator,
                           int tag)
{
    uint32_t t = clump_table_get(&m->tags, communicator, (uint32_t)tag);
    if (t == CLUMP_TABLE_NONE) {
        t = m->tag_count++;
        m->no_memory = !clump_table_put(&m->tags, communicator, (uint32_t)tag, t) || m->no_memory;
    }
    const uint64_t pair = (uint64_t)from << 32 | to;
    uint32_t channel = clump_table_get(&m->channels, pair, t);
    if (channel == CLUMP_TABLE_NONE) {
        channel = clump_pool_take(&m->counts);
        m->no_memory = channel == CLUMP_TABLE_NONE ||
                       !clump_table_put(&m->channels, pair, t, channel) || m->no_memory;
    }
    return m->no_memory ? 0 : channel;
}

static void tell(trace_messages *m, uint32_t from, uint32_t to, bool sends, uint32_t communicator,
                 int tag, uint64_t bytes, trace_end_fn *fn, void *context)
{
    trace_end end = {.sends = sends, .bytes = bytes, .tag = tag};
    end.channel = channel_of(m, from, to, communicator, tag);
    end.peer = (int)(sends ? to : from);
    if (m->no_memory)
        return;
    counts *c = (counts *)m->counts.items + end.channel;
    end.number = sends ? c->sent++ : c->received++;
    fn(context, &end);
}

static void post(trace_messages *m, const clump_recorded_call *call)
{
    const uint32_t place = call->requests > 0 ? clump_pool_take(&m->open) : CLUMP_TABLE_NONE;
    if (place == CLUMP_TABLE_NONE ||
        !clump_table_put(&m->requests, call->request[0].number, 0, place)) {
        m->no_memory = call->requests > 0 || m->no_memory;
        return;
    }
    ((open_receive *)m->open.items)[place].communicator = call->communicator;
}

static void complete(trace_messages *m, uint32_t rank, size_t ranks, const clump_call_request *r,
                     trace_end_fn *fn, void *context)
{
    const uint32_t place = clump_table_get(&m->requests, r->number, 0);
    if (place == CLUMP_TABLE_NONE)
        return;
    const uint32_t communicator = ((open_receive *)m->open.items)[place].communicator;
    clump_table_remove(&m->requests, r->number, 0);
    clump_pool_give(&m->open, place);
    if (r->peer >= 0 && (size_t)r->peer < ranks)
        tell(m, (uint32_t)r->peer, rank, false, communicator, r->tag, r->bytes, fn, context);
}

void trace_messages_add(trace_messages *m, uint32_t rank, size_t ranks,
                        const clump_recorded_call *call, trace_end_fn *fn, void *context)
{
    const bool peer = call->peer >= 0 && (size_t)call->peer < ranks;
    const bool source = call->peer_receive >= 0 && (size_t)call->peer_receive < ranks;
    switch (call->kind) {
    case CLUMP_CALL_SEND:
    case CLUMP_CALL_ISEND:
    case CLUMP_CALL_SENDRECV:
        if (peer)
            tell(m, rank, (uint32_t)call->peer, true, call->communicator, call->tag, call->bytes,
                 fn, context);
        if (call->kind == CLUMP_CALL_SENDRECV && source)
            tell(m, (uint32_t)call->peer_receive, rank, false, call->communicator,
                 call->tag_receive, call->bytes_received, fn, context);
        break;
    case CLUMP_CALL_RECEIVE:
        if (peer)
            tell(m, (uint32_t)call->peer, rank, false, call->communicator, call->tag,
                 call->bytes_received, fn, context);
        break;
    case CLUMP_CALL_IRECEIVE:
        post(m, call);
        break;
    case CLUMP_CALL_WAIT:
    case CLUMP_CALL_TEST:
    case CLUMP_CALL_NEIGHBOUR:
        for (uint32_t i = 0; clump_call_completes(call) && i < call->requests; i++)
            complete(m, rank, ranks, &call->request[i], fn, context);
        break;
    default:
        break;
    }
}
