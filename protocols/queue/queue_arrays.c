/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Queues in an array whose senders take no lock: lock-free, lock-free-test-set, lock-free-fifo and
 * ultracomputer.
 *
 * Fetch-and-increment of the tail assigns a packet; the algorithms differ in how its sender comes
 * to own it. A sender that sleeps between claim and publish holds up the receiver at that packet
 * (they are blocking), but no other sender.
 *
 * Departure, in all of them: the sender notes its ticket in its place, so that a death between the
 * steps can be made good.
 */
#include "protocols/queue/queue.h"

/* ---- lock-free: section 3.3, figure 3.6. Compare-and-swap of the packet's state, FREE to CLAIMED,
 * claims it. With more assignments than packets several senders compete for one packet, in any
 * order: not FIFO then. Departure: the state word names who claimed the packet. */

/** A ticket by increment, noted in the sender's place. */
static inline uint64_t draw_from_tail(struct clump_queue *q, struct clump_sender *sender)
{
    _Atomic uint64_t *draw = &sender->place->draws[q->which].packet;
    /* Relaxed: ordered by the increment that follows. */
    atomic_store_explicit(draw, CLUMP_DRAW_UNKNOWN, memory_order_relaxed);
    /* Release: UNKNOWN before it; pairs with the acquire of the tail in clump_array_recover.
     * Acquire: keeps the store of the ticket after it. */
    const uint64_t ticket = atomic_fetch_add_explicit(&q->tails->tail, 1, memory_order_acq_rel);
    atomic_store_explicit(draw, CLUMP_DRAW_OF(ticket), memory_order_relaxed);
    return ticket;
}

/**
 * Whether the ticket that comes next would find its packet taken. Whoever waits does so without a
 * ticket: the receiver would have to wait for it, too, and it may not have a processor by then. A
 * hint: between the look and the draw others draw.
 */
static inline bool looks_full(const struct clump_queue *q)
{
    /* For writing: the increment follows at once, in the same coherence transaction. */
    clump_prefetch_for_write(&q->tails->tail);
    /* Relaxed, all: nothing is read of a packet before it is claimed. */
    const uint64_t tail = atomic_load_explicit(&q->tails->tail, memory_order_relaxed);
    const uint64_t ours = clump_word(CLUMP_FREE, 0, clump_lap(q, tail));
    const uint32_t index = (uint32_t)tail & q->mask;
    if (!q->algorithm->epochs) /* likewise for the compare-and-swap */
        clump_prefetch_for_write((const void *)&q->claims[index]);
    const uint64_t claim = atomic_load_explicit(&q->claims[index], memory_order_relaxed);
    /* Without epochs a packet of an earlier lap may be had, too: draw_and_claim(). */
    return claim != ours && (q->algorithm->epochs || clump_word_state(claim) != CLUMP_FREE) &&
           atomic_load_explicit(&q->tails->tail, memory_order_relaxed) == tail;
}

/** A ticket, drawn when its packet looks free. */
static inline clump_protocol_status draw_when_free(struct clump_queue *q,
                                                   struct clump_sender *sender,
                                                   struct clump_waiter *waiter, uint64_t *ticket)
{
    /* In turn after a long while: who comes later must not be first for ever. */
    while (looks_full(q) && !waiter->long_since) {
        clump_queue_hunger(q);
        const clump_protocol_status status = clump_waiter_pause(waiter);
        if (status != CLUMP_PROTOCOL_OK)
            return status;
    }
    *ticket = draw_from_tail(q, sender);
    return CLUMP_PROTOCOL_OK;
}

