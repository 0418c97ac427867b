/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * lock-free: the algorithm of section 3.3, figure 3.6.
 *
 * Fetch-and-increment of the tail assigns a packet; compare-and-swap of its state, FREE to CLAIMED,
 * claims it. With more assignments than packets several senders compete for one packet, in any
 * order: not FIFO then. A sender that sleeps between claim and publish holds up the receiver at
 * that packet (it is blocking), but no other sender.
 *
 * Departures: the sender notes its ticket in its place, so that a death between the two steps can
 * be made good; the state word names who claimed the packet.
 */
#include "protocols/queue/queue.h"

static clump_protocol_status claim_packet(struct clump_queue *q, struct clump_sender *sender,
                                          struct clump_waiter *waiter, uint32_t *packet)
{
    _Atomic uint64_t *draw = &sender->place->draws[q->which].packet;
    /* Relaxed: ordered by the increment that follows. */
    atomic_store_explicit(draw, CLUMP_DRAW_UNKNOWN, memory_order_relaxed);
    /* Release: UNKNOWN before it; pairs with the acquire of the tail in clump_array_recover.
     * Acquire: keeps the store of the ticket after it. */
    uint64_t ticket = atomic_fetch_add_explicit(&q->tails->tail, 1, memory_order_acq_rel);
    atomic_store_explicit(draw, CLUMP_DRAW_OF(ticket), memory_order_relaxed);
    uint32_t index = (uint32_t)ticket & q->mask;
    uint64_t seen = clump_word(CLUMP_FREE, 0, clump_lap(q, ticket));
    clump_protocol_status status = CLUMP_PROTOCOL_OK;
    clump_array_prefetch(q, index);
    /* Acquire: pairs with the release in clump_array_flush; the receiver is done with the packet.
     * No look before: it would cost a second coherence transaction. */
    while (!atomic_compare_exchange_strong_explicit(
        &q->claims[index], &seen, clump_word(CLUMP_CLAIMED, sender->owner, clump_word_epoch(seen)),
        memory_order_acquire, memory_order_relaxed)) {
        if (clump_word_state(seen) == CLUMP_FREE)
            continue; /* of another lap: that of a ticket which was lost, or overtaken by us */
        clump_queue_hunger(q);
        status = clump_waiter_pause(waiter);
        if (status != CLUMP_PROTOCOL_OK)
            break;
        /* Relaxed: the compare-and-swap acquires. */
        seen = atomic_load_explicit(&q->claims[index], memory_order_relaxed);
        seen = clump_word(CLUMP_FREE, 0, clump_word_epoch(seen));
    }
    /* Release: who sees NONE (acquire, clump_ticket_may_be_held) sees the packet claimed. */
    atomic_store_explicit(draw, CLUMP_DRAW_NONE, memory_order_release);
    if (status == CLUMP_PROTOCOL_OK)
        *packet = index;
    return status;
}

/* The block first: the other order can deadlock (end of section 3.4.2; tests/spin/bulk_order.pml).
 */
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

const struct clump_queue_algorithm clump_queue_lock_free = {
    .name = "lock-free",
    .source = "section 3.3, figure 3.6",
    .progress = "senders never wait for each other unless the queue is full",
    .array = true,
    .lazy = true,
    .claim = claim,
    .publish = clump_array_publish,
    .peek = clump_array_peek,
    .release = clump_array_release,
    .recover = clump_array_recover,
};
