/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Figure 9.3. Departures: the announcements of all processes lie on as few lines as can be, because
 * every increment reads all of them; which copy is the counter, and how often that has changed, are
 * one word of 16 and 48 bits, so that a copy that comes back is not taken for what it was (the ABA
 * problem) before 2^48 increments.
 *
 * Copies are read while their owners may be writing them for the next time: all words are atomic,
 * and who has read a mixture finds that its compare-and-swap fails. What a process gets as its
 * answer is right all the same: once its increment is done, every copy that becomes the counter
 * holds that answer, and whatever is written to a copy afterwards was copied from one of these,
 * until the process announces its next increment.
 *
 * tests/spin/wait_free.pml is a model of this.
 */
#include "reproductions/systems/wait_free.h"

#include "protocols/queue/layout.h"

#include <stdbool.h>
#include <string.h>

struct clump_wait_free {
    /** Bits 0-15: which copy is the counter; 16-63: how often that has changed. */
    CLUMP_OWN_LINE _Atomic uint64_t current;
    CLUMP_OWN_LINE _Atomic uint8_t announced[CLUMP_WAIT_FREE_PROCESSES];
};

/* A copy; it takes whole lines. */
struct copy {
    CLUMP_OWN_LINE _Atomic uint64_t value;
    _Atomic uint64_t done; /* a bit for each process: equals what it announced once that is done */
    _Atomic uint64_t answers[];
};

static size_t copy_bytes(uint32_t processes)
{
    const size_t bytes = sizeof(struct copy) + processes * sizeof(uint64_t);
    return (bytes + CLUMP_LINE - 1) / CLUMP_LINE * CLUMP_LINE;
}

static struct copy *copy_at(struct clump_wait_free *counter, uint32_t processes, uint32_t block)
{
    return (struct copy *)(void *)((unsigned char *)counter + sizeof *counter +
                                   block * copy_bytes(processes));
}

size_t clump_wait_free_bytes(uint32_t processes)
{
    if (processes < 1 || processes > CLUMP_WAIT_FREE_PROCESSES)
        return 0;
    return sizeof(struct clump_wait_free) + (processes + 1) * copy_bytes(processes);
}

clump_protocol_status clump_wait_free_open(void *memory, uint32_t processes, uint64_t first)
{
    struct clump_wait_free *c = memory;
    if (clump_wait_free_bytes(processes) == 0)
        return CLUMP_PROTOCOL_BAD_INPUT;
    memset(memory, 0, clump_wait_free_bytes(processes));
    /* Relaxed, both: not shared yet. Copy p is that of process p, the last one is the counter. */
    atomic_store_explicit(&copy_at(c, processes, processes)->value, first, memory_order_relaxed);
    atomic_store_explicit(&c->current, processes, memory_order_relaxed);
    return CLUMP_PROTOCOL_OK;
}

clump_protocol_status clump_wait_free_join(struct clump_wait_free_user *user, void *memory,
                                           uint32_t processes, uint32_t place)
{
    if (clump_wait_free_bytes(processes) == 0 || place >= processes)
        return CLUMP_PROTOCOL_BAD_INPUT;
    *user = (struct clump_wait_free_user){
        .counter = memory, .processes = processes, .place = place, .block = place};
    return CLUMP_PROTOCOL_OK;
}

/* The copy that a word names. Whatever somebody may have written there, it is one of ours. */
static uint32_t block_in(const struct clump_wait_free_user *u, uint64_t word)
{
    const uint32_t block = (uint32_t)(word & 0xffff);
    return block <= u->processes ? block : 0;
}

/* Sequentially consistent, here, at the announcement and at the compare-and-swap: who makes the second
 * change after an announcement must see it. It read the word after the first change was made, that
 * was after the announcer read the word, and that after it announced. */
static struct copy *read_current(const struct clump_wait_free_user *u, uint64_t *word)
{
    *word = atomic_load_explicit(&u->counter->current, memory_order_seq_cst);
    return copy_at(u->counter, u->processes, block_in(u, *word));
}

/* Acquire: pairs with the release in prepare(). Who is deceived by a copy that its owner is preparing
 * sees that it is no longer the counter when it looks again. */
static bool says_done(const struct copy *copy, uint32_t place, unsigned announced)
{
    return (atomic_load_explicit(&copy->done, memory_order_acquire) >> place & 1) == announced;
}

/* Into the process's own copy: the counter, with everything that has been announced. */
static void prepare(const struct clump_wait_free_user *u, const struct copy *from, struct copy *to)
{
    /* Relaxed, where nothing else is said: the compare-and-swap publishes. */
    const uint64_t done = atomic_load_explicit(&from->done, memory_order_acquire);
    uint64_t value = atomic_load_explicit(&from->value, memory_order_relaxed), now = done;
    for (uint32_t i = 0; i < u->processes; i++) {
        uint64_t answer = atomic_load_explicit(&from->answers[i], memory_order_relaxed);
        if (atomic_load_explicit(&u->counter->announced[i], memory_order_seq_cst) !=
            (done >> i & 1)) {
            answer = value++;
            now ^= UINT64_C(1) << i;
        }
        atomic_store_explicit(&to->answers[i], answer, memory_order_relaxed);
    }
    atomic_store_explicit(&to->value, value, memory_order_relaxed);
    atomic_store_explicit(&to->done, now, memory_order_release);
}

uint64_t clump_wait_free_increment(struct clump_wait_free_user *u)
{
    _Atomic uint8_t *announced = &u->counter->announced[u->place];
    /* Relaxed: nobody else writes it. */
    const uint8_t ours = atomic_load_explicit(announced, memory_order_relaxed) ^ 1;
    uint64_t word;
    bool helped = true;
    atomic_store_explicit(announced, ours, memory_order_seq_cst);
    for (int i = 0; i < 2; i++) {
        /* Two looks: the first may be at a copy that has just been replaced, and is being prepared by
         * its new owner. If the second is deceived as well, the counter has changed twice since. */
        if (says_done(read_current(u, &word), u->place, ours) &&
            says_done(read_current(u, &word), u->place, ours))
            break;
        const struct copy *old = read_current(u, &word);
        prepare(u, old, copy_at(u->counter, u->processes, u->block));
        u->tries++;
        const uint64_t next = ((word >> 16) + 1) << 16 | u->block;
        if (atomic_compare_exchange_strong_explicit(&u->counter->current, &word, next,
                                                    memory_order_seq_cst, memory_order_seq_cst)) {
            u->block = block_in(u, word); /* for the next time */
            helped = false;
            break;
        }
    }
    u->helped += helped;
    return atomic_load_explicit(&read_current(u, &word)->answers[u->place], memory_order_relaxed);
}
