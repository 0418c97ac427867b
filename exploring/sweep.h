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

/** What a glance at a row has found, several of these together. */
enum { CLUMP_EXPLORE_TAKE = 1, CLUMP_EXPLORE_PASSED = 2, CLUMP_EXPLORE_REFUSED = 4 };

/** Who takes rows. Of the millions that are computed few are wanted: a glance, from the thread that has computed a row,
 *  decides whether it is copied for the one thread that takes rows. */
typedef struct clump_explore_taker {
    clump_explore_visitor *take; /**< from the calling thread, in order */
    /** From any thread, but never while rows are taken: may set in the row what is its own. NULL: all are taken. */
    unsigned (*glance)(clump_explore_row *row, const void *context);
    /** With `glance`: rows without CLUMP_EXPLORE_TAKE, now and then, in order with those that are taken. */
    void (*pass_by)(const clump_explore_tally *rows, void *context);
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
