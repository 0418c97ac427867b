/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef CLUMP_MODEL_SIMULATION_EVENT_HEAP_H
#define CLUMP_MODEL_SIMULATION_EVENT_HEAP_H

/*
 * Internal to model/simulation. The events to come, earliest first: an implicit heap in which each
 * entry has eight children, whose times fill a cache line.
 *
 * Cost: adding is O(1) on average for times that come in no order, taking the first O(log n).
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

typedef struct simulation_heap {
    double *times; /* times + 1 is at a multiple of 64 bytes */
    uint32_t *ids; /* what each event is about */
    size_t count;
    void *memory;
} simulation_heap;

/** An empty heap with room for so many; false without memory. */
static inline bool simulation_heap_make(simulation_heap *heap, size_t capacity)
{
    const size_t names = capacity * sizeof(uint32_t);
    char *memory = malloc((capacity + 7) * sizeof(double) + 64 + names);
    *heap = (simulation_heap){.memory = memory};
    if (memory == NULL)
        return false;
    /* The ids come first: the times may begin anywhere up to a cache line later. */
    heap->ids = (uint32_t *)(void *)memory;
    heap->times = (double *)(((uintptr_t)memory + names + 63) & ~(uintptr_t)63) + 7;
    return true;
}

static inline void simulation_heap_release(simulation_heap *heap)
{
    free(heap->memory);
}

static inline void simulation_heap_add(simulation_heap *heap, double time, uint32_t id)
{
    size_t hole = heap->count++;
    while (hole > 0) {
        const size_t parent = (hole - 1) / 8;
        if (heap->times[parent] <= time)
            break;
        heap->times[hole] = heap->times[parent];
        heap->ids[hole] = heap->ids[parent];
        hole = parent;
    }
    heap->times[hole] = time;
    heap->ids[hole] = id;
}

/* The earliest of `count` children that start at `first`. */
static inline size_t simulation_heap_earliest(const double *times, size_t first, size_t count)
{
    const double *t = times + first;
    if (count >= 8) { /* without branches, which nobody could foresee */
        const size_t a = t[1] < t[0], b = 2 + (t[3] < t[2]);
        const size_t c = 4 + (t[5] < t[4]), d = 6 + (t[7] < t[6]);
        const size_t left = t[b] < t[a] ? b : a, right = t[d] < t[c] ? d : c;
        return first + (t[right] < t[left] ? right : left);
    }
    size_t best = 0;
    for (size_t child = 1; child < count; child++)
        best = t[child] < t[best] ? child : best;
    return first + best;
}

/** Take the earliest entry off a heap that is not empty. */
static inline void simulation_heap_drop(simulation_heap *heap)
{
    const size_t n = --heap->count;
    const double time = heap->times[n];
    const uint32_t id = heap->ids[n];
    size_t hole = 0;
    for (size_t first = 1; first < n; first = 8 * hole + 1) {
        const size_t best = simulation_heap_earliest(heap->times, first, n - first);
        if (time <= heap->times[best])
            break;
        heap->times[hole] = heap->times[best];
        heap->ids[hole] = heap->ids[best];
        hole = best;
    }
    heap->times[hole] = time;
    heap->ids[hole] = id;
}

#endif