/** The packet of a ticket as soon as that is free, in whatever lap. */
static inline clump_protocol_status claim_drawn(struct clump_queue *q, struct clump_sender *sender,
                                                struct clump_waiter *waiter, uint64_t ticket,
                                                uint32_t *packet)
{
    _Atomic uint64_t *draw = &sender->place->draws[q->which].packet;
    clump_protocol_status status = CLUMP_PROTOCOL_OK;
    uint32_t index = (uint32_t)ticket & q->mask;
    uint64_t seen = clump_word(CLUMP_FREE, 0, clump_lap(q, ticket));
    clump_array_prefetch(q, index);
    /* Acquire: pairs with the release in clump_array_flush; the receiver is done with the packet.
     * No look before: it would cost a second coherence transaction. */
    while (!atomic_compare_exchange_strong_explicit(
        &q->claims[index], &seen, clump_word(CLUMP_CLAIMED, sender->owner, clump_word_epoch(seen)),
        memory_order_acquire, memory_order_relaxed)) {
        /* Of another lap: that of a ticket which was lost, or overtaken by us. */
        if (clump_word_state(seen) == CLUMP_FREE)
            continue;
        clump_queue_hunger(q);
        status = clump_waiter_pause(waiter);
        if (status != CLUMP_PROTOCOL_OK)
            break;
        /* Relaxed: the compare-and-swap acquires. */
        seen = atomic_load_explicit(&q->claims[index], memory_order_relaxed);
        seen = clump_word(CLUMP_FREE, 0, clump_word_epoch(seen));
    }
    /* Release: who sees NONE (acquire, clump_ticket_may_be_held) sees the packet claimed. After a
     * failure the ticket counts as lost. */
    atomic_store_explicit(draw, CLUMP_DRAW_NONE, memory_order_release);
    if (status == CLUMP_PROTOCOL_OK)
        *packet = index;
    return status;
}

static inline clump_protocol_status draw_and_claim(struct clump_queue *q,
                                                   struct clump_sender *sender,
                                                   struct clump_waiter *waiter, uint32_t *packet)
{
    uint64_t ticket;
    const clump_protocol_status status = draw_when_free(q, sender, waiter, &ticket);
    return status == CLUMP_PROTOCOL_OK ? claim_drawn(q, sender, waiter, ticket, packet) : status;
}

static clump_protocol_status lock_free_claim(struct clump_queue *q, struct clump_sender *sender,
                                             struct clump_waiter *waiter, uint32_t *packet,
                                             uint32_t *block)
{
    return clump_claim_with_block(q, sender, waiter, packet, block, draw_and_claim);
}

const struct clump_queue_algorithm clump_queue_lock_free = {
    .name = "lock-free",
    .source = "section 3.3, figure 3.6",
    .progress = "senders never wait for each other unless the queue is full",
    .array = true,
    .lazy = true,
    .claim = lock_free_claim,
    .publish = clump_array_publish,
    .peek = clump_array_peek,
    .release = clump_array_release,
    .recover = clump_array_recover,
};

/* ---- lock-free-test-set: the same with test-and-set in the place of compare-and-swap, section 3.3.2.
 * State and lock of a packet are two words as in table 3.1: its claim, of which test-and-set sets one
 * bit and leaves the lap, and its own word.
 *
 * Departure: test-and-set names nobody, so a sender notes in its place which packet it tries to lock,
 * or has locked, until it has published. A locked packet that no living sender notes is a dead one's. */

static inline clump_protocol_status draw_and_lock(struct clump_queue *q,
                                                  struct clump_sender *sender,
                                                  struct clump_waiter *waiter, uint32_t *packet)
{
    struct clump_draws *draws = &sender->place->draws[q->which];
    const uint32_t index = (uint32_t)draw_from_tail(q, sender) & q->mask;
    clump_protocol_status status = CLUMP_PROTOCOL_OK;
    clump_array_prefetch(q, index);
    for (;;) {
        /* Relaxed: the test-and-set is a release. */
        atomic_store_explicit(&draws->lock, CLUMP_DRAW_OF(index), memory_order_relaxed);
        /* Acquire: pairs with the release in clump_array_flush. Release: who sees the bit, which those
         * that fail set again, sees the note of the one that has it. */
        if ((atomic_fetch_or_explicit(&q->claims[index], CLUMP_CLAIMED, memory_order_acq_rel) &
             CLUMP_CLAIMED) == 0)
            break;
        atomic_store_explicit(&draws->lock, CLUMP_DRAW_NONE, memory_order_relaxed);
        clump_queue_hunger(q);
        do { /* relaxed: a look, which takes the line from nobody */
            status = clump_waiter_pause(waiter);
        } while (status == CLUMP_PROTOCOL_OK &&
                 (atomic_load_explicit(&q->claims[index], memory_order_relaxed) & CLUMP_CLAIMED));
        if (status != CLUMP_PROTOCOL_OK)
            break;
    }
    /* Release: who sees NONE sees the packet locked. After a failure the ticket counts as lost. */
    atomic_store_explicit(&draws->packet, CLUMP_DRAW_NONE, memory_order_release);
    if (status == CLUMP_PROTOCOL_OK)
        *packet = index;
    return status;
}

