/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "model/simulation/event_queue.h"

#include <string.h>

bool event_queue_grow(event_queue *queue)
{
    const size_t capacity = queue->capacity > 0 ? 2 * queue->capacity : 256;
    char *memory = malloc(simulation_heap_size(capacity) + capacity * sizeof(uint32_t));
    if (memory == NULL)
        return false;
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

void event_queue_release(event_queue *queue)
{
    free(queue->memory);
    *queue = (event_queue){.memory = NULL};
}
