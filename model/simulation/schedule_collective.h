/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef CLUMP_MODEL_SIMULATION_SCHEDULE_COLLECTIVE_H
#define CLUMP_MODEL_SIMULATION_SCHEDULE_COLLECTIVE_H

/* A collective operation as a schedule: what each rank sends and receives, step by step. */

#include "model/simulation/schedule.h"
#include "model/workload/collective_time.h"

/**
 * All communicators call the operation once, at time 0. What a rank sends and receives in one step it posts
 * together, and waits for all of it.
 *
 * @param processors  of a node, which hierarchical algorithms look at
 * @param schedule    to be freed
 * Errors: CLUMP_BAD_ARGUMENT as clump_collective_lay_out and clump_collective_check, and for more than
 *         `most_operations` operations; CLUMP_NO_MEMORY. Cost: as many steps as messages, 130 bytes each.
 */
clump_status clump_schedule_collective(const clump_collective_request *request, size_t processors,
                                       uint64_t most_operations, clump_schedule **schedule,
                                       clump_error *error);

#endif
