/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef CLUMP_FITTING_NODE_NODE_SIZES_H
#define CLUMP_FITTING_NODE_NODE_SIZES_H

/*
 * Which messages are long, of which only bytes count, and which are short, of which only their number does: what
 * one process reaches, and all of them together, then no longer changes with the size.
 */

#include "fitting/node/node_curve.h"
#include "fitting/node/node_samples.h"

/** One size of messages. */
typedef struct clump_node_size_row {
    int64_t size_bytes;
    double process; /**< B/us of one process, with the fewest pairs; NAN: not measured with these */
    double best;    /**< B/us of the most that any number of pairs reached */
    double pairs;   /**< which */
    double filling; /**< best over process; NAN */
    double per_process; /**< NICs that one process keeps busy; NAN: not known */
    bool is_long, is_short;
} clump_node_size_row;

/** A part of the sizes. */
typedef struct clump_node_range {
    int64_t from, to; /**< bytes; 0: none */
} clump_node_range;

/** Rows by size, in memory of the samples; long and short ones are marked, which are ranges. */
clump_status clump_node_sizes_make(const clump_node_samples *samples, clump_node_size_row **rows,
                                   size_t *count, clump_error *error);

/** The long (or short) ones. */
clump_node_range clump_node_sizes_range(const clump_node_size_row *rows, size_t count,
                                        bool is_long);

/**
 * A point for each run: the median of its rates (or rates of messages) in the range; runs without one have
 * none. Points are for free().
 * @param scatter, freedom  receive the standard deviation of logarithms of a run around its median, NAN and 0 if
 *                          no run has two; may be NULL
 */
clump_status clump_node_sizes_points(const clump_node_runs *runs, clump_node_range range,
                                     bool messages, clump_node_point **points, size_t *count,
                                     double *scatter, double *freedom, clump_error *error);

#endif
