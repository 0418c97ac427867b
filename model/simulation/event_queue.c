/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "model/simulation/event_queue.h"

#include <string.h>

void event_queue_make(event_queue *queue)
{
    *queue = (event_queue){.capacity = 0};
    event_queue_clear(queue);
}

void event_queue_clear(event_queue *queue)
{
    for (size_t i = 0; i < EVENT_LANES; i++) {
        queue->heads[i] = HUGE_VAL;
        queue->tails[i] = -HUGE_VAL;
        queue->lanes[i].first = queue->lanes[i].count = 0;
    }
    queue->heap.count = 0;
    queue->failed = false;
}

bool event_queue_grow(event_queue *queue)
{
    const size_t capacity = queue->capacity > 0 ? 2 * queue->capacity : 256;
    simulation_heap larger;
    if (!simulation_heap_make(&larger, capacity)) {
        queue->failed = true;
        return false;
    }
    larger.count = queue->heap.count;
    if (larger.count > 0) {
        memcpy(larger.ids, queue->heap.ids, larger.count * sizeof *larger.ids);
        memcpy(larger.times, queue->heap.times, larger.count * sizeof *larger.times);
    }
    simulation_heap_release(&queue->heap);
    queue->heap = larger;
    queue->capacity = capacity;
    return true;
}

/* A ring that is full becomes twice as large: what stands from the first to its end moves to the new end. In place,
 * so that a large one is not there twice. */
bool event_queue_grow_lane(event_queue *queue, event_lane *lane)
{
    const size_t larger = lane->room > 0 ? 2 * lane->room : 256, end = lane->room - lane->first;
    event_entry *ring = realloc(lane->ring, larger * sizeof *ring);
    if (ring == NULL) {
        queue->failed = true;
        return false;
    }
    if (lane->first > 0) {
        memmove(ring + (larger - end), ring + lane->first, end * sizeof *ring);
        lane->first = larger - end;
    }
    lane->ring = ring;
    lane->room = larger;
    return true;
}

void event_queue_release(event_queue *queue)
{
    for (size_t i = 0; i < EVENT_LANES; i++)
        free(queue->lanes[i].ring);
    simulation_heap_release(&queue->heap);
    *queue = (event_queue){.capacity = 0};
}
