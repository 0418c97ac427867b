/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Claiming under mutual exclusion, figure 6.14: what the five locking algorithms have in common.
 *
 * Departures. The lock records its owner. Inside the critical section the packet is claimed before
 * the tail moves, and state words carry the lap of the queue: a tail that a dead owner left behind
 * points at a packet that was claimed, or claimed and already taken back, in this very lap, and
 * whoever has the lock next moves it on. So a death at any instruction inside needs no log.
 */
#include "protocols/queue/queue.h"

enum look { LOOK_FREE, LOOK_FULL, LOOK_BEHIND };

/** What the word at a counter tells: claimable, not yet received, or the counter is one behind. */
static enum look look_at(uint64_t word, uint64_t counter, unsigned shift)
{
    uint32_t lap = (uint32_t)(counter >> shift);
    if (clump_word_state(word) == CLUMP_FREE)
        return clump_word_epoch(word) == lap ? LOOK_FREE : LOOK_BEHIND;
    return clump_word_epoch(word) == lap ? LOOK_BEHIND : LOOK_FULL;
}

/** One attempt, lock held. */
static bool try_claim(struct clump_queue *q, struct clump_sender *sender, uint32_t *packet,
                      uint32_t *block)
{
    /* Relaxed: under the lock, whose acquire and release order these. Acquire for the states: pairs
     * with the receiver's release, which takes no lock. */
    uint64_t tail = atomic_load_explicit(&q->tails->tail, memory_order_relaxed);
    _Atomic uint64_t *claim = &q->claims[(uint32_t)tail & q->mask];
    uint64_t word = atomic_load_explicit(claim, memory_order_acquire);
    enum look look = look_at(word, tail, q->shift);
    if (look == LOOK_FULL)
        clump_queue_hunger(q);
    if (look == LOOK_BEHIND)
        atomic_store_explicit(&q->tails->tail, tail + 1, memory_order_release);
    if (look != LOOK_FREE)
        return false;
    if (block != NULL) {
        uint64_t bulk_tail = atomic_load_explicit(&q->tails->bulk_tail, memory_order_relaxed);
        struct clump_bulk *b = &q->bulks[(uint32_t)bulk_tail & q->bulk_mask];
        uint64_t bulk_word = atomic_load_explicit(&b->word, memory_order_acquire);
        look = look_at(bulk_word, bulk_tail, q->bulk_shift);
        if (look == LOOK_BEHIND)
            atomic_store_explicit(&q->tails->bulk_tail, bulk_tail + 1, memory_order_release);
        if (look != LOOK_FREE)
            return false;
        *block = (uint32_t)bulk_tail & q->bulk_mask;
        atomic_store_explicit(&b->word,
                              clump_word(CLUMP_CLAIMED, sender->owner, clump_word_epoch(bulk_word)),
                              memory_order_release);
        atomic_store_explicit(&q->tails->bulk_tail, bulk_tail + 1, memory_order_release);
    }
    *packet = (uint32_t)tail & q->mask;
    /* Release, both: in this order, for the next owner of the lock and for clump_array_recover. */
    atomic_store_explicit(claim, clump_word(CLUMP_CLAIMED, sender->owner, clump_word_epoch(word)),
                          memory_order_release);
    atomic_store_explicit(&q->tails->tail, tail + 1, memory_order_release);
    return true;
}

clump_protocol_status clump_locking_claim(struct clump_queue *q, struct clump_sender *sender,
                                          struct clump_waiter *waiter, uint32_t *packet,
                                          uint32_t *block, const struct clump_lock *lock)
{
    for (;;) {
        uint64_t ticket = 0;
        clump_protocol_status status = lock->lock(q, sender, waiter, &ticket);
        if (status != CLUMP_PROTOCOL_OK)
            return status;
        bool claimed = try_claim(q, sender, packet, block);
        lock->unlock(q, sender, ticket);
        if (claimed)
            return CLUMP_PROTOCOL_OK;
        status = clump_waiter_pause(waiter); /* full: accept messages, without the lock */
        if (status != CLUMP_PROTOCOL_OK)
            return status;
    }
}
