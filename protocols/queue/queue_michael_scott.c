/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * michael-scott: the non-blocking list of figure 9.2 (after [MS96]) with a single receiver.
 *
 * A sender links its node to the last one by compare-and-swap and then moves the tail; everybody
 * who finds the tail behind moves it on. A death at any instruction leaves a list that the others
 * complete.
 *
 * Departures. Nodes come from the fixed pool of the block (so a full pool blocks). Links and tail
 * are 64 bits: index and a 32-bit epoch, the counts of the figure. The head belongs to the receiver
 * alone.
 */
#include "protocols/queue/queue.h"

static clump_protocol_status claim(struct clump_queue *q, struct clump_sender *sender,
                                   struct clump_waiter *waiter, uint32_t *packet, uint32_t *block)
{
    if (block != NULL) {
        clump_protocol_status status = clump_bulk_claim(q, sender, waiter, block);
        if (status != CLUMP_PROTOCOL_OK)
            return status;
    }
    clump_protocol_status status = clump_pool_take(q, sender, waiter, packet);
    if (status != CLUMP_PROTOCOL_OK && block != NULL)
        clump_bulk_unclaim(q, *block);
    return status;
}

static uint32_t epoch_of(uint64_t link)
{
    return (uint32_t)(link >> 32);
}

static void publish(struct clump_queue *q, struct clump_sender *sender, uint32_t packet,
                    unsigned state)
{
    struct clump_packet *p = &q->packets[packet];
    /* Relaxed: ours, published by the link. A new epoch: a sender that still takes this node for
     * the last one, from its life before, fails. */
    uint64_t old = atomic_load_explicit(&p->next, memory_order_relaxed);
    atomic_store_explicit(&p->next, clump_link(CLUMP_NONE, epoch_of(old) + 1),
                          memory_order_relaxed);
    atomic_store_explicit(&p->word, clump_word(state, sender->owner, 0), memory_order_relaxed);
    /* Each turn somebody else has made progress, so only a scribbled tail ends this loop without
     * success, after some 100 ms: the message is lost then. */
    for (uint32_t turns = 0; turns < UINT32_C(1) << 22; turns++) {
        /* Acquire: pairs with the release that moved the tail; the node it names is initialised. */
        uint64_t tail = atomic_load_explicit(&q->tails->tail, memory_order_acquire);
        uint32_t index = clump_link_index(tail);
        if (index > q->mask) {
            clump_relax();
            continue;
        }
        uint64_t next = atomic_load_explicit(&q->packets[index].next, memory_order_acquire);
        if (tail != atomic_load_explicit(&q->tails->tail, memory_order_acquire))
            continue;
        uint32_t after = clump_link_index(next);
        if (after == CLUMP_NONE) {
            /* Release: the message; pairs with the acquire in clump_pool_peek. */
            if (atomic_compare_exchange_strong_explicit(
                    &q->packets[index].next, &next, clump_link(packet, epoch_of(next) + 1),
                    memory_order_acq_rel, memory_order_relaxed)) {
                /* If it fails, somebody has done it for us. */
                atomic_compare_exchange_strong_explicit(&q->tails->tail, &tail,
                                                        clump_link(packet, epoch_of(tail) + 1),
                                                        memory_order_acq_rel, memory_order_relaxed);
                return;
            }
        } else {
            atomic_compare_exchange_strong_explicit(&q->tails->tail, &tail,
                                                    clump_link(after, epoch_of(tail) + 1),
                                                    memory_order_acq_rel, memory_order_relaxed);
        }
    }
}

static void release(struct clump_queue *q, uint32_t packet)
{
    uint32_t old = (uint32_t)q->head;
    /* The tail must not stay at a node that becomes free. Each failure means that it has moved. */
    uint64_t tail = atomic_load_explicit(&q->tails->tail, memory_order_acquire);
    while (clump_link_index(tail) == old &&
           !atomic_compare_exchange_weak_explicit(&q->tails->tail, &tail,
                                                  clump_link(packet, epoch_of(tail) + 1),
                                                  memory_order_acq_rel, memory_order_acquire))
        ;
    q->head = packet;
    /* Relaxed: only the receiver looks for it. */
    atomic_store_explicit(&q->packets[packet].word, CLUMP_SENTINEL, memory_order_relaxed);
    /* Release: pairs with the acquire in clump_pool_take. */
    atomic_store_explicit(&q->packets[old].word, CLUMP_FREE, memory_order_release);
}

static bool empty(struct clump_queue *q)
{
    uint64_t link = atomic_load_explicit(&q->packets[q->head].next, memory_order_acquire);
    return clump_link_index(link) == CLUMP_NONE;
}

/** A tail that no sender of ours wrote: back to the list. */
static bool mend_tail(struct clump_queue *q)
{
    uint64_t tail = atomic_load_explicit(&q->tails->tail, memory_order_acquire);
    uint32_t index = clump_link_index(tail);
    if (index <= q->mask) {
        uint64_t word = atomic_load_explicit(&q->packets[index].word, memory_order_acquire);
        if (word != CLUMP_FREE && clump_word_state(word) != CLUMP_CLAIMED)
            return false;
    }
    /* From the sentinel all living senders find the end. */
    if (!atomic_compare_exchange_strong_explicit(&q->tails->tail, &tail,
                                                 clump_link((uint32_t)q->head, epoch_of(tail) + 1),
                                                 memory_order_acq_rel, memory_order_relaxed))
        return false;
    q->rejected++;
    return true;
}

static bool recover(struct clump_queue *q)
{
    if (!empty(q))
        return false;
    mend_tail(q);
    clump_pool_recover(q, empty);
    return false;
}

const struct clump_queue_algorithm clump_queue_michael_scott = {
    .name = "michael-scott",
    .source = "section 9.1.1, figure 9.2",
    .progress = "non-blocking while the pool has nodes",
    .fifo = true,
    .initialise = clump_pool_initialise,
    .claim = claim,
    .publish = publish,
    .peek = clump_pool_peek,
    .release = release,
    .recover = recover,
};
