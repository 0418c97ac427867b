/* SPDX-License-Identifier: GPL-3.0-or-later */
/**
 * A counter in shared memory that processes increment, where each increment is done after a bounded
 * number of steps of its own process, whatever the others do: fetch-and-increment out of
 * compare-and-swap, section 9.1.1 and figure 9.3 of the thesis (after Herlihy). Beside it the loop
 * of figure 3.7, which one process can starve in while others go on for ever.
 *
 * Whoever increments announces it, then does what all others have announced along with its own: on
 * a copy of the counter, which becomes the counter by one compare-and-swap. If that fails twice,
 * somebody else has done it.
 *
 *   clump_wait_free_open (once) -> clump_wait_free_join (each process) -> clump_wait_free_increment
 *
 * A process may sleep or die anywhere: what it had announced is done or not, as one increment; the
 * others go on. A place is joined once, and not again after a death: its block may be anybody's then.
 */
#ifndef CLUMP_REPRODUCTIONS_SYSTEMS_WAIT_FREE_H
#define CLUMP_REPRODUCTIONS_SYSTEMS_WAIT_FREE_H

#include "protocols/protocol_status.h"

#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

enum { CLUMP_WAIT_FREE_PROCESSES = 64 };

/** What the processes share; lies at the beginning of the memory. */
struct clump_wait_free;

/** One process's view, in private memory. */
struct clump_wait_free_user {
    struct clump_wait_free *counter;
    uint32_t processes, place;
    uint32_t block;  /**< the copy that this process may write */
    uint64_t tries;  /**< compare-and-swaps so far: at most two an increment */
    uint64_t helped; /**< increments that another process has done */
};

/** Bytes for so many processes (1 to CLUMP_WAIT_FREE_PROCESSES), a cost that grows by their square:
 *  each has a copy, with an answer for each. 0: not so many. */
size_t clump_wait_free_bytes(uint32_t processes);

/** Make a counter for 1 to CLUMP_WAIT_FREE_PROCESSES processes in memory that is aligned to a line
 *  and not shared yet. The first increment will return `first`.  @return OK or BAD_INPUT */
clump_protocol_status clump_wait_free_open(void *memory, uint32_t processes, uint64_t first);

/** Take a place, 0 to processes - 1, which nobody has had.  @return OK or BAD_INPUT */
clump_protocol_status clump_wait_free_join(struct clump_wait_free_user *user, void *memory,
                                           uint32_t processes, uint32_t place);

/** @return the value before; at most two tries, each of so many steps as there are processes */
uint64_t clump_wait_free_increment(struct clump_wait_free_user *user);

/** Figure 3.7: fetch-and-increment by compare-and-swap until it succeeds. Adds to `*failures` how
 *  often it did not: nothing limits that. */
static inline uint64_t clump_compare_swap_increment(_Atomic uint64_t *counter, uint64_t *failures)
{
    /* Relaxed: only a first guess. */
    uint64_t value = atomic_load_explicit(counter, memory_order_relaxed);
    while (!atomic_compare_exchange_strong_explicit(counter, &value, value + 1,
                                                    memory_order_acq_rel, memory_order_relaxed))
        (*failures)++;
    return value;
}

#endif
