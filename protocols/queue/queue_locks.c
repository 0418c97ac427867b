/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Queues in an array whose senders claim under mutual exclusion, figure 6.14: test-set,
 * test-test-set, ticket, anderson and mutex. They differ in how the lock is taken and given back,
 * and in nothing else.
 *
 * Departures. The lock records its owner. Inside the critical section the packet is claimed before
 * the tail moves, and state words carry the lap of the queue: a tail that a dead owner left behind
 * points at a packet that was claimed, or claimed and already taken back, in this very lap, and
 * whoever has the lock next moves it on. So a death at any instruction inside needs no log.
 */
#include "protocols/queue/queue.h"

#include <errno.h>
#include <time.h>

/* ---- claiming, with the lock */

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

/** CLAIMPACKET and CLAIMBULK of figure 6.14. */
static clump_protocol_status claim(struct clump_queue *q, struct clump_sender *sender,
                                   struct clump_waiter *waiter, uint32_t *packet, uint32_t *block)
{
    for (;;) {
        uint64_t ticket = 0;
        clump_protocol_status status = q->algorithm->lock(q, sender, waiter, &ticket);
        if (status != CLUMP_PROTOCOL_OK)
            return status;
        bool claimed = try_claim(q, sender, packet, block);
        q->algorithm->unlock(q, sender, ticket);
        if (claimed)
            return CLUMP_PROTOCOL_OK;
        status = clump_waiter_pause(waiter); /* full: accept messages, without the lock */
        if (status != CLUMP_PROTOCOL_OK)
            return status;
    }
}

/** What the algorithms of this file have in common. */
#define UNDER_A_LOCK                                                                               \
    .fifo = true, .epochs = true, .array = true, .lazy = true, .claim = claim,                     \
    .publish = clump_array_publish, .peek = clump_array_peek, .release = clump_array_release,      \
    .recover = clump_array_recover

/* ---- spin locks of one word: figure 6.15 (after [MCS91]). Departure: the word holds its owner,
 * not only LOCKED, so test-and-set is a compare-and-swap from UNLOCKED to the owner. As many
 * coherence transactions; a dead owner can be told. */

/** The lock from `*seen` (0: nobody) to us. Acquire: pairs with the release in unlock_word(); of a
 * dead owner, its last writes are visible. */
static inline bool lock_word(struct clump_queue *q, struct clump_sender *sender, uint64_t *seen)
{
    return atomic_compare_exchange_strong_explicit(&q->tails->lock, seen,
                                                   sender->owner | CLUMP_CLAIMED,
                                                   memory_order_acquire, memory_order_relaxed);
}

static void unlock_word(struct clump_queue *q, struct clump_sender *sender, uint64_t ticket)
{
    (void)sender, (void)ticket;
    /* Release: the critical section before it; pairs with lock_word(). */
    atomic_store_explicit(&q->tails->lock, 0, memory_order_release);
}

/** Writes at every turn. */
static clump_protocol_status test_set_lock(struct clump_queue *q, struct clump_sender *sender,
                                           struct clump_waiter *waiter, uint64_t *ticket)
{
    (void)ticket;
    uint32_t turns = 0;
    for (;;) {
        uint64_t seen = 0;
        if (lock_word(q, sender, &seen))
            return CLUMP_PROTOCOL_OK;
        bool suspect;
        clump_protocol_status status = clump_waiter_spin(waiter, &turns, &suspect);
        if (status != CLUMP_PROTOCOL_OK)
            return status;
        if (suspect && seen != 0 && !clump_owner_alive(q->places, seen) &&
            lock_word(q, sender, &seen))
            return CLUMP_PROTOCOL_OK;
    }
}

const struct clump_queue_algorithm clump_queue_test_set = {
    .name = "test-set",
    .source = "section 6.3.1, figure 6.15",
    .progress = "a sender that sleeps in the lock stops all others; may starve",
    .lock = test_set_lock,
    .unlock = unlock_word,
    UNDER_A_LOCK,
};

