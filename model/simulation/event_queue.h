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
 * before it, and to a heap only where it fits into none.
 *
 * Cost: O(1) where lanes do, else O(log n). Memory: 16 bytes an event in a lane, 12 in the heap.
 */

#include "model/simulation/event_heap.h"

#include <math.h>

enum { EVENT_LANES = 8 };

typedef struct event_entry {
    double time;
    uint32_t id;
} event_entry;

typedef struct event_lane {
    event_entry *ring;
    size_t first, count, room;
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
    l->ring[(l->first + l->count) & (l->room - 1)] = (event_entry){time, id};
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

/** Take the earliest event off; false if there is none. */
static inline bool event_queue_take(event_queue *queue, event_entry *event)
{
    const size_t lane = simulation_heap_earliest(queue->heads, 0, EVENT_LANES);
    simulation_heap *heap = &queue->heap;
    if (heap->count > 0 && heap->times[0] < queue->heads[lane]) {
        *event = (event_entry){heap->times[0], heap->ids[0]};
        simulation_heap_drop(heap);
        return true;
    }
    event_lane *l = &queue->lanes[lane];
    if (l->count == 0)
        return false;
    *event = l->ring[l->first];
    l->first = (l->first + 1) & (l->room - 1);
    l->count--;
    queue->heads[lane] = l->count > 0 ? l->ring[l->first].time : HUGE_VAL;
    if (l->count == 0)
        queue->tails[lane] = -HUGE_VAL;
    return true;
}

#endif
