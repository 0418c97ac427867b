/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef CLUMP_EXPLORING_SWEEP_H
#define CLUMP_EXPLORING_SWEEP_H

#include "exploring/rows.h"

/** Takes a row; anything but CLUMP_EXPLORE_OK ends the sweep. */
typedef clump_explore_status clump_explore_visitor(const clump_explore_row *row, void *context);

/** Rows by what was seen of them. */
typedef struct clump_explore_tally {
    uint64_t all;
    uint64_t passed;  /**< that satisfied what is asked of rows */
    uint64_t refused; /**< that could not be predicted */
} clump_explore_tally;

/** Who takes rows. Of the millions that are computed few are wanted: a glance, from the thread that has computed a row,
 *  decides whether it is copied for the one thread that takes rows. */
typedef struct clump_explore_taker {
    clump_explore_visitor *take; /**< from the calling thread, in order */
    /** Whether a row is to be taken; from any thread, but never while rows are taken. May set in the row what is its own,
     *  and counts in `tally` whether it passed. NULL: all are taken. */
    bool (*glance)(clump_explore_row *row, clump_explore_tally *tally, const void *context);
    clump_explore_tally *tally; /**< receives the sums of all rows; may be NULL */
    void *context;
} clump_explore_taker;

/**
 * Hand over all rows, in order, from the calling thread.
 *
 * Cases and configurations are computed in parallel: results do not depend on the number of
 * threads. Of a sweep of any size only some blocks of rows are in memory.
 *
 * @return what `take` returned, if not CLUMP_EXPLORE_OK
 */
clump_explore_status clump_explore_sweep(clump_explorer *explorer,
                                         const clump_explore_taker *taker);

#endif
