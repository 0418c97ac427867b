/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * lock-free-fifo: the variant of figure 6.19.
 *
 * The upper bits of the tail are an epoch. A packet waits for the sender of its own epoch, so the
 * order of assignment is the order of reception, even when the queue overflows.
 *
 * Departures: as in lock-free. The state word holds both epoch and state, so that the sender of an
 * epoch, the only one who may, claims with a compare-and-swap that also records it.
 */
#include "protocols/queue.h"

static clump_protocol_status claim_packet(struct clump_queue *q, struct clump_sender *sender,
                                          struct clump_waiter *waiter, uint32_t *packet)
{
    _Atomic uint64_t *draw = &sender->place->draws[q->which].packet;
    /* The orders of the draw and the tail are those of queue_lock_free.c. */
    atomic_store_explicit(draw, CLUMP_DRAW_UNKNOWN, memory_order_relaxed);
    uint64_t ticket = atomic_fetch_add_explicit(&q->tails->tail, 1, memory_order_acq_rel);
    atomic_store_explicit(draw, CLUMP_DRAW_OF(ticket), memory_order_relaxed);
    uint32_t index = (uint32_t)ticket & q->mask;
    uint32_t epoch = (uint32_t)(ticket / ((uint64_t)q->mask + 1));
    clump_protocol_status status = CLUMP_PROTOCOL_OK;
    for (;;) {
        uint64_t seen = clump_word(CLUMP_FREE, 0, epoch);
        /* Acquire: pairs with the release in clump_array_release, which began this epoch. */
        if (atomic_compare_exchange_strong_explicit(&q->packets[index].word, &seen,
                                                    clump_word(CLUMP_CLAIMED, sender->owner, epoch),
                                                    memory_order_acquire, memory_order_relaxed))
            break;
        status = clump_waiter_pause(waiter);
        if (status != CLUMP_PROTOCOL_OK)
            break;
    }
    atomic_store_explicit(draw, CLUMP_DRAW_NONE, memory_order_release);
    if (status == CLUMP_PROTOCOL_OK)
        *packet = index;
    return status;
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
    .claim = claim,
    .publish = clump_array_publish,
    .peek = clump_array_peek,
    .release = clump_array_release,
    .recover = clump_array_recover,
};
