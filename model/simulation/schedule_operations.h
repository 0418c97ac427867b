/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef CLUMP_MODEL_SIMULATION_SCHEDULE_OPERATIONS_H
#define CLUMP_MODEL_SIMULATION_SCHEDULE_OPERATIONS_H

/* Internal to model/simulation. A schedule as it was read or built. */

#include "model/simulation/schedule.h"

#define SCHEDULE_ANY UINT32_MAX
#define SCHEDULE_NONE UINT32_MAX
enum { SCHEDULE_CPUS = 64, SCHEDULE_MOST_OPERATIONS = 1 << 30 };
#define SCHEDULE_MOST_SIZE UINT64_C(1000000000000000)

typedef enum schedule_kind { SCHEDULE_CALC, SCHEDULE_SEND, SCHEDULE_RECV } schedule_kind;

typedef struct schedule_operation {
    uint64_t size; /* bytes or nanoseconds */
    uint32_t rank, peer, tag;
    uint32_t line;    /* of a file, or the number of a call */
    uint32_t channel; /* of sends, and of receives that name source and tag */
    uint8_t kind, cpu;
    uint8_t any; /* a receive that was for anybody, with the source that it had */
} schedule_operation;

/** An edge: the operation that waits, and whether it waits for a start only. */
#define SCHEDULE_AT_START (UINT32_C(1) << 31)

struct clump_schedule {
    size_t ranks, count;
    schedule_operation
        *operations; /* as they stand in the file: those of a rank follow each other */
    /* Dependents of operation o are edges[first_edge[o]] to edges[first_edge[o + 1]]; needs: what has to start or end
     * before. Without any edges all three are NULL. */
    uint32_t *edges, *first_edge, *needs;
    size_t channel_count;
    const char *place; /* what the line of an operation is: "line" of a file, "call" of a rank */
    unsigned cpus;     /* of each rank: the most that any of them uses */
    bool wildcards, at_start; /* whether any -1, any irequires occurs */
};

static inline uint32_t schedule_needs(const clump_schedule *s, uint32_t o)
{
    return s->needs != NULL ? s->needs[o] : 0;
}

#endif
