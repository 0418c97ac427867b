/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef CLUMP_SCENARIOS_RECORDED_RECORDED_KEPT_H
#define CLUMP_SCENARIOS_RECORDED_RECORDED_KEPT_H

/*
 * A recorded run with schedules of its calls, made once they are needed: for whoever makes programs of it again and again, or predicts
 * many rows of one.
 *
 * Programs are made of it and placed (recorded.h) by one thread at a time; those that were placed may be predicted by several, also
 * meanwhile. It outlives them.
 */

#include "data/store/recorded_run.h"
#include "model/simulation/schedule.h"

typedef struct clump_recorded_kept {
    struct clump_recorded_kept *next;
    clump_recorded_run *run; /**< its own */
    struct clump_recorded_schedule *schedules;
} clump_recorded_kept;

/** What of a run can be played. */
typedef struct clump_recorded_schedule {
    struct clump_recorded_schedule *next;
    size_t
        processors; /**< of the nodes whose ranks collectives look at; 1 where the library looks at none */
    clump_rank_order order;
    clump_schedule *schedule;
    double left_out; /**< operations and messages that wait for what is not in it */
} clump_recorded_schedule;

/** Put it before the others of a list, which may be empty. NULL: no memory; the run is freed. */
clump_recorded_kept *clump_recorded_kept_add(clump_recorded_kept **list, clump_recorded_run *run);

/** All of a list; NULL is allowed. */
void clump_recorded_kept_free(clump_recorded_kept *list);

/** Bytes that it takes with a schedule, about. */
double clump_recorded_kept_bytes(const clump_recorded_run *run);

/**
 * Its calls on nodes of so many processors.
 * @param most_operations  more are refused; 0: 2^24
 * Errors: CLUMP_BAD_ARGUMENT where it has no calls, or these are none; CLUMP_NO_MEMORY. Cost: that of clump_kept_schedule or
 * clump_schedule_parse for the first of its kind.
 */
clump_status clump_recorded_kept_schedule(clump_recorded_kept *kept, size_t processors,
                                          clump_rank_order order, uint64_t most_operations,
                                          const clump_recorded_schedule **schedule,
                                          clump_error *error);

#endif
