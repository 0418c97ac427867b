/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef CLUMP_MODEL_NEEDS_H
#define CLUMP_MODEL_NEEDS_H

/*
 * What processors need, in amounts of time and not in shares of it: where processors meet at the
 * NICs by a common clock (correlated, scheduled demand) an hour of one is an hour of the other,
 * however the rest of their time has grown. Utilizations, which are relative to each processor's
 * own time, cannot say that. MODEL.md 5.
 *
 *   C   time in which the processor uses no NIC: computation, local communication, waiting
 *   D   time that a NIC of full speed would take to serve it
 *
 * Both are per unit of its time on the NOW, so that the time that follows is a slowdown. The plain
 * model has C = 1-U, D = U.
 */

#include "model/status.h"

#include <stddef.h>

/** Processors that need the same. */
typedef struct clump_need {
    double computation;   /**< C >= 0 */
    double communication; /**< D >= 0; not both 0 */
    size_t processors;    /**< may be 0 */
} clump_need;

/** Processors sorted by what they need: in ascending order of communication. */
typedef struct clump_needs {
    clump_need *needs;
    size_t count;
    size_t *need_of; /**< for every processor, in the order given, the index of its need */
} clump_needs;

/**
 * Sort `processors` needs. Release with model_needs_free.
 *
 * @param computation, communication  C and D of each processor; computation NULL: 1 - D
 * Cost: O(P log P).
 */
clump_status model_needs_make(const double *computation, const double *communication,
                              size_t processors, clump_needs *needs, clump_error *error);

/** Release what model_needs_make has filled in; harmless on a zeroed struct. */
void model_needs_free(clump_needs *needs);

/**
 * Check needs and count their processors.
 *
 * Errors: CLUMP_BAD_ARGUMENT for a time below 0 or above 1e30, two times of 0, communication not in
 *         ascending order, or a total outside 1 to CLUMP_MAX_PROCESSORS.
 */
clump_status model_needs_check(const clump_need *needs, size_t count, size_t *processors,
                               clump_error *error);

#endif
