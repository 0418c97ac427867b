/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Queues as linked lists of packets: michael-scott and swap-list, over one pool of nodes.
 */
#include "protocols/queue/queue.h"

#include <stdlib.h>

/* ---- the pool: ALLOCATEMESSAGE and FREEMESSAGE of figures 9.1 and 9.2. Nodes are the packets of
 * the queue block, linked by index.
 *
 * A free list would need a step in which a node belongs to nobody. Instead a node is taken by
 * compare-and-swap of its state word, FREE to CLAIMED with the owner in it, beginning the search at
 * a place that a shared counter spreads; a death never loses a node. */

/* Links: index + 1, 0 for none, and an epoch against reuse. */
static inline uint64_t link_to(uint32_t index, uint32_t epoch)
{
    return (uint64_t)epoch << 32 | (index + 1);
}

/** CLUMP_NONE for no node; not validated. */
static inline uint32_t index_of(uint64_t link)
{
    return (uint32_t)link - 1;
}

static inline uint32_t epoch_of(uint64_t link)
{
    return (uint32_t)(link >> 32);
}

/** Node 0 is the first sentinel. */
static void initialise(struct clump_queue *q)
{
    /* Relaxed: not shared yet. */
    atomic_store_explicit(&q->packets[0].word, CLUMP_SENTINEL, memory_order_relaxed);
    atomic_store_explicit(&q->tails->tail, link_to(0, 0), memory_order_relaxed);
    atomic_store_explicit(&q->tails->lock, 1, memory_order_relaxed);
}

