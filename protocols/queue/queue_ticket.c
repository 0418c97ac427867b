/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * ticket: draw a number, wait until it is served (figure 6.16, after [RK79]). Both counters on one
 * line, as the thesis found best.
 *
 * Departure: the number is noted in the sender's place. A number whose owner died, or gave up, is
 * served by whoever waits and notices.
 */
#include "protocols/queue/queue.h"

static clump_protocol_status take(struct clump_queue *q, struct clump_sender *sender,
                                  struct clump_waiter *waiter, uint64_t *ticket)
{
    _Atomic uint64_t *draw = &sender->place->draws[q->which].lock;
    /* The orders of the draw are those of queue_lock_free.c. */
    atomic_store_explicit(draw, CLUMP_DRAW_UNKNOWN, memory_order_relaxed);
    *ticket = atomic_fetch_add_explicit(&q->tails->lock, 1, memory_order_acq_rel);
    atomic_store_explicit(draw, CLUMP_DRAW_OF(*ticket), memory_order_relaxed);
    uint32_t turns = 0;
    for (;;) {
        /* Acquire: pairs with the release in give(). */
        uint64_t serving = atomic_load_explicit(&q->tails->serving, memory_order_acquire);
        if (serving == *ticket)
            return CLUMP_PROTOCOL_OK;
        bool suspect;
        clump_protocol_status status = clump_waiter_spin(waiter, &turns, &suspect);
        if (status != CLUMP_PROTOCOL_OK) {
            atomic_store_explicit(draw, CLUMP_DRAW_NONE, memory_order_release);
            return status;
        }
        if (!suspect)
            continue;
        uint64_t below = atomic_load_explicit(&q->tails->lock, memory_order_acquire);
        /* Compare-and-swap: two who notice must not serve two numbers. Release: passes on what we
         * acquired of the dead owner's critical section. */
        if (!clump_ticket_may_be_held(q, CLUMP_DRAW_LOCK, serving, UINT64_MAX, below))
            atomic_compare_exchange_strong_explicit(&q->tails->serving, &serving, serving + 1,
                                                    memory_order_acq_rel, memory_order_relaxed);
    }
}

static void give(struct clump_queue *q, struct clump_sender *sender, uint64_t ticket)
{
    /* Release: the critical section before it; pairs with take(). */
    atomic_store_explicit(&q->tails->serving, ticket + 1, memory_order_release);
    /* Release, after serving: who sees NONE sees that the next is served. */
    atomic_store_explicit(&sender->place->draws[q->which].lock, CLUMP_DRAW_NONE,
                          memory_order_release);
}

static clump_protocol_status claim(struct clump_queue *q, struct clump_sender *sender,
                                   struct clump_waiter *waiter, uint32_t *packet, uint32_t *block)
{
    static const struct clump_lock lock = {take, give};
    return clump_locking_claim(q, sender, waiter, packet, block, &lock);
}

const struct clump_queue_algorithm clump_queue_ticket = {
    .name = "ticket",
    .source = "section 6.3.1, figure 6.16",
    .progress = "a sender that sleeps with a ticket stops all behind it; no starvation",
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
