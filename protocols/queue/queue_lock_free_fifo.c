/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * lock-free-fifo: the variant of figure 6.19.
 *
 * The upper bits of the tail are an epoch. A packet waits for the sender of its own epoch, so the
 * order of assignment is the order of reception, even when the queue overflows.
 *
 * Departures. Only the sender of an epoch may take its packet, so it waits for the epoch and needs
 * no compare-and-swap: the fetch-and-increment is the only atomic operation of a send. Who holds
 * the packet is told by the sender's note of its ticket, which therefore stays until it has
 * published.
 */
#include "protocols/queue/queue.h"

static clump_protocol_status claim_packet(struct clump_queue *q, struct clump_sender *sender,
                                          struct clump_waiter *waiter, uint32_t *packet)
{
    _Atomic uint64_t *draw = &sender->place->draws[q->which].packet;
    /* The orders of the draw and the tail are those of queue_lock_free.c. */
    atomic_store_explicit(draw, CLUMP_DRAW_UNKNOWN, memory_order_relaxed);
    uint64_t ticket = atomic_fetch_add_explicit(&q->tails->tail, 1, memory_order_acq_rel);
    atomic_store_explicit(draw, CLUMP_DRAW_OF(ticket), memory_order_relaxed);
    uint32_t index = (uint32_t)ticket & q->mask;
    const uint64_t ours = clump_word(CLUMP_FREE, 0, clump_lap(q, ticket));
    clump_array_prefetch(q, index);
    /* Acquire: pairs with the release in clump_array_flush, which began this epoch. */
    while (atomic_load_explicit(&q->claims[index], memory_order_acquire) != ours) {
        clump_queue_hunger(q);
        clump_protocol_status status = clump_waiter_pause(waiter);
        if (status != CLUMP_PROTOCOL_OK) {
            /* Release: as in publish(); the ticket counts as lost. */
            atomic_store_explicit(draw, CLUMP_DRAW_NONE, memory_order_release);
            return status;
        }
    }
    *packet = index;
    return CLUMP_PROTOCOL_OK;
}

static void publish(struct clump_queue *q, struct clump_sender *sender, uint32_t packet,
                    unsigned state)
{
    clump_array_publish(q, sender, packet, state);
    /* Release: who sees NONE (acquire, clump_ticket_may_be_held) sees the message published. */
    atomic_store_explicit(&sender->place->draws[q->which].packet, CLUMP_DRAW_NONE,
                          memory_order_release);
}

static clump_protocol_status claim(struct clump_queue *q, struct clump_sender *sender,
                                   struct clump_waiter *waiter, uint32_t *packet, uint32_t *block)
{
    if (block == NULL)
        return claim_packet(q, sender, waiter, packet);
    clump_protocol_status status = clump_bulk_claim(q, sender, waiter, block);
    if (status != CLUMP_PROTOCOL_OK)
        return status;
    status = claim_packet(q, sender, waiter, packet);
    if (status != CLUMP_PROTOCOL_OK)
        clump_bulk_unclaim(q, *block);
    return status;
}

const struct clump_queue_algorithm clump_queue_lock_free_fifo = {
    .name = "lock-free-fifo",
    .source = "section 6.3.1, figure 6.19",
    .progress = "senders never wait for each other unless the queue is full",
    .fifo = true,
    .epochs = true,
    .array = true,
    .lazy = true,
    .claim = claim,
    .publish = publish,
    .peek = clump_array_peek,
    .release = clump_array_release,
    .recover = clump_array_recover,
};
