/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef CLUMP_MODEL_SIMULATION_SCHEDULE_BUILD_H
#define CLUMP_MODEL_SIMULATION_SCHEDULE_BUILD_H

/*
 * Internal to model/simulation. Operations become a schedule.
 *
 *     schedule_append -> ... -> schedule_connect -> schedule_number_channels
 */

#include "model/simulation/schedule_operations.h"

typedef struct schedule_dependency {
    uint32_t earlier, later; /**< operations; the later one perhaps with SCHEDULE_AT_START */
} schedule_dependency;

/** Operations that follow, a block of each rank; false without memory. */
bool schedule_append(clump_schedule *schedule, const schedule_operation *all, size_t count);

/** No operations any more. */
void schedule_empty(clump_schedule *schedule);

/** Dependents of each operation, one after the other; those of an operation keep their order. Operations are all
 * there. false without memory. */
bool schedule_connect(clump_schedule *schedule, const schedule_dependency *all, size_t count);

/** Give every send and receive its channel; false without memory. */
bool schedule_number_channels(clump_schedule *schedule);

/** What can never be run. */
typedef struct schedule_leftover {
    uint64_t operations; /**< that wait for ever */
    uint64_t messages;   /**< of the others, sends that nobody receives */
    uint32_t *
        first_line; /**< of each rank, the line of its first such operation, or SCHEDULE_NONE; may be NULL */
} schedule_leftover;

/**
 * Take out what can never be run, whatever the machine: operations that wait for ever; sends without a receive become
 * calculations of no time. Without wildcards only.
 * @param operations  those of the schedule, which has been connected and its channels numbered
 * @param all         dependencies; those that are left are there afterwards
 * The schedule is connected anew if anything was taken out, without channels. false without memory.
 * Cost: O(n), 16 bytes an operation meanwhile.
 */
bool schedule_trim(clump_schedule *schedule, schedule_operation *operations,
                   schedule_dependency *all, size_t *count, schedule_leftover *leftover);

#endif