static clump_protocol_status lock_free_test_set_claim(struct clump_queue *q,
                                                      struct clump_sender *sender,
                                                      struct clump_waiter *waiter, uint32_t *packet,
                                                      uint32_t *block)
{
    return clump_claim_with_block(q, sender, waiter, packet, block, draw_and_lock);
}

static void lock_free_test_set_publish(struct clump_queue *q, struct clump_sender *sender,
                                       uint32_t packet, unsigned state)
{
    clump_array_publish(q, sender, packet, state);
    /* Release: who sees NONE (acquire, clump_ticket_may_be_held) sees the message published. */
    atomic_store_explicit(&sender->place->draws[q->which].lock, CLUMP_DRAW_NONE,
                          memory_order_release);
}

static bool lock_free_test_set_recover(struct clump_queue *q)
{
    const uint32_t index = (uint32_t)q->head & q->mask;
    clump_array_flush(q);
    /* Acquire: pairs with the test-and-set; the notes are read after it. */
    const uint64_t claim = atomic_load_explicit(&q->claims[index], memory_order_acquire);
    if (claim != clump_word(CLUMP_CLAIMED, 0, clump_lap(q, q->head)))
        return clump_array_recover(q);
    if (clump_array_peek(q) != CLUMP_NONE ||
        clump_ticket_may_be_held(q, CLUMP_DRAW_LOCK, index, UINT64_MAX, UINT64_MAX))
        return false;
    if (clump_array_peek(q) != CLUMP_NONE) /* published before it died or left */
        return true;
    q->recovered++;
    q->head++;
    clump_array_flush(q);
    return true;
}

const struct clump_queue_algorithm clump_queue_lock_free_test_set = {
    .name = "lock-free-test-set",
    .source = "section 3.3.2, table 3.1",
    .progress = "senders never wait for each other unless the queue is full",
    .array = true,
    .lazy = true,
    .claim = lock_free_test_set_claim,
    .publish = lock_free_test_set_publish,
    .peek = clump_array_peek,
    .release = clump_array_release,
    .recover = lock_free_test_set_recover,
};

/* ---- lock-free-fifo: the variant of figure 6.19. The upper bits of the tail are an epoch. A
 * packet waits for the sender of its own epoch, so the order of assignment is the order of
 * reception, even when the queue overflows.
 *
 * Departures. Only the sender of an epoch may take its packet, so it waits for the epoch and needs
 * no compare-and-swap: the fetch-and-increment is the only atomic operation of a send. Who holds
 * the packet is told by the sender's note of its ticket, which therefore stays until it has
 * published. */

static inline clump_protocol_status draw_and_wait(struct clump_queue *q,
                                                  struct clump_sender *sender,
                                                  struct clump_waiter *waiter, uint32_t *packet)
{
    uint64_t ticket;
    clump_protocol_status status = draw_when_free(q, sender, waiter, &ticket);
    if (status != CLUMP_PROTOCOL_OK)
        return status;
    const uint32_t index = (uint32_t)ticket & q->mask;
    const uint64_t ours = clump_word(CLUMP_FREE, 0, clump_lap(q, ticket));
    clump_array_prefetch(q, index);
    /* Acquire: pairs with the release in clump_array_flush, which began this lap. */
    while (atomic_load_explicit(&q->claims[index], memory_order_acquire) != ours) {
        clump_queue_hunger(q);
        status = clump_waiter_pause(waiter);
        if (status == CLUMP_PROTOCOL_OK)
            continue;
        /* Release: as in fifo_publish(); the ticket counts as lost. */
        atomic_store_explicit(&sender->place->draws[q->which].packet, CLUMP_DRAW_NONE,
                              memory_order_release);
        return status;
    }
    *packet = index;
    return CLUMP_PROTOCOL_OK;
}

