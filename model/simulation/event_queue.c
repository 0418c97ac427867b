/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "model/simulation/event_queue.h"

#include <string.h>

void event_queue_make(event_queue *queue)
{
    *queue = (event_queue){.memory = NULL};
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
    char *memory = malloc(simulation_heap_size(capacity) + capacity * sizeof(uint32_t));
    if (memory == NULL) {
        queue->failed = true;
        return false;
    }
    /* The ids come first: the times may begin anywhere up to a cache line later. */
    uint32_t *ids = (uint32_t *)(void *)memory;
    double *times = simulation_heap_align(memory + capacity * sizeof *ids);
    if (queue->heap.count > 0) {
        memcpy(ids, queue->heap.ids, queue->heap.count * sizeof *ids);
        memcpy(times, queue->heap.times, queue->heap.count * sizeof *times);
    }
    free(queue->memory);
    queue->memory = memory;
    queue->heap.ids = ids;
    queue->heap.times = times;
    queue->capacity = capacity;
    return true;
}

bool event_queue_grow_lane(event_queue *queue, event_lane *lane)
{
    const size_t room = lane->room > 0 ? 2 * lane->room : 256;
    event_entry *entries = malloc(room * sizeof *entries);
    if (entries == NULL) {
        queue->failed = true;
        return false;
    }
    /* From the first to the end of the ring, then what stands before the first. */
    const size_t end = lane->room - lane->first;
    if (lane->room > 0) {
        memcpy(entries, lane->entries + lane->first, end * sizeof *entries);
        memcpy(entries + end, lane->entries, lane->first * sizeof *entries);
    }
    free(lane->entries);
    *lane = (event_lane){entries, 0, lane->count, room};
    return true;
}

void event_queue_release(event_queue *queue)
{
    for (size_t i = 0; i < EVENT_LANES; i++)
        free(queue->lanes[i].entries);
    free(queue->memory);
    *queue = (event_queue){.memory = NULL};
}
