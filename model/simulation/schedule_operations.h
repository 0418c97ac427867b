/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef CLUMP_MODEL_SIMULATION_SCHEDULE_OPERATIONS_H
#define CLUMP_MODEL_SIMULATION_SCHEDULE_OPERATIONS_H

/*
 * Internal to model/simulation. A schedule as it was read.
 *
 * Operations are many, and mostly repeat each other: all of them send as many bytes, with the same tag. They lie in
 * columns, and a column has as many bytes an operation as its largest value needs: none if all are the same. What of an
 * operation is about its own rank alone is counted from the rank's first. An all-to-all of thousands of ranks takes 5
 * bytes an operation, and an event in it finds in a line of memory what belongs to the next ones of the rank.
 */

#include "model/simulation/schedule.h"
#include "model/simulation/schedule_column.h"

#define SCHEDULE_ANY UINT32_MAX
#define SCHEDULE_NONE UINT32_MAX
enum { SCHEDULE_CPUS = 64 };

typedef enum schedule_kind { SCHEDULE_CALC, SCHEDULE_SEND, SCHEDULE_RECV } schedule_kind;

/** An operation by itself. */
typedef struct schedule_operation {
    uint64_t size; /* bytes or nanoseconds */
    uint32_t rank, peer, tag;
    uint32_t line;
    uint8_t kind, cpu;
} schedule_operation;

/** An edge: the operation that waits, and whether it waits for a start only. */
#define SCHEDULE_AT_START (UINT32_C(1) << 31)

/** Operations of a rank: one after the other, those of the next block follow. */
typedef struct schedule_block {
    uint32_t first, rank;
    uint32_t line; /* of the first */
} schedule_block;

struct clump_schedule {
    size_t ranks, count;
    /* Of each operation, block by block, as they stand in the file. */
    size_t room;
    schedule_column sizes, peers, tags;
    schedule_column
        steps; /* lines beyond that of the operation before and 1; 0 for the first of a block */
    schedule_column whats;  /* kind and CPU */
    schedule_block *blocks; /* one more at the end */
    size_t block_count, block_room;
    size_t most_in_block; /* operations */
    uint32_t *first_of;   /* of each rank, SCHEDULE_NONE: it has none */
    uint32_t *hints;      /* block of each 2^hint_shift-th operation */
    unsigned hint_shift;
    /* Dependents of operation o are edges[first_edge[o]] to edges[first_edge[o + 1]]; needs: what has to start or end
     * before. Without any edges all three are NULL. */
    uint32_t *edges, *first_edge, *needs;
    size_t edge_count;
    schedule_column channels; /* of sends, and of receives that name source and tag */
    size_t channel_count;
    const char *place; /* what the line of an operation is: "line" of a file, "call" of a rank */
    unsigned cpus;     /* of each rank: the most that any of them uses */
    bool wildcards, at_start; /* whether any -1, any irequires occurs */
};

/** The block of an operation. */
static inline const schedule_block *schedule_block_of(const clump_schedule *s, uint32_t o)
{
    const uint32_t hint = o >> s->hint_shift;
    uint32_t low = s->hints[hint], high = s->hints[hint + 1];
    while (low < high) { /* the last one that begins at `o` or before */
        const uint32_t middle = low + (high - low + 1) / 2;
        if (s->blocks[middle].first <= o)
            low = middle;
        else
            high = middle - 1;
    }
    return &s->blocks[low];
}

static inline uint32_t schedule_rank(const clump_schedule *s, uint32_t o)
{
    return schedule_block_of(s, o)->rank;
}

static inline schedule_kind schedule_kind_of(const clump_schedule *s, uint32_t o)
{
    return (schedule_kind)(schedule_column_get(&s->whats, o) & 3);
}

static inline uint32_t schedule_cpu(const clump_schedule *s, uint32_t o)
{
    return (uint32_t)(schedule_column_get(&s->whats, o) >> 2);
}

static inline uint64_t schedule_size(const clump_schedule *s, uint32_t o)
{
    return schedule_column_get(&s->sizes, o);
}

/** Columns hold what is any as 0, and all others one higher. */
static inline uint32_t schedule_peer(const clump_schedule *s, uint32_t o)
{
    return (uint32_t)schedule_column_get(&s->peers, o) - 1;
}

static inline uint32_t schedule_tag(const clump_schedule *s, uint32_t o)
{
    return (uint32_t)schedule_column_get(&s->tags, o) - 1;
}

static inline uint32_t schedule_needs(const clump_schedule *s, uint32_t o)
{
    return s->needs != NULL ? s->needs[o] : 0;
}

static inline uint32_t schedule_channel(const clump_schedule *s, uint32_t o)
{
    return (uint32_t)schedule_column_get(&s->channels, o);
}

/** All but the line: what is not used costs nothing where this is called. */
static inline schedule_operation schedule_at(const clump_schedule *s, uint32_t o)
{
    return (schedule_operation){.size = schedule_size(s, o),
                                .rank = schedule_rank(s, o),
                                .peer = schedule_peer(s, o),
                                .tag = schedule_tag(s, o),
                                .kind = (uint8_t)schedule_kind_of(s, o),
                                .cpu = (uint8_t)schedule_cpu(s, o)};
}

/** Cost: O(operations of its rank). */
uint32_t schedule_line(const clump_schedule *s, uint32_t o);

#endif
