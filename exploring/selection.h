/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef CLUMP_EXPLORING_SELECTION_H
#define CLUMP_EXPLORING_SELECTION_H

/*
 * Which rows are kept: those that satisfy a condition, of these the best, or the Pareto set, or
 * all; in memory that does not grow with the sweep.
 *
 *     open -> sweep with clump_selection_taker -> finish -> rows -> release
 *
 * The Pareto set are the rows that no other row beats in one of two keys without being worse in the
 * other.
 */

#include "exploring/expression.h"
#include "exploring/sweep.h"

/** Rows that are kept at most if all are wanted; 100 MB. */
#define CLUMP_SELECTION_MOST_KEPT ((size_t)200000)

/** What is wanted. */
typedef struct clump_selection_settings {
    const char *where; /**< a condition; NULL: all */
    const char *by;    /**< sort keys with commas between; NULL: as they come */
    size_t best;       /**< so many; 0: all */
    bool pareto;       /**< only the Pareto set */
    /** Of a clump_explore_row; at least pace (clump_result_pace), nics and price. */
    clump_expression_columns columns;
} clump_selection_settings;

typedef struct clump_selection_point {
    double x, y;
} clump_selection_point;

typedef struct clump_selection {
    clump_selection_settings settings;
    clump_explorer *explorer;
    clump_expression *where; /**< NULL: all */
    clump_expression *keys[CLUMP_EXPLORE_MOST_KEYS];
    size_t key_count;
    clump_expression *front_keys[2]; /**< of the Pareto set: the first two keys, or else pace and
                                          price or NICs */
    clump_explore_row *rows;         /**< kept; strings are copies */
    size_t count, room;
    /** With `limited`: the worst of so many as are wanted; only its keys are set. */
    clump_explore_row limit;
    bool limited;
    uint64_t seen;    /**< rows that were added */
    uint64_t passed;  /**< those that satisfied the condition */
    uint64_t refused; /**< those that could not be predicted, whether they satisfied it or not */
    bool overflow; /**< all were wanted, and they are too many to be kept: rows holds the first of
                          them */
    clump_selection_point *front; /**< ascending x, descending y */
    size_t front_count, front_room;
    void *names; /**< copies of strings, a search tree */
} clump_selection;

/** The settings must outlive the selection. Release in any case. */
clump_explore_status clump_selection_open(clump_explorer *explorer,
                                          const clump_selection_settings *settings,
                                          clump_selection *selection);
void clump_selection_release(clump_selection *selection);

/** For clump_explore_sweep: looks at rows where they are computed, and keeps what is wanted. */
clump_explore_taker clump_selection_taker(clump_selection *selection);

/** Whether the condition lets it pass. */
bool clump_selection_passes(const clump_selection *selection, const clump_explore_row *row);

/** After the last row: sort, leave out what is not wanted, mark the Pareto set. */
clump_explore_status clump_selection_finish(clump_selection *selection);

/** Whether a row belongs to the Pareto set of all that were added. */
bool clump_selection_is_pareto(const clump_selection *selection, const clump_explore_row *row);

#endif
