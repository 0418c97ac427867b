/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef CLUMP_MODEL_WORKLOAD_OVERLAP_H
#define CLUMP_MODEL_WORKLOAD_OVERLAP_H

/*
 * How many processors of a node do something at the same time, from when each of them does (new; MODEL.md 28).
 *
 * The ranks of a program are placed on nodes of P in the order of their numbers, whatever nodes they ran on:
 * what was recorded with one rank a machine tells what would meet where several share one.
 */

#include "model/status.h"

#include <stddef.h>

/** A stretch of time, over one node or several with the same number of processors. */
typedef struct clump_overlap_window {
    double seconds; /**< of all nodes together, >= 0 */
    double active;  /**< integral of q over it, s */
    double squared; /**< integral of q^2, s */
} clump_overlap_window;

/** A rank does it from `begin` to `end`, in seconds of a clock that all share. */
typedef struct clump_overlap_interval {
    size_t rank;
    double begin, end;
} clump_overlap_interval;

/** These, in the order of time; belongs to the caller, released with clump_overlap_free. */
typedef struct clump_overlap clump_overlap;

/**
 * @param intervals  in any order; those of a rank should not overlap (where they do it counts twice)
 * @param ranks      of the program
 * Errors: CLUMP_BAD_ARGUMENT for times that are no numbers and ranks beyond the last one; CLUMP_NO_MEMORY.
 * Cost: O(n log n), 32 n bytes.
 */
clump_status clump_overlap_make(const clump_overlap_interval *intervals, size_t count, size_t ranks,
                                clump_overlap **overlap, clump_error *error);
void clump_overlap_free(clump_overlap *overlap);

/**
 * Count who does it together, node by node and window by window. Ranks that are left over and do not fill a node are left
 * out.
 *
 * @param processors  P of a node, 1 to `ranks`
 * @param begin, end  what is cut into windows of the same length
 * @param windows     receives `window_count` of them, sums over all nodes
 * @param histogram   receives the seconds in which 0 to P ranks of a node do it, sums over all nodes; or NULL
 * Errors: CLUMP_BAD_ARGUMENT for more processors than ranks, and without time; CLUMP_NO_MEMORY.
 * Cost: O(n + windows + nodes).
 */
clump_status clump_overlap_count(const clump_overlap *overlap, size_t processors, double begin,
                                 double end, clump_overlap_window *windows, size_t window_count,
                                 double *histogram, clump_error *error);

#endif