/** A node by compare-and-swap; TIMED_OUT... as the waiter says when there is none. */
static clump_protocol_status take_node(struct clump_queue *q, struct clump_sender *sender,
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

/** The node after the sentinel if the link is sound, else CLUMP_NONE. */
static uint32_t peek(struct clump_queue *q)
{
    uint32_t head = (uint32_t)q->head;
    /* Acquire: pairs with the release that linked the node; the message is complete. */
    uint64_t link = atomic_load_explicit(&q->packets[head].next, memory_order_acquire);
    uint32_t index = index_of(link);
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
    atomic_store_explicit(&q->packets[head].next, link_to(CLUMP_NONE, epoch_of(link) + 1),
                          memory_order_release);
    return CLUMP_NONE;
}

/** Take back the nodes of dead senders that never got into the list. `empty`: is the list empty? */
static bool recover_nodes(struct clump_queue *q, bool (*empty)(struct clump_queue *queue))
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

static clump_protocol_status claim(struct clump_queue *q, struct clump_sender *sender,
                                   struct clump_waiter *waiter, uint32_t *packet, uint32_t *block)
{
    return clump_claim_with_block(q, sender, waiter, packet, block, take_node);
}

/* ---- michael-scott: the non-blocking list of figure 9.2 (after [MS96]) with a single receiver.
 *
 * A sender links its node to the last one by compare-and-swap and then moves the tail; everybody
 * who finds the tail behind moves it on. A death at any instruction leaves a list that the others
 * complete.
 *
 * Departures. Nodes come from the fixed pool of the block (so a full pool blocks). Links and tail
 * are 64 bits: index and a 32-bit epoch, the counts of the figure. The head belongs to the receiver
 * alone. */

static void scott_publish(struct clump_queue *q, struct clump_sender *sender, uint32_t packet,
                          unsigned state)
{
    struct clump_packet *p = &q->packets[packet];
    /* Relaxed: ours, published by the link. A new epoch: a sender that still takes this node for
     * the last one, from its life before, fails. */
    uint64_t old = atomic_load_explicit(&p->next, memory_order_relaxed);
    atomic_store_explicit(&p->next, link_to(CLUMP_NONE, epoch_of(old) + 1), memory_order_relaxed);
    atomic_store_explicit(&p->word, clump_word(state, sender->owner, 0), memory_order_relaxed);
    /* Each turn somebody else has made progress, so only a scribbled tail ends this loop without
     * success, after some 100 ms: the message is lost then. */
    for (uint32_t turns = 0; turns < UINT32_C(1) << 22; turns++) {
        /* Acquire: pairs with the release that moved the tail; the node it names is initialised. */
        uint64_t tail = atomic_load_explicit(&q->tails->tail, memory_order_acquire);
        uint32_t index = index_of(tail);
        if (index > q->mask) {
            clump_relax();
            continue;
        }
        uint64_t next = atomic_load_explicit(&q->packets[index].next, memory_order_acquire);
        if (tail != atomic_load_explicit(&q->tails->tail, memory_order_acquire))
            continue;
        uint32_t after = index_of(next);
        if (after == CLUMP_NONE) {
            /* Release: the message; pairs with the acquire in peek. */
            if (atomic_compare_exchange_strong_explicit(
                    &q->packets[index].next, &next, link_to(packet, epoch_of(next) + 1),
                    memory_order_acq_rel, memory_order_relaxed)) {
                /* If it fails, somebody has done it for us. */
                atomic_compare_exchange_strong_explicit(&q->tails->tail, &tail,
                                                        link_to(packet, epoch_of(tail) + 1),
                                                        memory_order_acq_rel, memory_order_relaxed);
                return;
            }
        } else {
            atomic_compare_exchange_strong_explicit(&q->tails->tail, &tail,
                                                    link_to(after, epoch_of(tail) + 1),
                                                    memory_order_acq_rel, memory_order_relaxed);
        }
    }
}

static void scott_release(struct clump_queue *q, uint32_t packet)
{
    uint32_t old = (uint32_t)q->head;
    /* The tail must not stay at a node that becomes free. Each failure means that it has moved. */
    uint64_t tail = atomic_load_explicit(&q->tails->tail, memory_order_acquire);
    while (index_of(tail) == old && !atomic_compare_exchange_weak_explicit(
                                        &q->tails->tail, &tail, link_to(packet, epoch_of(tail) + 1),
                                        memory_order_acq_rel, memory_order_acquire))
        ;
    q->head = packet;
    /* Relaxed: only the receiver looks for it. */
    atomic_store_explicit(&q->packets[packet].word, CLUMP_SENTINEL, memory_order_relaxed);
    /* Release: pairs with the acquire in take_node. */
    atomic_store_explicit(&q->packets[old].word, CLUMP_FREE, memory_order_release);
}

static bool scott_empty(struct clump_queue *q)
{
    uint64_t link = atomic_load_explicit(&q->packets[q->head].next, memory_order_acquire);
    return index_of(link) == CLUMP_NONE;
}

/** A tail that no sender of ours wrote: back to the list. */
static bool mend_tail(struct clump_queue *q)
{
    uint64_t tail = atomic_load_explicit(&q->tails->tail, memory_order_acquire);
    uint32_t index = index_of(tail);
    if (index <= q->mask) {
        uint64_t word = atomic_load_explicit(&q->packets[index].word, memory_order_acquire);
        if (word != CLUMP_FREE && clump_word_state(word) != CLUMP_CLAIMED)
            return false;
    }
    /* From the sentinel all living senders find the end. */
    if (!atomic_compare_exchange_strong_explicit(&q->tails->tail, &tail,
                                                 link_to((uint32_t)q->head, epoch_of(tail) + 1),
                                                 memory_order_acq_rel, memory_order_relaxed))
        return false;
    q->rejected++;
    return true;
}

static bool scott_recover(struct clump_queue *q)
{
    if (!scott_empty(q))
        return false;
    mend_tail(q);
    recover_nodes(q, scott_empty);
    return false;
}

const struct clump_queue_algorithm clump_queue_michael_scott = {
    .name = "michael-scott",
    .source = "section 9.1.1, figure 9.2",
    .progress = "non-blocking while the pool has nodes",
    .fifo = true,
    .initialise = initialise,
    .claim = claim,
    .publish = scott_publish,
    .peek = peek,
    .release = scott_release,
    .recover = scott_recover,
};

/* ---- swap-list: the pull-based list of figure 9.1 (after [KC95]).
 *
 * A sender swaps itself into the tail and then links its predecessor to itself. Between the two the
 * list is in pieces: what came later is not visible yet (the queue is not linearizable), but
 * nothing is lost and the order is that of the swaps.
 *
 * Departures. Nodes come from the fixed pool of the block. A sender that dies between swap and link
 * leaves the pieces; the receiver, when no living sender is between the two, joins them: the piece
 * that ends at the tail comes last. (With three or more deaths at once the order of the pieces in
 * the middle is not known any more; then, and only then, order may be lost.) */

static void swap_publish(struct clump_queue *q, struct clump_sender *sender, uint32_t packet,
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
        atomic_exchange_explicit(&q->tails->tail, link_to(packet, 0), memory_order_acq_rel);
    uint32_t index = index_of(before);
    /* Our predecessor stays in the list until it has a successor: nobody can reuse it before this.
     * Release: the message; pairs with the acquire in peek. */
    if (index <= q->mask)
        atomic_store_explicit(&q->packets[index].next, link_to(packet, 0), memory_order_release);
    atomic_store_explicit(draw, CLUMP_DRAW_NONE, memory_order_release);
}

static void swap_release(struct clump_queue *q, uint32_t packet)
{
    uint32_t old = (uint32_t)q->head;
    q->head = packet;
    /* Relaxed: only the receiver looks for it. */
    atomic_store_explicit(&q->packets[packet].word, CLUMP_SENTINEL, memory_order_relaxed);
    /* Release: pairs with the acquire in take_node. */
    atomic_store_explicit(&q->packets[old].word, CLUMP_FREE, memory_order_release);
}

static bool swap_empty(struct clump_queue *q)
{
    /* Acquire: pairs with the swap. */
    uint64_t tail = atomic_load_explicit(&q->tails->tail, memory_order_acquire);
    return index_of(tail) == (uint32_t)q->head;
}

static bool is_ready(const struct clump_queue *q, uint32_t index, uint64_t *word)
{
    *word = atomic_load_explicit(&q->packets[index].word, memory_order_acquire);
    return clump_word_state(*word) == CLUMP_READY || clump_word_state(*word) == CLUMP_READY_BULK;
}

static uint32_t successor(const struct clump_queue *q, uint32_t index)
{
    uint64_t link = atomic_load_explicit(&q->packets[index].next, memory_order_acquire);
    uint32_t next = index_of(link);
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
        if (end == index_of(tail)) {
            last = i;
            continue;
        }
        atomic_store_explicit(&q->packets[at].next, link_to(i, 0), memory_order_release);
        at = end;
        q->recovered++;
        changed = true;
    }
    if (last != CLUMP_NONE) {
        atomic_store_explicit(&q->packets[at].next, link_to(last, 0), memory_order_release);
        q->recovered++;
        changed = true;
    } else if (sound && at == (uint32_t)q->head) {
        /* A tail that no sender of ours wrote, and nothing that hangs on it: begin anew. */
        changed = atomic_compare_exchange_strong_explicit(
            &q->tails->tail, &tail, link_to(at, 0), memory_order_acq_rel, memory_order_relaxed);
        q->rejected += changed;
    }
    free(has_predecessor);
    return changed;
}

static bool swap_recover(struct clump_queue *q)
{
    if (successor(q, (uint32_t)q->head) != CLUMP_NONE)
        return false;
    bool changed = !swap_empty(q) && join(q);
    return recover_nodes(q, swap_empty) && changed;
}

const struct clump_queue_algorithm clump_queue_swap_list = {
    .name = "swap-list",
    .source = "section 9.1.1, figure 9.1",
    .progress = "senders never wait for each other unless the pool is empty",
    .fifo = true,
    .initialise = initialise,
    .claim = claim,
    .publish = swap_publish,
    .peek = peek,
    .release = swap_release,
    .recover = swap_recover,
};
