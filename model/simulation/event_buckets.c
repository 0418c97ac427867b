/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "model/simulation/event_buckets.h"

#include <math.h>
#include <string.h>

/* What is soonest of times that are exponential ahead is e times as dense as what is a mean ahead: buckets end
 * some means ahead, and few times are beyond, or are thrown twice. */
static const double means_ahead = 8;
enum { TIMES_A_BUCKET = 32 };

/* Buckets for so many times: a multiple of 64. */
static size_t buckets_for(size_t capacity)
{
    return capacity / TIMES_A_BUCKET / 64 * 64 + 64;
}

size_t simulation_buckets_size(size_t capacity)
{
    const size_t buckets = buckets_for(capacity);
    return ((buckets + 1) * sizeof(simulation_bucket) + (buckets + 64) / 8 + 127) / 64 * 64;
}

size_t simulation_chunks_for(size_t capacity, size_t queues)
{
    /* Of each list one may be partly filled; what is thrown anew leaves its old chunk afterwards. */
    return capacity / SIMULATION_CHUNK_TIMES + queues * (buckets_for(capacity) + 2) + 1;
}

void simulation_buckets_make(simulation_buckets *b, simulation_heap near, size_t capacity,
                             void *bytes, simulation_chunks *chunks)
{
    const size_t buckets = buckets_for(capacity);
    *b = (simulation_buckets){.near = near,
                              .end = (double)buckets,
                              .buckets = buckets,
                              .occupied = bytes,
                              .lists = (void *)((char *)bytes + (buckets + 64) / 8),
                              .chunks = chunks};
}

void simulation_buckets_clear(simulation_buckets *b, double mean)
{
    const double per_time = b->end / (means_ahead * mean);
    b->near.count = b->count = b->held_count = 0;
    b->base = b->reach = 0;
    b->per_time = isfinite(per_time) ? per_time : 0; /* 0: all times are near */
    memset(b->occupied, 0, (b->buckets + 64) / 8);
    memset(b->lists, 0, (b->buckets + 1) * sizeof *b->lists);
}

static void release(simulation_chunks *chunks, uint32_t chunk)
{
    chunks->all[chunk].next = chunks->free;
    chunks->free = chunk;
}

static uint32_t take_chunk(simulation_chunks *chunks)
{
    const uint32_t chunk = chunks->free;
    if (chunk == UINT32_MAX)
        return chunks->used++;
    chunks->free = chunks->all[chunk].next;
    return chunk;
}

void simulation_buckets_throw(simulation_buckets *b)
{
    simulation_chunks *chunks = b->chunks;
    uint32_t place[SIMULATION_HELD];
    for (size_t i = 0; i < b->held_count; i++) {
        const double at = (b->held[i] - b->base) * b->per_time;
        place[i] = (uint32_t)(at < b->end ? at : b->end); /* beyond: in the last list */
        __builtin_prefetch(&b->lists[place[i]], 1);
    }
    for (size_t i = 0; i < b->held_count; i++) {
        simulation_bucket *list = &b->lists[place[i]];
        if (list->in_it == 0 || list->in_it == SIMULATION_CHUNK_TIMES) {
            const uint32_t chunk = take_chunk(chunks);
            chunks->all[chunk].next = list->in_it > 0 ? list->chunk : UINT32_MAX;
            *list = (simulation_bucket){chunk, 0};
            b->occupied[place[i] / 64] |= UINT64_C(1) << place[i] % 64;
        }
        chunks->all[list->chunk].times[list->in_it++] = b->held[i];
    }
    b->held_count = 0;
}

/* The bucket in hand: all that is in it is near. */
static void open(simulation_buckets *b, size_t i)
{
    const simulation_chunk *all = b->chunks->all;
    simulation_bucket list = b->lists[i];
    b->lists[i].in_it = 0;
    b->occupied[i / 64] &= ~(UINT64_C(1) << i % 64);
    b->reach = (double)(i + 1);
    for (uint32_t chunk = list.chunk, next; chunk != UINT32_MAX; chunk = next) {
        next = all[chunk].next;
        for (uint32_t k = 0; k < list.in_it; k++)
            simulation_heap_add(&b->near, all[chunk].times[k], 0, false);
        list.in_it = SIMULATION_CHUNK_TIMES; /* the others are full */
        release(b->chunks, chunk);
    }
    if (b->lists[i + 1].in_it > 0) { /* probably the next one */
        __builtin_prefetch(&all[b->lists[i + 1].chunk].times[0]);
        __builtin_prefetch(&all[b->lists[i + 1].chunk].next);
    }
}

/* All buckets are empty: begin anew where the earliest of those beyond them is. */
static void begin_anew(simulation_buckets *b)
{
    const simulation_chunk *all = b->chunks->all;
    simulation_bucket list = b->lists[b->buckets];
    double first = HUGE_VAL;
    uint32_t count = list.in_it;
    for (uint32_t chunk = list.chunk; chunk != UINT32_MAX; chunk = all[chunk].next) {
        for (uint32_t k = 0; k < count; k++)
            first = fmin(first, all[chunk].times[k]);
        count = SIMULATION_CHUNK_TIMES;
    }
    b->base = first;
    b->reach = 1;
    b->lists[b->buckets].in_it = 0;
    for (uint32_t chunk = list.chunk, next; chunk != UINT32_MAX; chunk = next) {
        next = all[chunk].next;
        for (uint32_t k = 0; k < list.in_it; k++)
            simulation_buckets_place(b, all[chunk].times[k]);
        list.in_it = SIMULATION_CHUNK_TIMES;
        release(b->chunks, chunk);
    }
}

void simulation_buckets_fetch(simulation_buckets *b)
{
    const size_t words = b->buckets / 64;
    simulation_buckets_throw(b);
    /* Those before `reach` are empty; it stands within the word of a bucket, or behind the last. */
    for (size_t word = (size_t)b->reach / 64; word < words; word++)
        if (b->occupied[word] != 0) {
            open(b, 64 * word + (size_t)__builtin_ctzll(b->occupied[word]));
            return;
        }
    begin_anew(b);
}