static clump_protocol_status fifo_claim(struct clump_queue *q, struct clump_sender *sender,
                                        struct clump_waiter *waiter, uint32_t *packet,
                                        uint32_t *block)
{
    return clump_claim_with_block(q, sender, waiter, packet, block, draw_and_wait);
}

static void fifo_publish(struct clump_queue *q, struct clump_sender *sender, uint32_t packet,
                         unsigned state)
{
    clump_array_publish(q, sender, packet, state);
    /* Release: who sees NONE (acquire, clump_ticket_may_be_held) sees the message published. */
    atomic_store_explicit(&sender->place->draws[q->which].packet, CLUMP_DRAW_NONE,
                          memory_order_release);
}

const struct clump_queue_algorithm clump_queue_lock_free_fifo = {
    .name = "lock-free-fifo",
    .source = "section 6.3.1, figure 6.19",
    .progress = "senders never wait for each other unless the queue is full",
    .fifo = true,
    .epochs = true,
    .array = true,
    .lazy = true,
    .claim = fifo_claim,
    .publish = fifo_publish,
    .peek = clump_array_peek,
    .release = clump_array_release,
    .recover = clump_array_recover,
};

/* ---- ultracomputer: the array queue of the NYU Ultracomputer, figure 6.18 (after [GLR83]).
 * `upper` and `lower` bound the number of packets in use, so overflow and underflow are found
 * without touching a packet. A sender reserves (upper), draws a packet (tail), and after filling it
 * raises `lower`; the receiver does the reverse.
 *
 * Departures. The two binary semaphores of a packet are its state word: enq_sema > 0 is FREE,
 * deq_sema > 0 is READY, and their decrements are compare-and-swaps that record who holds the
 * packet. One receiver: its head is private. Where the receiver of the figure would wait for a
 * packet that is counted but not ready, ours puts the count back and reports underflow. A death
 * between two counters leaves them wrong; the receiver counts anew when nobody is between. */

static inline clump_protocol_status reserve_and_claim(struct clump_queue *q,
                                                      struct clump_sender *sender,
                                                      struct clump_waiter *waiter, uint32_t *packet)
{
    _Atomic uint64_t *draw = &sender->place->draws[q->which].packet;
    _Atomic uint64_t *upper = &q->tails->upper;
    for (;;) {
        /* Relaxed: a first look that keeps a crowd at a full queue from a perpetual overflow. */
        if (atomic_load_explicit(upper, memory_order_relaxed) <= q->mask) {
            atomic_store_explicit(draw, CLUMP_DRAW_UNKNOWN, memory_order_relaxed);
            /* Release: UNKNOWN before it, for recount(). */
            if (atomic_fetch_add_explicit(upper, 1, memory_order_acq_rel) <= q->mask)
                break;
            atomic_fetch_sub_explicit(upper, 1, memory_order_acq_rel);
            atomic_store_explicit(draw, CLUMP_DRAW_NONE, memory_order_release);
        }
        clump_protocol_status status = clump_waiter_pause(waiter);
        if (status != CLUMP_PROTOCOL_OK)
            return status;
    }
    /* If this gives up, the reservation stays with the lost ticket; recover returns both. */
    return claim_drawn(q, sender, waiter, draw_from_tail(q, sender), packet);
}

static clump_protocol_status ultracomputer_claim(struct clump_queue *q, struct clump_sender *sender,
                                                 struct clump_waiter *waiter, uint32_t *packet,
                                                 uint32_t *block)
{
    return clump_claim_with_block(q, sender, waiter, packet, block, reserve_and_claim);
}

