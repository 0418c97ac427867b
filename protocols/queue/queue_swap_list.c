/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * swap-list: the pull-based list of figure 9.1 (after [KC95]).
 *
 * A sender swaps itself into the tail and then links its predecessor to itself. Between the two the
 * list is in pieces: what came later is not visible yet (the queue is not linearizable), but
 * nothing is lost and the order is that of the swaps.
 *
 * Departures. Nodes come from the fixed pool of the block. A sender that dies between swap and link
 * leaves the pieces; the receiver, when no living sender is between the two, joins them: the piece
 * that ends at the tail comes last. (With three or more deaths at once the order of the pieces in
 * the middle is not known any more; then, and only then, order may be lost.)
 */
#include "protocols/queue/queue.h"

#include <stdlib.h>

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

static void publish(struct clump_queue *q, struct clump_sender *sender, uint32_t packet,
                    unsigned state)
{
    _Atomic uint64_t *draw = &sender->place->draws[q->which].packet;
    /* Relaxed: the swap publishes all three. */
    atomic_store_explicit(&q->packets[packet].next, 0, memory_order_relaxed);
    atomic_store_explicit(&q->packets[packet].word, clump_word(state, sender->owner, 0),
                          memory_order_relaxed);
    atomic_store_explicit(draw, CLUMP_DRAW_OF(packet), memory_order_relaxed);
    /* Release: node and draw before it, for our successor and for join(). Acquire: our
     * predecessor's `next` = 0 comes before our link. */
    uint64_t before =
        atomic_exchange_explicit(&q->tails->tail, clump_link(packet, 0), memory_order_acq_rel);
    uint32_t index = clump_link_index(before);
    /* Our predecessor stays in the list until it has a successor: nobody can reuse it before this.
     * Release: the message; pairs with the acquire in clump_pool_peek. */
    if (index <= q->mask)
        atomic_store_explicit(&q->packets[index].next, clump_link(packet, 0), memory_order_release);
    atomic_store_explicit(draw, CLUMP_DRAW_NONE, memory_order_release);
}

static void release(struct clump_queue *q, uint32_t packet)
{
    uint32_t old = (uint32_t)q->head;
    q->head = packet;
    /* Relaxed: only the receiver looks for it. */
    atomic_store_explicit(&q->packets[packet].word, CLUMP_SENTINEL, memory_order_relaxed);
    /* Release: pairs with the acquire in clump_pool_take. */
    atomic_store_explicit(&q->packets[old].word, CLUMP_FREE, memory_order_release);
}

static bool empty(struct clump_queue *q)
{
    /* Acquire: pairs with the swap. */
    uint64_t tail = atomic_load_explicit(&q->tails->tail, memory_order_acquire);
    return clump_link_index(tail) == (uint32_t)q->head;
}

static bool is_ready(const struct clump_queue *q, uint32_t index, uint64_t *word)
{
    *word = atomic_load_explicit(&q->packets[index].word, memory_order_acquire);
    return clump_word_state(*word) == CLUMP_READY || clump_word_state(*word) == CLUMP_READY_BULK;
}

static uint32_t successor(const struct clump_queue *q, uint32_t index)
{
    uint64_t link = atomic_load_explicit(&q->packets[index].next, memory_order_acquire);
    uint32_t next = clump_link_index(link);
    return next <= q->mask ? next : CLUMP_NONE;
}

/** The last node of the piece that begins at `index`; CLUMP_NONE if it is a circle. */
static uint32_t piece_end(const struct clump_queue *q, uint32_t index)
{
    for (uint64_t steps = 0; steps <= q->mask; steps++) {
        uint32_t next = successor(q, index);
        if (next == CLUMP_NONE)
            return index;
        index = next;
    }
    return CLUMP_NONE;
}

/** Link the pieces that dead senders left to the sentinel, which has no successor. */
static bool join(struct clump_queue *q)
{
    uint64_t tail = atomic_load_explicit(&q->tails->tail, memory_order_acquire);
    if (clump_ticket_may_be_held(q, CLUMP_DRAW_PACKET, 0, 0, UINT64_MAX))
        return false;
    unsigned char *has_predecessor = calloc((size_t)q->mask + 1, 1);
    if (has_predecessor == NULL)
        return false; /* next time */
    bool changed = false, sound = true;
    uint64_t word;
    for (uint32_t i = 0; i <= q->mask; i++)
        if (is_ready(q, i, &word) && successor(q, i) != CLUMP_NONE)
            has_predecessor[successor(q, i)] = 1;
    /* A piece whose first sender lives is about to be linked by it: not our business. */
    for (uint32_t i = 0; i <= q->mask && sound; i++)
        if (is_ready(q, i, &word) && !has_predecessor[i])
            sound = !clump_owner_alive(q->places, word);
    sound = sound && atomic_load_explicit(&q->tails->tail, memory_order_acquire) == tail &&
            successor(q, (uint32_t)q->head) == CLUMP_NONE;
    uint32_t at = (uint32_t)q->head, last = CLUMP_NONE;
    for (uint32_t i = 0; sound && i <= q->mask; i++) {
        if (!is_ready(q, i, &word) || has_predecessor[i])
            continue;
        uint32_t end = piece_end(q, i);
        if (end == CLUMP_NONE)
            continue;
        if (end == clump_link_index(tail)) {
            last = i;
            continue;
        }
        atomic_store_explicit(&q->packets[at].next, clump_link(i, 0), memory_order_release);
        at = end;
        q->recovered++;
        changed = true;
    }
    if (last != CLUMP_NONE) {
        atomic_store_explicit(&q->packets[at].next, clump_link(last, 0), memory_order_release);
        q->recovered++;
        changed = true;
    } else if (sound && at == (uint32_t)q->head) {
        /* A tail that no sender of ours wrote, and nothing that hangs on it: begin anew. */
        changed = atomic_compare_exchange_strong_explicit(
            &q->tails->tail, &tail, clump_link(at, 0), memory_order_acq_rel, memory_order_relaxed);
        q->rejected += changed;
    }
    free(has_predecessor);
    return changed;
}

static bool recover(struct clump_queue *q)
{
    if (successor(q, (uint32_t)q->head) != CLUMP_NONE)
        return false;
    bool changed = !empty(q) && join(q);
    return clump_pool_recover(q, empty) && changed;
}

const struct clump_queue_algorithm clump_queue_swap_list = {
    .name = "swap-list",
    .source = "section 9.1.1, figure 9.1",
    .progress = "senders never wait for each other unless the pool is empty",
    .fifo = true,
    .initialise = clump_pool_initialise,
    .claim = claim,
    .publish = publish,
    .peek = clump_pool_peek,
    .release = release,
    .recover = recover,
};