/** Reads until the lock looks free. */
static clump_protocol_status test_test_set_lock(struct clump_queue *q, struct clump_sender *sender,
                                                struct clump_waiter *waiter, uint64_t *ticket)
{
    (void)ticket;
    uint32_t turns = 0;
    for (;;) {
        uint64_t seen = 0;
        if (lock_word(q, sender, &seen))
            return CLUMP_PROTOCOL_OK;
        do {
            bool suspect;
            clump_protocol_status status = clump_waiter_spin(waiter, &turns, &suspect);
            if (status != CLUMP_PROTOCOL_OK)
                return status;
            /* Relaxed: only a hint; the compare-and-swap above decides. */
            seen = atomic_load_explicit(&q->tails->lock, memory_order_relaxed);
            if (suspect && seen != 0 && !clump_owner_alive(q->places, seen) &&
                lock_word(q, sender, &seen))
                return CLUMP_PROTOCOL_OK;
        } while (seen != 0);
    }
}

const struct clump_queue_algorithm clump_queue_test_test_set = {
    .name = "test-test-set",
    .source = "section 6.3.1, figure 6.15",
    .progress = "a sender that sleeps in the lock stops all others; may starve",
    .lock = test_test_set_lock,
    .unlock = unlock_word,
    UNDER_A_LOCK,
};

/* ---- locks that serve in order. Departure: the number is noted in the sender's place (MY_PROCESS
 * of figure 6.17). A number whose owner died or gave up is served by whoever waits and notices. */

static uint64_t draw_number(struct clump_queue *q, struct clump_sender *sender)
{
    _Atomic uint64_t *draw = &sender->place->draws[q->which].lock;
    /* The orders are those of the draw of a packet (queue_arrays.c). */
    atomic_store_explicit(draw, CLUMP_DRAW_UNKNOWN, memory_order_relaxed);
    const uint64_t number = atomic_fetch_add_explicit(&q->tails->lock, 1, memory_order_acq_rel);
    atomic_store_explicit(draw, CLUMP_DRAW_OF(number), memory_order_relaxed);
    return number;
}

/** Release: who sees NONE sees that the next is served. */
static void forget_number(struct clump_queue *q, struct clump_sender *sender)
{
    atomic_store_explicit(&sender->place->draws[q->which].lock, CLUMP_DRAW_NONE,
                          memory_order_release);
}

/* ticket: draw a number, wait until it is served (figure 6.16, after [RK79]). Both counters on one
 * line, as the thesis found best. */
