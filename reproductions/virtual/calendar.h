/* SPDX-License-Identifier: GPL-3.0-or-later */
/**
 * What happens next in virtual time. Events of the same time come in the order in which they were
 * added, so that a run is the same every time. Time is in picoseconds: 2^64 of them are 213 days.
 *
 * Not model/simulation/event_queue.h: its events are no more than a number, and of those at the
 * same time it takes any, which lets most of them pass without a heap; here the order counts.
 */
#ifndef CLUMP_REPRODUCTIONS_VIRTUAL_CALENDAR_H
#define CLUMP_REPRODUCTIONS_VIRTUAL_CALENDAR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct clump_event {
    uint64_t time_ps;
    uint64_t order;                    /**< given by the calendar */
    uint32_t kind, node, value, other; /**< the caller's */
} clump_event;

typedef struct clump_calendar {
    clump_event *heap;
    size_t count, capacity;
    uint64_t added;
    uint64_t now_ps; /**< time of the event taken last */
    bool failed;     /**< memory ran out: an event was not added */
} clump_calendar;

/** A calendar starts as {0}; clump_calendar_free() makes it that again. */
void clump_calendar_free(clump_calendar *calendar);

/** Add an event; a time before now_ps means now. Cost: O(log n). @return false if memory ran out,
 *  which is also kept in `failed` */
bool clump_calendar_add(clump_calendar *calendar, clump_event event);

/** Time of the next one; UINT64_MAX: there is none. */
static inline uint64_t clump_calendar_next_ps(const clump_calendar *calendar)
{
    return calendar->count > 0 ? calendar->heap[0].time_ps : UINT64_MAX;
}

/** Take the next one. @return false if there is none */
bool clump_calendar_take(clump_calendar *calendar, clump_event *event);

#endif
