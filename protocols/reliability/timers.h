/* SPDX-License-Identifier: GPL-3.0-or-later */
/**
 * One deadline for each of a fixed number of owners; which is the soonest is known at once. A heap
 * that knows where each owner is: setting costs O(log n). Equal deadlines come in order of owner.
 */
#ifndef CLUMP_PROTOCOLS_RELIABILITY_TIMERS_H
#define CLUMP_PROTOCOLS_RELIABILITY_TIMERS_H

#include <stdbool.h>
#include <stdint.h>

typedef struct clump_timers {
    uint64_t *deadline;     /**< by owner; UINT64_MAX: none */
    uint32_t *heap, *place; /**< owners in heap order, and where each is */
    uint32_t count, owners;
} clump_timers;

/** @return false if memory ran out */
bool clump_timers_make(clump_timers *timers, uint32_t owners);
void clump_timers_free(clump_timers *timers);

/** Set, move, or with UINT64_MAX clear the deadline of an owner. */
void clump_timers_set(clump_timers *timers, uint32_t owner, uint64_t deadline);

/** The soonest deadline, and whose it is; UINT64_MAX if there is none. */
uint64_t clump_timers_first(const clump_timers *timers, uint32_t *owner);

#endif
