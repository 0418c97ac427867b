/* SPDX-License-Identifier: GPL-3.0-or-later */
/**
 * Who has the processors of a machine that runs more processes than it has: two levels, as in
 * time-sharing systems that favour processes that wait. A process that has slept comes first, and
 * takes the processor of one of the lower level; one that has used up its time slice belongs to the
 * lower level. Within a level first come, first served, on any processor; the one that it had is
 * preferred. A process that was interrupted is the next of its level, with the rest of its slice.
 *
 * Changing processes costs a processor `switch` before and after. Whoever comes back has lost what others
 * have thrown out of the cache: they cannot throw out more than they had time to load, nor it lose more
 * than it had. It loads that again as it computes, as quickly as it computes: half of the time, until all
 * is there. Who only waits and answers messages loads nothing.
 *
 *   clump_time_sharing_ready(s, process, now, false);         for each, in the beginning
 *   while (clump_time_sharing_next(s, now, ..., &start)) ...  after each ready and leave
 *   clump_time_sharing_use(s, process, ran, computed);        as it runs
 *   clump_time_sharing_leave(s, process, now);                it sleeps, or is done
 *   clump_time_sharing_ready(s, process, now, true);          it wakes up
 *
 * Times are picoseconds and never go back. No I/O, no clock; nothing is allocated after the opening.
 */
#ifndef CLUMP_REPRODUCTIONS_VIRTUAL_TIME_SHARING_H
#define CLUMP_REPRODUCTIONS_VIRTUAL_TIME_SHARING_H

#include <stdbool.h>
#include <stdint.h>

#define CLUMP_TIME_SHARING_NOBODY UINT32_MAX

typedef struct clump_time_sharing clump_time_sharing;

/** Times in ps: how long a slice is, what half a change of processes costs, how long it takes to load a
 *  whole cache. A slice is at least 1. */
typedef struct clump_time_sharing_costs {
    uint64_t slice_ps, switch_ps, cache_ps;
} clump_time_sharing_costs;

/** A process that gets a processor. */
typedef struct clump_time_sharing_start {
    uint32_t process;
    /** The process that it interrupts, which is ready again; CLUMP_TIME_SHARING_NOBODY: none, since
     *  the processor was free. */
    uint32_t instead;
    uint64_t begins_ps;
} clump_time_sharing_start;

/** NULL: no memory. */
clump_time_sharing *clump_time_sharing_open(uint32_t processors, uint32_t processes,
                                            clump_time_sharing_costs costs);
void clump_time_sharing_close(clump_time_sharing *schedule); /**< may be NULL */

/** `process` wants a processor. `woken`: it has slept until now. */
void clump_time_sharing_ready(clump_time_sharing *schedule, uint32_t process, bool woken);
/** `process` gives up its processor, for example to sleep. */
void clump_time_sharing_leave(clump_time_sharing *schedule, uint32_t process, uint64_t now_ps);
/** Time in which `process` does work that takes `work_ps` when its data are all in the cache. */
uint64_t clump_time_sharing_stretch(const clump_time_sharing *schedule, uint32_t process,
                                    uint64_t work_ps);
/**
 * Report that `process` ran for `ran_ps`, of which it computed for `computed_ps`. For a process
 * that clump_time_sharing_next() has interrupted, call this before any other function.
 * @return the part of `computed_ps` that went into loading the cache again
 */
uint64_t clump_time_sharing_use(clump_time_sharing *schedule, uint32_t process, uint64_t ran_ps,
                                uint64_t computed_ps);
/** What is left of the slice of `process`, at least 1 ps: a slice that is used up begins anew. */
uint64_t clump_time_sharing_left(clump_time_sharing *schedule, uint32_t process);
/** If the slice of `process` is used up and another process waits, take its processor away and put
 *  it last in the queue of low priority. @return whether that was so */
bool clump_time_sharing_expired(clump_time_sharing *schedule, uint32_t process, uint64_t now_ps);

/**
 * The next process that gets a processor now.
 * @param may_stop  whether a process that runs can be interrupted at this moment
 * @return false: there is none
 */
bool clump_time_sharing_next(clump_time_sharing *schedule, uint64_t now_ps,
                             bool (*may_stop)(void *context, uint32_t process), void *context,
                             clump_time_sharing_start *start);

#endif