static void ultracomputer_publish(struct clump_queue *q, struct clump_sender *sender,
                                  uint32_t packet, unsigned state)
{
    _Atomic uint64_t *draw = &sender->place->draws[q->which].packet;
    /* Relaxed: the release that follows orders it: who sees READY sees UNKNOWN. */
    atomic_store_explicit(draw, CLUMP_DRAW_UNKNOWN, memory_order_relaxed);
    clump_array_publish(q, sender, packet, state);
    /* Release: the state before the count; pairs with the decrement in ultracomputer_peek(). */
    atomic_fetch_add_explicit(&q->tails->lower, 1, memory_order_acq_rel);
    atomic_store_explicit(draw, CLUMP_DRAW_NONE, memory_order_release);
}

static uint32_t ultracomputer_peek(struct clump_queue *q)
{
    _Atomic uint64_t *lower = &q->tails->lower;
    /* Signed: a stray count below zero is an empty queue. */
    if ((int64_t)atomic_load_explicit(lower, memory_order_relaxed) < 1)
        return CLUMP_NONE;
    /* Acquire: pairs with the increment in ultracomputer_publish(). */
    if ((int64_t)atomic_fetch_sub_explicit(lower, 1, memory_order_acq_rel) < 1) {
        atomic_fetch_add_explicit(lower, 1, memory_order_acq_rel);
        return CLUMP_NONE;
    }
    uint32_t packet = clump_array_peek(q);
    if (packet == CLUMP_NONE)
        atomic_fetch_add_explicit(lower, 1, memory_order_acq_rel);
    return packet;
}

static void ultracomputer_release(struct clump_queue *q, uint32_t packet)
{
    clump_array_release(q, packet);
    /* Release: the packet is free before it may be reserved. */
    atomic_fetch_sub_explicit(&q->tails->upper, 1, memory_order_acq_rel);
}

/** Both counters from the packets, if no living sender is between two of its steps. */
static void recount(struct clump_queue *q)
{
    /* Acquire, before the scan of the draws: an increment that is in these values is either still
     * announced there or finished, and then its ticket is in the tail read below. */
    uint64_t upper = atomic_load_explicit(&q->tails->upper, memory_order_acquire);
    uint64_t lower = atomic_load_explicit(&q->tails->lower, memory_order_acquire);
    if (clump_ticket_may_be_held(q, CLUMP_DRAW_PACKET, 0, 0, UINT64_MAX))
        return;
    uint64_t used = atomic_load_explicit(&q->tails->tail, memory_order_acquire) - q->head;
    if (used > (uint64_t)q->mask + 1)
        return;
    uint64_t ready = 0;
    for (uint64_t i = 0; i < used; i++) {
        uint64_t word =
            atomic_load_explicit(&q->packets[(q->head + i) & q->mask].word, memory_order_acquire);
        ready += clump_word_is_ready(word) && clump_word_epoch(word) == clump_lap(q, q->head + i);
    }
    /* Compare-and-swap: nothing happens if a sender came meanwhile. One that published between our
     * count and this may be counted twice; peeking survives that, the next recount mends it. */
    if (upper != used)
        q->recovered += atomic_compare_exchange_strong_explicit(
            &q->tails->upper, &upper, used, memory_order_acq_rel, memory_order_relaxed);
    if (lower != ready)
        q->recovered += atomic_compare_exchange_strong_explicit(
            &q->tails->lower, &lower, ready, memory_order_acq_rel, memory_order_relaxed);
}

static bool ultracomputer_recover(struct clump_queue *q)
{
    uint64_t head = q->head;
    bool changed = clump_array_recover(q);
    if (q->head != head)
        atomic_fetch_sub_explicit(&q->tails->upper, 1, memory_order_acq_rel);
    if (!changed)
        recount(q);
    return changed;
}

const struct clump_queue_algorithm clump_queue_ultracomputer = {
    .name = "ultracomputer",
    .source = "section 6.3.1, figure 6.18",
    .progress = "senders never wait for each other unless the queue is full",
    .array = true,
    .claim = ultracomputer_claim,
    .publish = ultracomputer_publish,
    .peek = ultracomputer_peek,
    .release = ultracomputer_release,
    .recover = ultracomputer_recover,
};
