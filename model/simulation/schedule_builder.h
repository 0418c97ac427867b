/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef CLUMP_MODEL_SIMULATION_SCHEDULE_BUILDER_H
#define CLUMP_MODEL_SIMULATION_SCHEDULE_BUILDER_H

/*
 * A schedule made operation by operation, and written as GOAL.
 *
 *     clump_schedule_builder_make -> _add_..., _require -> ... -> _finish (or _free)
 *
 * What fails in between is kept until the end: operations can be added without looking.
 */

#include "model/simulation/schedule.h"

#include <stdbool.h>
#include <stdint.h>

typedef struct clump_schedule_builder clump_schedule_builder;

/** What can never be run, and was left out. */
typedef struct clump_schedule_left_out {
    uint64_t operations; /**< that would wait for ever */
    uint64_t messages;   /**< that nobody receives: their senders compute nothing in their place */
    /** If not NULL before, of `ranks` entries: the call of the first operation that was left out of each rank; UINT32_MAX: none. */
    uint32_t *first_call;
} clump_schedule_left_out;

/** @param ranks  1 to CLUMP_SCHEDULE_MOST_RANKS */
clump_status clump_schedule_builder_make(size_t ranks, clump_schedule_builder **builder,
                                         clump_error *error);
void clump_schedule_builder_free(clump_schedule_builder *builder);

/** @name Operations
 * Each returns the number of a new operation, from 0 on.
 * @param rank  never one before that of the last operation
 * @param cpu   0 to 63
 * @param call  for messages about it: a number that says where it comes from
 * @{ */
uint32_t clump_schedule_add_calc(clump_schedule_builder *builder, uint32_t rank, uint8_t cpu,
                                 uint32_t call, uint64_t nanoseconds);
/** @param tag  up to UINT32_MAX - 1 */
uint32_t clump_schedule_add_send(clump_schedule_builder *builder, uint32_t rank, uint8_t cpu,
                                 uint32_t call, uint32_t to, uint32_t tag, uint64_t bytes);
uint32_t clump_schedule_add_receive(clump_schedule_builder *builder, uint32_t rank, uint8_t cpu,
                                    uint32_t call, uint32_t from, uint32_t tag, uint64_t bytes);
/** @} */

/** The receive is for a message of anybody; the one that it has came first where it was recorded (schedule_tasks.h). */
void clump_schedule_any_source(clump_schedule_builder *builder, uint32_t receive);

/** The one begins after the end of the other; both of the same rank. */
void clump_schedule_require(clump_schedule_builder *builder, uint32_t later, uint32_t earlier);

size_t clump_schedule_builder_operations(const clump_schedule_builder *builder);

/**
 * The schedule, without what can never be run. Frees the builder in any case.
 * @param left_out  may be NULL
 * Errors: CLUMP_NO_MEMORY; CLUMP_BAD_ARGUMENT for what is out of range in an operation, more than 2^30 of them.
 * Memory: 32 bytes an operation and 16 a dependency, and half as much again for room to grow; while it finishes some 20 an operation more.
 */
clump_status clump_schedule_builder_finish(clump_schedule_builder *builder,
                                           clump_schedule **schedule,
                                           clump_schedule_left_out *left_out, clump_error *error);

/** @return whether to go on */
typedef bool clump_schedule_writer(void *context, const char *text, size_t size);

/** As GOAL: read back it is the same schedule. @return false if the writer said so */
bool clump_schedule_write(const clump_schedule *schedule, clump_schedule_writer *writer,
                          void *context);

/* ---- internal to model/simulation: operations that the caller has checked (schedule_operations.h) */

struct schedule_operation;

/** false without memory, which finishing says. */
bool schedule_add(clump_schedule_builder *builder, const struct schedule_operation *operation);

/** @param later  perhaps with SCHEDULE_AT_START */
bool schedule_depend(clump_schedule_builder *builder, uint32_t earlier, uint32_t later);

/** What the operations will be: a parser sets its ranks, place, wildcards and at_start. */
clump_schedule *schedule_of(clump_schedule_builder *builder);

/** As clump_schedule_builder_finish, but nothing is left out. */
clump_status schedule_finish(clump_schedule_builder *builder, clump_schedule **schedule,
                             clump_error *error);

#endif
