/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef CLUMP_SIMULATION_EVENT_QUEUE_H
#define CLUMP_SIMULATION_EVENT_QUEUE_H

/* Internal to model/simulation. A heap of named events that grows. */

#include "model/simulation/event_heap.h"

#include <stdlib.h>

typedef struct event_queue {
    simulation_heap heap;
    void *memory;
    size_t capacity;
    bool failed; /* memory ran out: events are lost, the run is void */
} event_queue;

/** Room for more events; false without memory. */
bool event_queue_grow(event_queue *queue);
void event_queue_release(event_queue *queue);

static inline void event_queue_add(event_queue *queue, double time, uint32_t id)
{
    if (queue->heap.count == queue->capacity && !event_queue_grow(queue)) {
        queue->failed = true;
        return;
    }
    simulation_heap_add(&queue->heap, time, id, true);
}

#endif
