/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef CLUMP_MODEL_SIMULATION_EVENT_QUEUE_H
#define CLUMP_MODEL_SIMULATION_EVENT_QUEUE_H

/*
 * Internal to model/simulation. Named events, earliest first; events at the same time come in
 * an order of no meaning, but always the same.
 *
 * Most events lie a constant ahead of the time at which they are added: an overhead, a latency.
 * Those of one constant come in order by themselves and need no heap. So there are a few lanes,
 * each a queue in order of time; an event goes to the end of that lane whose end is the latest
 * before it, and to a heap only where it fits into none. Of ranks in step the lanes also keep the
 * order of memory, and tell what comes next.
 *
 * Cost: O(1) where lanes do, else O(log n). Memory: 4 bytes an event in a lane and 16 a time, 12 an event in the heap.
 */

#include "model/simulation/event_heap.h"

#include <math.h>

enum { EVENT_LANES = 8 };

typedef struct event_entry {
    double time;
    uint32_t id;
} event_entry;

/** Events that may come soon, to fetch from memory what they are about: of the later one what it says by itself,
 * of the sooner one what that leads to. */
typedef struct event_ahead {
    uint32_t sooner, later;
} event_ahead;

/** Events of a lane that are at the same time: of ranks in step as many as there are ranks. */
typedef struct event_run {
    double time;
    size_t count;
} event_run;

typedef struct event_lane {
    uint32_t *ids; /* a ring */
    size_t first, count, room;
    event_run *runs; /* a ring, too */
    size_t first_run, run_count, run_room;
} event_lane;

typedef struct event_queue {
    double heads[EVENT_LANES]; /* time of the first of each lane; HUGE_VAL: empty */
    double tails[EVENT_LANES]; /* of the last; -HUGE_VAL: empty */
    event_lane lanes[EVENT_LANES];
    simulation_heap heap;
    size_t capacity; /* of the heap */
    bool failed;     /* memory ran out: events are lost, the run is void */
} event_queue;

void event_queue_make(event_queue *queue);
void event_queue_release(event_queue *queue);

/** Forget all events; their memory is kept. */
void event_queue_clear(event_queue *queue);

/** Room for more in the heap, or in a ring of a lane; false without memory, and `failed` is set. */
bool event_queue_grow(event_queue *queue);
bool event_queue_grow_lane(event_queue *queue, event_lane *lane);
bool event_queue_grow_runs(event_queue *queue, event_lane *lane);

static inline void event_queue_add(event_queue *queue, double time, uint32_t id)
{
    size_t lane = EVENT_LANES;
    double tail = -HUGE_VAL;
    for (size_t i = 0; i < EVENT_LANES; i++) {
        const bool better = queue->tails[i] <= time && queue->tails[i] >= tail;
        lane = better ? i : lane;
        tail = better ? queue->tails[i] : tail;
    }
    if (lane == EVENT_LANES) {
        if (queue->heap.count < queue->capacity || event_queue_grow(queue))
            simulation_heap_add(&queue->heap, time, id);
        return;
    }
    event_lane *l = &queue->lanes[lane];
    if (l->count == l->room && !event_queue_grow_lane(queue, l))
        return;
    if (l->count > 0 && tail == time) {
        l->runs[(l->first_run + l->run_count - 1) & (l->run_room - 1)].count++;
    } else {
        if (l->run_count == l->run_room && !event_queue_grow_runs(queue, l))
            return;
        l->runs[(l->first_run + l->run_count++) & (l->run_room - 1)] = (event_run){time, 1};
    }
    l->ids[(l->first + l->count) & (l->room - 1)] = id;
    if (l->count++ == 0)
        queue->heads[lane] = time;
    queue->tails[lane] = time;
}

/** Time of the earliest event; HUGE_VAL if there is none. */
static inline double event_queue_next(const event_queue *queue)
{
    const double time = queue->heads[simulation_heap_earliest(queue->heads, 0, EVENT_LANES)];
    return queue->heap.count > 0 && queue->heap.times[0] < time ? queue->heap.times[0] : time;
}

/**
 * Take the earliest event off; false if there is none.
 * @param ahead  others that may come soon, or the event itself where they are not known
 */
static inline bool event_queue_take(event_queue *queue, event_entry *event, event_ahead *ahead)
{
    enum { SOONER = 6, LATER = 16 };
    const size_t lane = simulation_heap_earliest(queue->heads, 0, EVENT_LANES);
    simulation_heap *heap = &queue->heap;
    if (heap->count > 0 && heap->times[0] < queue->heads[lane]) {
        *event = (event_entry){heap->times[0], heap->ids[0]};
        simulation_heap_drop(heap);
        ahead->sooner = ahead->later = heap->count > 0 ? heap->ids[0] : event->id;
        return true;
    }
    event_lane *l = &queue->lanes[lane];
    if (l->count == 0)
        return false;
    *event = (event_entry){queue->heads[lane], l->ids[l->first]};
    l->first = (l->first + 1) & (l->room - 1);
    l->count--;
    if (--l->runs[l->first_run].count == 0) {
        l->first_run = (l->first_run + 1) & (l->run_room - 1);
        l->run_count--;
        if (l->run_count > 0)
            queue->heads[lane] = l->runs[l->first_run].time;
    }
    if (l->count == 0) {
        queue->heads[lane] = HUGE_VAL;
        queue->tails[lane] = -HUGE_VAL;
    }
    const size_t mask = l->room - 1;
    ahead->sooner = l->count > SOONER ? l->ids[(l->first + SOONER) & mask] : event->id;
    ahead->later = l->count > LATER ? l->ids[(l->first + LATER) & mask] : event->id;
    return true;
}

#endif
