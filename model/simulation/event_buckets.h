/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef CLUMP_MODEL_SIMULATION_EVENT_BUCKETS_H
#define CLUMP_MODEL_SIMULATION_EVENT_BUCKETS_H

/*
 * Internal to model/simulation. The times to come of very many customers that are all alike, earliest first: what
 * event_heap.h is for few.
 *
 * A heap of a million times lies in megabytes, and taking its first goes through all of its levels, each a line
 * of memory that is known only once the one before has come. Here the time to come is cut into buckets, into which times
 * are thrown without looking at what is there; only those of the bucket in hand stand in a heap, which is
 * small. What lies beyond the last bucket waits in a list, and is thrown into the buckets when they have
 * been used up. (R. Brown, "Calendar queues", CACM 31(10), 1988, without its sorting, and W. T. Tang, R. S. M. Goh, I. L.
 * Thng, "Ladder queue", ACM TOMACS 15(3), 2005, with one rung.)
 *
 * The bucket of a time is one expression that never decreases with it, so that times come out exactly in order
 * whatever the rounding.
 *
 * Cost: O(1) where times are spread over the buckets, else that of a heap of those that are in one.
 */

#include "model/simulation/event_heap.h"

/** Times of one bucket: two cache lines. */
enum { SIMULATION_CHUNK_TIMES = 15 };
typedef struct simulation_chunk {
    double times[SIMULATION_CHUNK_TIMES];
    uint32_t next;
} simulation_chunk;

/** Room for the times of one or of several queues together. */
typedef struct simulation_chunks {
    simulation_chunk *all;
    uint32_t used; /* of all, those that have been in use */
    uint32_t free; /* a list of those that are not any more */
} simulation_chunks;

typedef struct simulation_bucket {
    uint32_t chunk; /* the first, the only one that may not be full */
    uint32_t in_it; /* times in it; 0: no chunk */
} simulation_bucket;

enum { SIMULATION_HELD = 32 };

typedef struct simulation_buckets {
    simulation_heap
        near; /* those before `reach`, in units of buckets; empty only if there are none at all */
    size_t count;          /* of all times */
    double base, per_time; /* a time is in bucket (time - base) per_time */
    double reach, end;
    size_t buckets; /* a multiple of 64; one more for what lies beyond */
    simulation_bucket *lists;
    uint64_t *occupied; /* a bit for each bucket */
    simulation_chunks *chunks;
    /* Times for buckets: thrown some at once, so that memory is waited for once, not for each. */
    size_t held_count;
    double held[SIMULATION_HELD];
} simulation_buckets;

/** Bytes of the lists and bits of buckets for so many times. */
size_t simulation_buckets_size(size_t capacity);
/** Chunks that are enough for `queues` queues with `capacity` times in all. */
size_t simulation_chunks_for(size_t capacity, size_t queues);

/**
 * No times yet; clear it before use.
 * @param near    room for all times
 * @param bytes   simulation_buckets_size, at a multiple of 64
 */
void simulation_buckets_make(simulation_buckets *b, simulation_heap near, size_t capacity,
                             void *bytes, simulation_chunks *chunks);

/** Forget all times; the chunks are to be emptied, too. It is 0 now, and times that come will be `mean` ahead of
 * those that are taken, on average. */
void simulation_buckets_clear(simulation_buckets *b, double mean);
static inline void simulation_chunks_clear(simulation_chunks *chunks)
{
    chunks->used = 0;
    chunks->free = UINT32_MAX;
}

/** The near ones have gone: fetch the next ones, of which there have to be some. */
void simulation_buckets_fetch(simulation_buckets *b);

/** Throw those that are held back. */
void simulation_buckets_throw(simulation_buckets *b);

/* Where it belongs: among the near ones, or later. */
static inline void simulation_buckets_place(simulation_buckets *b, double time)
{
    if ((time - b->base) * b->per_time < b->reach) {
        simulation_heap_add(&b->near, time, 0, false);
        return;
    }
    b->held[b->held_count++] = time;
    if (b->held_count == SIMULATION_HELD)
        simulation_buckets_throw(b);
}

static inline void simulation_buckets_add(simulation_buckets *b, double time)
{
    if (b->count++ == 0) {
        b->base = time;
        b->reach = 1;
    }
    simulation_buckets_place(b, time);
}

/** One of many that are there from the beginning, whose order nobody asks about before
 * simulation_buckets_begin. */
static inline void simulation_buckets_add_first(simulation_buckets *b, double time)
{
    b->count++;
    simulation_buckets_place(b, time);
}
static inline void simulation_buckets_begin(simulation_buckets *b)
{
    if (b->count > 0 && b->near.count == 0)
        simulation_buckets_fetch(b);
}

/** Take off the earliest, near.times[0]. */
static inline void simulation_buckets_drop(simulation_buckets *b)
{
    simulation_heap_drop(&b->near, false);
    if (--b->count > 0 && b->near.count == 0)
        simulation_buckets_fetch(b);
}

#endif
