/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * anderson: a ticket lock whose service counter is divided, a line for each waiter (figure 6.17,
 * after [And90]).
 *
 * Departures. A slot holds the number that is served + 1 instead of a flag: the number tells a turn
 * from the one a lap earlier, so slots need not be cleared, more waiters than slots are harmless,
 * and a turn whose owner is dead can be passed on by compare-and-swap. The number is noted in the
 * sender's place (MY_PROCESS of the figure).
 */
#include "protocols/queue/queue.h"

static void initialise(struct clump_queue *q)
{
    /* Relaxed: not shared yet. Number 0 may enter. */
    atomic_store_explicit(&q->slots[0].held, 1, memory_order_relaxed);
}

static _Atomic uint64_t *slot_of(struct clump_queue *q, uint64_t ticket)
{
    return &q->slots[ticket & (CLUMP_SENDERS - 1)].held;
}

/** Pass on the turn of an owner that is gone. */
static void pass_on(struct clump_queue *q)
{
    uint64_t turn = 0;
    for (uint32_t i = 0; i < CLUMP_SENDERS; i++) { /* the highest number is being served */
        uint64_t held = atomic_load_explicit(&q->slots[i].held, memory_order_acquire);
        turn = held > turn ? held : turn;
    }
    uint64_t served = turn - 1;
    uint64_t next = atomic_load_explicit(slot_of(q, turn), memory_order_relaxed);
    uint64_t below = atomic_load_explicit(&q->tails->lock, memory_order_acquire);
    if (next > turn || served >= below ||
        clump_ticket_may_be_held(q, CLUMP_DRAW_LOCK, served, UINT64_MAX, below))
        return;
    /* Compare-and-swap: only one passes it on, and not if it has been passed on since we looked. */
    atomic_compare_exchange_strong_explicit(slot_of(q, turn), &next, turn + 1, memory_order_acq_rel,
                                            memory_order_relaxed);
}

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
        if (atomic_load_explicit(slot_of(q, *ticket), memory_order_acquire) == *ticket + 1)
            return CLUMP_PROTOCOL_OK;
        bool suspect;
        clump_protocol_status status = clump_waiter_spin(waiter, &turns, &suspect);
        if (status != CLUMP_PROTOCOL_OK) {
            atomic_store_explicit(draw, CLUMP_DRAW_NONE, memory_order_release);
            return status;
        }
        if (suspect)
            pass_on(q);
    }
}

static void give(struct clump_queue *q, struct clump_sender *sender, uint64_t ticket)
{
    /* Release: the critical section before it; pairs with take(). */
    atomic_store_explicit(slot_of(q, ticket + 1), ticket + 2, memory_order_release);
    atomic_store_explicit(&sender->place->draws[q->which].lock, CLUMP_DRAW_NONE,
                          memory_order_release);
}

static clump_protocol_status claim(struct clump_queue *q, struct clump_sender *sender,
                                   struct clump_waiter *waiter, uint32_t *packet, uint32_t *block)
{
    static const struct clump_lock lock = {take, give};
    return clump_locking_claim(q, sender, waiter, packet, block, &lock);
}

const struct clump_queue_algorithm clump_queue_anderson = {
    .name = "anderson",
    .source = "section 6.3.1, figure 6.17",
    .progress = "a sender that sleeps with a ticket stops all behind it; no starvation",
    .fifo = true,
    .epochs = true,
    .array = true,
    .lazy = true,
    .initialise = initialise,
    .claim = claim,
    .publish = clump_array_publish,
    .peek = clump_array_peek,
    .release = clump_array_release,
    .recover = clump_array_recover,
};
