/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * test-set: a spin lock that writes at every turn (figure 6.15, after [MCS91]).
 *
 * Departure: the lock word holds its owner, not only LOCKED, so test-and-set is a compare-and-swap
 * from UNLOCKED to the owner. As many coherence transactions; a dead owner can be told.
 */
#include "protocols/queue/queue.h"

static clump_protocol_status take(struct clump_queue *q, struct clump_sender *sender,
                                  struct clump_waiter *waiter, uint64_t *ticket)
{
    uint64_t mine = sender->owner | CLUMP_CLAIMED;
    uint32_t turns = 0;
    *ticket = 0;
    for (;;) {
        uint64_t seen = 0;
        /* Acquire: pairs with the release in give(). */
        if (atomic_compare_exchange_strong_explicit(&q->tails->lock, &seen, mine,
                                                    memory_order_acquire, memory_order_relaxed))
            return CLUMP_PROTOCOL_OK;
        bool suspect;
        clump_protocol_status status = clump_waiter_spin(waiter, &turns, &suspect);
        if (status != CLUMP_PROTOCOL_OK)
            return status;
        /* From the dead owner to us, in one step; acquire: its last writes are visible. */
        if (suspect && seen != 0 && !clump_owner_alive(q->places, seen) &&
            atomic_compare_exchange_strong_explicit(&q->tails->lock, &seen, mine,
                                                    memory_order_acquire, memory_order_relaxed))
            return CLUMP_PROTOCOL_OK;
    }
}

static void give(struct clump_queue *q, struct clump_sender *sender, uint64_t ticket)
{
    (void)sender, (void)ticket;
    /* Release: the critical section before it; pairs with take(). */
    atomic_store_explicit(&q->tails->lock, 0, memory_order_release);
}

static clump_protocol_status claim(struct clump_queue *q, struct clump_sender *sender,
                                   struct clump_waiter *waiter, uint32_t *packet, uint32_t *block)
{
    static const struct clump_lock lock = {take, give};
    return clump_locking_claim(q, sender, waiter, packet, block, &lock);
}

const struct clump_queue_algorithm clump_queue_test_set = {
    .name = "test-set",
    .source = "section 6.3.1, figure 6.15",
    .progress = "a sender that sleeps in the lock stops all others; may starve",
    .fifo = true,
    .epochs = true,
    .array = true,
    .lazy = true,
    .claim = claim,
    .publish = clump_array_publish,
    .peek = clump_array_peek,
    .release = clump_array_release,
    .recover = clump_array_recover,
};
