/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Accepting messages (section 3.2.4). */
#include "protocols/endpoint/endpoint_private.h"
#include "protocols/queue/process.h"

#include <string.h>

/**
 * Hand one packet to its handler. Everything is read once, into private memory, and checked there:
 * the sender may still write.
 */
static void deliver(struct clump_endpoint *e, struct clump_queue *q, uint32_t packet)
{
    const struct clump_packet *p = &q->packets[packet];
    /* Relaxed: peek has acquired it. */
    uint64_t word = atomic_load_explicit(&p->word, memory_order_relaxed);
    uint32_t arguments[CLUMP_ARGUMENTS];
    memcpy(arguments, p->arguments, sizeof arguments);
    uint64_t tag = *(const volatile uint64_t *)&p->tag;
    unsigned handler = *(const volatile uint8_t *)&p->handler;
    unsigned count = *(const volatile uint8_t *)&p->count;
    unsigned reason = *(const volatile uint8_t *)&p->reason;
    uint32_t block = CLUMP_NONE, size = 0;
    bool bulk = clump_word_state(word) == CLUMP_READY_BULK;
    bool is_request = q->which == CLUMP_REQUESTS;
    bool sound = count <= CLUMP_ARGUMENTS && (handler != 0 || !is_request);
    if (bulk) {
        block = *(const volatile uint32_t *)&p->block;
        if (block > q->bulk_mask) {
            block = CLUMP_NONE;
            sound = false;
        } else {
            size = *(const volatile uint32_t *)&q->bulks[block].size;
            /* Acquire, only to be orderly: the packet's READY covers it. */
            uint64_t bulk_word = atomic_load_explicit(&q->bulks[block].word, memory_order_acquire);
            if (clump_word_state(bulk_word) != CLUMP_CLAIMED ||
                clump_word_owner(bulk_word) != clump_word_owner(word)) {
                block = CLUMP_NONE; /* somebody else's block, or nobody's */
                sound = false;
            } else if (size == 0 || size > CLUMP_BULK_BYTES) {
                sound = false;
            }
        }
    }
    if (!sound) {
        q->rejected++;
    } else {
        clump_message message = {.arguments = arguments,
                                 .count = count,
                                 .data = bulk ? clump_bulk_data(q, block) : NULL,
                                 .size = size,
                                 .handler = handler};
        if (handler == 0) {
            message.handler = *(const volatile uint8_t *)&p->returned_handler;
            message.returned = (clump_protocol_status)reason;
        }
        struct clump_token token = {.endpoint = e, .word = word};
        const clump_protocol_status status =
            clump_endpoint_dispatch(e, &token, is_request, tag, handler, &message);
        if (status != CLUMP_PROTOCOL_OK && is_request) {
            e->handling++; /* it waits as a reply does */
            clump_endpoint_send_back(e, word, handler, arguments, count, status);
            e->handling--;
        }
    }
    if (block != CLUMP_NONE)
        clump_bulk_release(q, block);
    clump_queue_release(q, packet);
}

void clump_endpoint_look_around(struct clump_endpoint *e, bool requests)
{
    uint64_t now = clump_time_ns(), recovery_ns = (uint64_t)e->options.recovery_ms * 1000000u;
    if (now - e->checked_ns < recovery_ns / 10)
        return;
    e->checked_ns = now;
    clump_queue_recover(&e->block.queues[CLUMP_REPLIES], now, recovery_ns);
    if (requests)
        clump_queue_recover(&e->block.queues[CLUMP_REQUESTS], now, recovery_ns);
    if (now - e->lively_ns >= recovery_ns) {
        e->lively_ns = now;
        clump_peers_check(e);
    }
}

unsigned clump_endpoint_accept(struct clump_endpoint *e, bool requests, unsigned most)
{
    unsigned accepted = 0;
    if (e->network_only)
        return clump_remote_poll_alone(e, requests, most);
    while (accepted < most) {
        struct clump_queue *q = &e->block.queues[CLUMP_REPLIES];
        uint32_t packet = clump_queue_peek(q);
        if (packet == CLUMP_NONE && requests) {
            q = &e->block.queues[CLUMP_REQUESTS];
            packet = clump_queue_peek(q);
        }
        if (packet == CLUMP_NONE)
            break;
        deliver(e, q, packet);
        accepted++;
    }
    /* Seldom when there is much to do, but then, too: one queue may be stuck, the other busy. */
    const bool seldom = (++e->polls & (accepted == 0 ? 63 : 1023)) == 0;
    clump_queue_feed(&e->block.queues[CLUMP_REPLIES], seldom);
    clump_queue_feed(&e->block.queues[CLUMP_REQUESTS], seldom);
    if (seldom)
        clump_endpoint_look_around(e, requests);
    return e->remote != NULL ? accepted + clump_remote_poll(e, requests, accepted) : accepted;
}

clump_protocol_status clump_endpoint_check_poll(struct clump_endpoint *e)
{
    const clump_protocol_status status = clump_endpoint_check_open(e);
    if (status == CLUMP_PROTOCOL_OK && e->handling > 0)
        return clump_endpoint_fail(e, CLUMP_PROTOCOL_BAD_INPUT, "a handler cannot poll");
    return status;
}

clump_protocol_status clump_endpoint_poll(clump_endpoint *e, unsigned most, unsigned *accepted)
{
    if (e->block.header == NULL || e->handling > 0)
        return clump_endpoint_check_poll(e);
    if (most == 0)
        return clump_endpoint_fail(e, CLUMP_PROTOCOL_BAD_INPUT,
                                   "poll for 0 messages: expected at least 1");
    unsigned count = clump_endpoint_accept(e, true, most);
    if (accepted != NULL)
        *accepted = count;
    return CLUMP_PROTOCOL_OK;
}
