/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef CLUMP_MODEL_SIMULATION_SCHEDULE_COLLECTIVE_H
#define CLUMP_MODEL_SIMULATION_SCHEDULE_COLLECTIVE_H

/* Collective operations as schedules: what each rank sends and receives, step by step. What it sends and receives in one step it posts
 * together, and waits for all of it before the next one. */

#include "model/simulation/schedule_builder.h"
#include "model/workload/collective_time.h"

/**
 * All communicators call the operation once, at time 0.
 *
 * @param processors  of a node, which hierarchical algorithms look at
 * @param schedule    to be freed
 * Errors: CLUMP_BAD_ARGUMENT as clump_collective_lay_out and clump_collective_check, and for more than
 *         `most_operations` operations; CLUMP_NO_MEMORY. Cost: as many steps as messages, 130 bytes each.
 */
clump_status clump_schedule_collective(const clump_collective_request *request, size_t processors,
                                       uint64_t most_operations, clump_schedule **schedule,
                                       clump_error *error);

/* ---- internal to model/simulation */

/** Operations that have to end before others begin. */
enum { SCHEDULE_MOST_TAILS = 4 };
typedef struct schedule_ending {
    uint32_t tail[SCHEDULE_MOST_TAILS];
    unsigned tails;
} schedule_ending;

/** The part of one rank in a collective, as operations of a builder. */
typedef struct schedule_steps {
    clump_schedule_builder *builder;
    uint64_t most_operations; /**< of the builder */
    uint32_t rank, call, tag;
    uint8_t cpu;
    const uint64_t *ranks; /**< of the members; NULL: base + member * stride */
    uint32_t base, stride;
    unsigned most_tails;    /**< more operations of a step end in one calculation of no time */
    schedule_ending before; /**< what the first step waits for; afterwards how the last one ends */
    /* The step in hand: */
    uint32_t step, first, count;
} schedule_steps;

/** `operation` begins after all of the ending. */
void schedule_follow(clump_schedule_builder *builder, const schedule_ending *ending,
                     uint32_t operation);

/** false if there would be too many operations. */
bool schedule_add_collective(schedule_steps *steps, const clump_collective_operation *operation,
                             uint32_t member);

#endif
