/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef CLUMP_EXPLORING_BREAK_EVEN_H
#define CLUMP_EXPLORING_BREAK_EVEN_H

#include "exploring/explorer.h"

/** A utilization at which two configurations, or one and the NOW, take equally long. */
typedef struct clump_break_even_point {
    clump_result result;       /**< of the first side there; that utilization is in it */
    const char *below, *above; /**< the faster side: a value of the variable, "Clump" or "NOW" */
} clump_break_even_point;

typedef struct clump_break_even {
    clump_break_even_point *points;
    size_t count;
    size_t none;                /**< configurations of which one side is always the faster one */
    size_t equal;               /**< those equally fast at every utilization */
    size_t complete, expected;  /**< configurations; fewer are complete if it was interrupted */
    clump_scenario **scenarios; /**< own the texts of the points */
    size_t scenario_count;
} clump_break_even;

/**
 * Compare the two values of a variable, at every utilization, in each configuration of each case.
 *
 * @param compared  with two values; NULL: each configuration with the NOW
 * @param answer    points to texts of `compared`; after CLUMP_EXPLORE_INTERRUPTED it has the
 *                  configurations that are complete. Release in any case.
 */
clump_explore_status clump_break_even_find(clump_explorer *explorer,
                                           clump_explore_variable *compared,
                                           clump_break_even *answer);
void clump_break_even_release(clump_break_even *answer);

#endif
