/* SPDX-License-Identifier: GPL-3.0-or-later */
/**
 * Who has the processors of a machine that runs more processes than it has: two levels, as in
 * time-sharing systems that favour processes that wait. A process that has slept comes first, and
 * takes the processor of one of the lower level; one that has used up its time slice belongs to the
 * lower level. Within a level first come, first served, on any processor; the one that it had is
 * preferred. A process that was interrupted is the next of its level, with the rest of its slice.
 *
 * Changing processes costs a processor `switch` before and after. Whoever comes back also loads again
 * what others have thrown out of the cache: they cannot throw out more than they had time to load, nor
 * it load more than it had.
 *
 *   clump_schedule_ready(s, process, now, false);         for each, in the beginning
 *   while (clump_schedule_next(s, now, ..., &start)) ...  after each ready and leave
 *   clump_schedule_use(s, process, ran, computed);        as it runs
 *   clump_schedule_leave(s, process, now);                it sleeps, or is done
 *   clump_schedule_ready(s, process, now, true);          it wakes up
 *
 * Times are picoseconds and never go back. No I/O, no clock; nothing is allocated after the opening.
 */
#ifndef CLUMP_PROTOCOLS_VIRTUAL_SCHEDULE_H
#define CLUMP_PROTOCOLS_VIRTUAL_SCHEDULE_H

#include <stdbool.h>
#include <stdint.h>

#define CLUMP_SCHEDULE_NOBODY UINT32_MAX

typedef struct clump_schedule clump_schedule;

/** Times in ps: how long a slice is, what half a change of processes costs, how long it takes to load a
 *  whole cache. A slice is at least 1. */
typedef struct clump_schedule_costs {
    uint64_t slice_ps, switch_ps, cache_ps;
} clump_schedule_costs;

/** A process that gets a processor. */
typedef struct clump_schedule_start {
    uint32_t process;
    uint32_t instead; /**< of this one, which is ready again; CLUMP_SCHEDULE_NOBODY: it was free */
    uint64_t begins_ps;
} clump_schedule_start;

/** NULL: no memory. */
clump_schedule *clump_schedule_open(uint32_t processors, uint32_t processes,
                                    clump_schedule_costs costs);
void clump_schedule_close(clump_schedule *schedule); /**< may be NULL */

/** It wants a processor. `woken`: it has slept. */
void clump_schedule_ready(clump_schedule *schedule, uint32_t process, bool woken);
/** It wants its processor no more. */
void clump_schedule_leave(clump_schedule *schedule, uint32_t process, uint64_t now_ps);
/** It has run for so long, and computed for so long of that. To be told of one that is interrupted before anything
 *  else happens. */
void clump_schedule_use(clump_schedule *schedule, uint32_t process, uint64_t ran_ps,
                        uint64_t computed_ps);
/** What is left of its slice: at least 1 ps; a slice that is used up while nobody waits begins anew. */
uint64_t clump_schedule_left(clump_schedule *schedule, uint32_t process);
/** Whether its slice is used up and somebody waits: it has to give its processor up. If so it has done
 *  it, and is the last of the lower level. */
bool clump_schedule_expired(clump_schedule *schedule, uint32_t process, uint64_t now_ps);

/**
 * The next process that gets a processor now.
 * @param may_stop  whether a process that runs can be interrupted at this moment
 * @return false: there is none
 */
bool clump_schedule_next(clump_schedule *schedule, uint64_t now_ps,
                         bool (*may_stop)(void *context, uint32_t process), void *context,
                         clump_schedule_start *start);

#endif
