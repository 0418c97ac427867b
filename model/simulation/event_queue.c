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
        queue->lanes[i].first_run = queue->lanes[i].run_count = 0;
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
    simulation_heap_release(&queue->heap);
    *queue = (event_queue){.capacity = 0};
}
