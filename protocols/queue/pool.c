/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * ALLOCATEMESSAGE and FREEMESSAGE of figures 9.1 and 9.2 over a fixed pool: the packets of the
 * queue block, linked by index.
 *
 * A free list would need a step in which a node belongs to nobody. Instead a node is taken by
 * compare-and-swap of its state word, FREE to CLAIMED with the owner in it, beginning the search at
 * a place that a shared counter spreads; a death never loses a node.
 */
#include "protocols/queue/queue.h"

void clump_pool_initialise(struct clump_queue *q)
{
    /* Relaxed: not shared yet. */
    atomic_store_explicit(&q->packets[0].word, CLUMP_SENTINEL, memory_order_relaxed);
    atomic_store_explicit(&q->tails->tail, clump_link(0, 0), memory_order_relaxed);
    atomic_store_explicit(&q->tails->lock, 1, memory_order_relaxed);
}

clump_protocol_status clump_pool_take(struct clump_queue *q, struct clump_sender *sender,
                                      struct clump_waiter *waiter, uint32_t *packet)
{
    for (;;) {
        /* Relaxed: only where to begin. The lock word is free in the list algorithms. */
        uint64_t start = atomic_fetch_add_explicit(&q->tails->lock, 1, memory_order_relaxed);
        for (uint64_t i = 0; i <= q->mask; i++) {
            uint32_t index = (uint32_t)(start + i) & q->mask;
            uint64_t seen = CLUMP_FREE;
            /* Acquire: pairs with the receiver's release of the node. */
            if (atomic_load_explicit(&q->packets[index].word, memory_order_relaxed) == seen &&
                atomic_compare_exchange_strong_explicit(
                    &q->packets[index].word, &seen, clump_word(CLUMP_CLAIMED, sender->owner, 0),
                    memory_order_acquire, memory_order_relaxed)) {
                *packet = index;
                return CLUMP_PROTOCOL_OK;
            }
        }
        clump_protocol_status status = clump_waiter_pause(waiter);
        if (status != CLUMP_PROTOCOL_OK)
            return status;
    }
}

uint32_t clump_pool_peek(struct clump_queue *q)
{
    uint32_t head = (uint32_t)q->head;
    /* Acquire: pairs with the release that linked the node; the message is complete. */
    uint64_t link = atomic_load_explicit(&q->packets[head].next, memory_order_acquire);
    uint32_t index = clump_link_index(link);
    if (index == CLUMP_NONE)
        return CLUMP_NONE;
    if (index <= q->mask && index != head) {
        uint64_t word = atomic_load_explicit(&q->packets[index].word, memory_order_acquire);
        unsigned state = clump_word_state(word);
        if (state == CLUMP_READY || state == CLUMP_READY_BULK)
            return index;
    }
    /* No sender of ours writes such a link. Cut it off; what hung on it is rejected. */
    q->rejected++;
    atomic_store_explicit(&q->packets[head].next,
                          clump_link(CLUMP_NONE, (uint32_t)(link >> 32) + 1), memory_order_release);
    return CLUMP_NONE;
}

bool clump_pool_recover(struct clump_queue *q, bool (*empty)(struct clump_queue *queue))
{
    bool changed = false;
    for (uint32_t i = 0; i <= q->mask; i++) {
        uint64_t word = atomic_load_explicit(&q->packets[i].word, memory_order_acquire);
        unsigned state = clump_word_state(word);
        if (i == (uint32_t)q->head || word == CLUMP_FREE)
            continue;
        if (state == CLUMP_READY || state == CLUMP_READY_BULK) {
            /* Complete, but perhaps never linked: certain only when nothing is in the list, looked
             * at after its owner was found dead. */
            if (!empty(q) || clump_owner_alive(q->places, word) || !empty(q))
                continue;
        } else if (state == CLUMP_CLAIMED) {
            if (clump_owner_alive(q->places, word))
                continue;
        } else {
            q->rejected++; /* no sender of ours writes that */
        }
        /* Compare-and-swap: an owner that was alive a moment ago may have gone on. */
        if (atomic_compare_exchange_strong_explicit(&q->packets[i].word, &word, CLUMP_FREE,
                                                    memory_order_acq_rel, memory_order_relaxed)) {
            q->recovered++;
            changed = true;
        }
    }
    return changed;
}
