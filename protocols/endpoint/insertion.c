/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Putting messages into the queues of other endpoints (section 3.2.4).
 *
 * Who waits for whom (theorem 3.6): a request that waits in a full queue accepts requests and
 * replies; a reply that waits accepts replies only. Handlers of replies send nothing. So the stack
 * is at most request, request handler, reply, reply handler deep. So this file calls accepting.c,
 * which calls it through replying.c: the one circle between the files of an endpoint.
 */
#include "protocols/endpoint/endpoint_private.h"
#include "protocols/queue/copy.h"
#include "protocols/queue/process.h"

#include <string.h>

struct waiting {
    struct clump_endpoint *endpoint;
    struct clump_peer *peer;
    bool requests;
};

static bool poll_while_waiting(void *context)
{
    struct waiting *w = context;
    clump_endpoint_accept(w->endpoint, w->requests, 1);
    return false; /* the delay keeps senders off the full queue whatever arrives here */
}

static bool receiver_alive(void *context)
{
    struct waiting *w = context;
    return clump_peer_alive(w->peer);
}

clump_protocol_status clump_endpoint_check_message(struct clump_endpoint *e, unsigned handler,
                                                   const uint32_t *arguments, unsigned count,
                                                   bool bulk, const void *data, size_t size)
{
    if (handler == 0 || handler >= CLUMP_HANDLERS)
        return clump_endpoint_fail(e, CLUMP_PROTOCOL_BAD_INPUT,
                                   "handler %u: expected 1 to %d (0 is for returned messages)",
                                   handler, CLUMP_HANDLERS - 1);
    if (count > CLUMP_ARGUMENTS || (count > 0 && arguments == NULL))
        return clump_endpoint_fail(e, CLUMP_PROTOCOL_BAD_INPUT, "%u arguments%s: expected 0 to %d",
                                   count, arguments == NULL ? " at NULL" : "", CLUMP_ARGUMENTS);
    if (bulk && (size == 0 || size > CLUMP_BULK_BYTES || data == NULL))
        return clump_endpoint_fail(e, CLUMP_PROTOCOL_BAD_INPUT,
                                   "%zu bytes of bulk data%s: expected 1 to %d", size,
                                   data == NULL ? " at NULL" : "", CLUMP_BULK_BYTES);
    return CLUMP_PROTOCOL_OK;
}

/** Fill a packet, in few stores: between any two of them the receiver may ask for the line again.
 */
static void write_packet(struct clump_packet *p, const struct clump_outgoing *out)
{
    p->tag = out->tag;
    if (out->count == CLUMP_ARGUMENTS) /* of known size: two moves, not a call */
        memcpy(p->arguments, out->arguments, sizeof p->arguments);
    else
        for (unsigned i = 0; i < out->count; i++)
            p->arguments[i] = out->arguments[i];
    p->handler = out->handler;
    p->count = (uint8_t)out->count;
    p->reason = out->reason;
    p->returned_handler = out->returned_handler;
}

clump_protocol_status clump_endpoint_insert(struct clump_endpoint *e, struct clump_peer *peer,
                                            unsigned which, const struct clump_outgoing *out)
{
    struct clump_queue *q = &peer->block.queues[which];
    struct waiting waiting = {e, peer, which == CLUMP_REQUESTS};
    struct clump_waiter waiter = {.first_us = e->options.backoff_first_us,
                                  .limit_us = e->options.backoff_limit_us,
                                  .timeout_ms = e->options.send_timeout_ms,
                                  .recovery_ms = e->options.recovery_ms,
                                  .poll = poll_while_waiting,
                                  .alive = receiver_alive,
                                  .context = &waiting};
    uint32_t packet = 0, block = 0;
    bool bulk = out->data != NULL;
    clump_protocol_status status = CLUMP_PROTOCOL_PEER_DEAD;
    /* The first send after each look at the peers asks for itself, the others rely on it. */
    if (peer->fresh || clump_peer_alive(peer))
        status = q->algorithm->claim(q, &peer->sender, &waiter, &packet, bulk ? &block : NULL);
    if (status != CLUMP_PROTOCOL_OK)
        return clump_endpoint_fail(
            e, status,
            status == CLUMP_PROTOCOL_PEER_DEAD ? "the process of endpoint %s has ended"
            : status == CLUMP_PROTOCOL_TIMED_OUT
                ? "the queue of endpoint %s stayed full for %u ms: does its process poll?"
                : "the lock of the queue of endpoint %s cannot be used any more",
            peer->name, e->options.send_timeout_ms);
    write_packet(&q->packets[packet], out);
    if (bulk) {
        q->packets[packet].block = block;
        q->bulks[block].size = (uint32_t)out->size;
        clump_copy_to_block(clump_bulk_data(q, block), out->data, out->size);
    }
    q->algorithm->publish(q, &peer->sender, packet, bulk ? CLUMP_READY_BULK : CLUMP_READY);
    peer->fresh = true;
    if (peer->events) {
        /* Sequentially consistent: our READY before our look at `waiting`, as the receiver stores
         * `waiting` before its last look at the queue (clump_endpoint_wait). */
        atomic_thread_fence(memory_order_seq_cst);
        if (atomic_load_explicit(&peer->block.header->waiting, memory_order_relaxed) != 0) {
            atomic_store_explicit(&peer->block.header->waiting, 0, memory_order_relaxed);
            clump_event_wake(&peer->block.header->waiting);
            clump_event_ring(e, &peer->block.header->doorbell);
        }
    }
    return CLUMP_PROTOCOL_OK;
}