static clump_protocol_status ticket_lock(struct clump_queue *q, struct clump_sender *sender,
                                         struct clump_waiter *waiter, uint64_t *ticket)
{
    *ticket = draw_number(q, sender);
    uint32_t turns = 0;
    for (;;) {
        /* Acquire: pairs with the release in ticket_unlock(). */
        uint64_t serving = atomic_load_explicit(&q->tails->serving, memory_order_acquire);
        if (serving == *ticket)
            return CLUMP_PROTOCOL_OK;
        bool suspect;
        clump_protocol_status status = clump_waiter_spin(waiter, &turns, &suspect);
        if (status != CLUMP_PROTOCOL_OK) {
            forget_number(q, sender);
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

static void ticket_unlock(struct clump_queue *q, struct clump_sender *sender, uint64_t ticket)
{
    /* Release: the critical section before it; pairs with ticket_lock(). */
    atomic_store_explicit(&q->tails->serving, ticket + 1, memory_order_release);
    forget_number(q, sender);
}

const struct clump_queue_algorithm clump_queue_ticket = {
    .name = "ticket",
    .source = "section 6.3.1, figure 6.16",
    .progress = "a sender that sleeps with a ticket stops all behind it; no starvation",
    .lock = ticket_lock,
    .unlock = ticket_unlock,
    UNDER_A_LOCK,
};

/* anderson: a ticket lock whose service counter is divided, a line for each waiter (figure 6.17,
 * after [And90]). Departure: a slot holds the number that is served + 1 instead of a flag: the
 * number tells a turn from the one a lap earlier, so slots need not be cleared, more waiters than
 * slots are harmless, and a turn whose owner is dead can be passed on by compare-and-swap. */

static void anderson_initialise(struct clump_queue *q)
{
    /* Relaxed: not shared yet. Number 0 may enter. */
    atomic_store_explicit(&q->slots[0].held, 1, memory_order_relaxed);
}

static _Atomic uint64_t *slot_of(struct clump_queue *q, uint64_t number)
{
    return &q->slots[number & (CLUMP_SENDERS - 1)].held;
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

static clump_protocol_status anderson_lock(struct clump_queue *q, struct clump_sender *sender,
                                           struct clump_waiter *waiter, uint64_t *ticket)
{
    *ticket = draw_number(q, sender);
    uint32_t turns = 0;
    for (;;) {
        /* Acquire: pairs with the release in anderson_unlock(). */
        if (atomic_load_explicit(slot_of(q, *ticket), memory_order_acquire) == *ticket + 1)
            return CLUMP_PROTOCOL_OK;
        bool suspect;
        clump_protocol_status status = clump_waiter_spin(waiter, &turns, &suspect);
        if (status != CLUMP_PROTOCOL_OK) {
            forget_number(q, sender);
            return status;
        }
        if (suspect)
            pass_on(q);
    }
}

static void anderson_unlock(struct clump_queue *q, struct clump_sender *sender, uint64_t ticket)
{
    /* Release: the critical section before it; pairs with anderson_lock(). */
    atomic_store_explicit(slot_of(q, ticket + 1), ticket + 2, memory_order_release);
    forget_number(q, sender);
}

const struct clump_queue_algorithm clump_queue_anderson = {
    .name = "anderson",
    .source = "section 6.3.1, figure 6.17",
    .progress = "a sender that sleeps with a ticket stops all behind it; no starvation",
    .initialise = anderson_initialise,
    .lock = anderson_lock,
    .unlock = anderson_unlock,
    UNDER_A_LOCK,
};

/* ---- mutex: a POSIX mutex shared by processes, the thesis's preemption-safe lock. Robust: the
 * system hands it on when its owner dies.
 *
 * A robust mutex links itself into its owner's list by address; a sender that scribbles over it can
 * harm other senders (not the receiver, which never touches it). Use it among processes that trust
 * each other. */

static void mutex_initialise(struct clump_queue *q)
{
    pthread_mutexattr_t attributes;
    pthread_mutexattr_init(&attributes);
    pthread_mutexattr_setpshared(&attributes, PTHREAD_PROCESS_SHARED);
    pthread_mutexattr_setrobust(&attributes, PTHREAD_MUTEX_ROBUST);
    pthread_mutex_init(&q->tails->mutex, &attributes);
    pthread_mutexattr_destroy(&attributes);
}

static clump_protocol_status mutex_lock(struct clump_queue *q, struct clump_sender *sender,
                                        struct clump_waiter *waiter, uint64_t *ticket)
{
    (void)sender, (void)ticket;
    uint32_t turns = 1023; /* so that every turn below reads the clock */
    int error = pthread_mutex_trylock(&q->tails->mutex);
    while (error != 0 && error != EOWNERDEAD) {
        bool suspect;
        clump_protocol_status status = clump_waiter_spin(waiter, &turns, &suspect);
        if (status != CLUMP_PROTOCOL_OK)
            return status;
        if (error != EBUSY && error != ETIMEDOUT)
            return CLUMP_PROTOCOL_FAILED;
        turns = 1023;
        struct timespec until;
        clock_gettime(CLOCK_REALTIME, &until);
        until.tv_nsec += 50000000;
        until.tv_sec += until.tv_nsec / 1000000000;
        until.tv_nsec %= 1000000000;
        error = pthread_mutex_timedlock(&q->tails->mutex, &until);
    }
    if (error == EOWNERDEAD) /* try_claim() finds a consistent queue whatever happened */
        pthread_mutex_consistent(&q->tails->mutex);
    return CLUMP_PROTOCOL_OK;
}

static void mutex_unlock(struct clump_queue *q, struct clump_sender *sender, uint64_t ticket)
{
    (void)sender, (void)ticket;
    pthread_mutex_unlock(&q->tails->mutex);
}

const struct clump_queue_algorithm clump_queue_mutex = {
    .name = "mutex",
    .source = "section 6.3.1",
    .progress = "a sender that sleeps in the lock stops all others, who sleep, too",
    .initialise = mutex_initialise,
    .lock = mutex_lock,
    .unlock = mutex_unlock,
    UNDER_A_LOCK,
};
