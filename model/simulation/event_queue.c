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
        queue->lanes[i].first_run = queue->lanes[i].run_count = 0;
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

/* A ring that is full becomes twice as large: what stands from the first to its end moves to the new end. In place,
 * so that a large one is not there twice. */
static void *grow_ring(event_queue *queue, void *ring, size_t *first, size_t *room, size_t size)
{
    const size_t larger = *room > 0 ? 2 * *room : 256, end = *room - *first;
    char *items = realloc(ring, larger * size);
    if (items == NULL) {
        queue->failed = true;
        return NULL;
    }
    if (*first > 0) {
        memmove(items + (larger - end) * size, items + *first * size, end * size);
        *first = larger - end;
    }
    *room = larger;
    return items;
}

bool event_queue_grow_lane(event_queue *queue, event_lane *lane)
{
    uint32_t *ids = grow_ring(queue, lane->ids, &lane->first, &lane->room, sizeof *ids);
    lane->ids = ids != NULL ? ids : lane->ids;
    return ids != NULL;
}

bool event_queue_grow_runs(event_queue *queue, event_lane *lane)
{
    event_run *runs = grow_ring(queue, lane->runs, &lane->first_run, &lane->run_room, sizeof *runs);
    lane->runs = runs != NULL ? runs : lane->runs;
    return runs != NULL;
}

void event_queue_release(event_queue *queue)
{
    for (size_t i = 0; i < EVENT_LANES; i++) {
        free(queue->lanes[i].ids);
        free(queue->lanes[i].runs);
    }
    free(queue->memory);
    *queue = (event_queue){.memory = NULL};
}
