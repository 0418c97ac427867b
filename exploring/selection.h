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

#include "exploring/formula.h"
#include "exploring/sweep.h"

/** Rows that are kept at most if all are wanted; 100 MB. */
#define CLUMP_SELECTION_MOST_KEPT ((size_t)200000)

/** What is wanted. */
typedef struct clump_selection_settings {
    const char *where;             /**< a condition; NULL: all */
    const char *by;                /**< sort keys with commas between; NULL: as they come */
    size_t best;                   /**< so many; 0: all */
    bool pareto;                   /**< only the Pareto set */
    clump_formula_columns columns; /**< of a clump_explore_row */
} clump_selection_settings;

typedef struct clump_selection_point {
    double x, y;
} clump_selection_point;

typedef struct clump_selection {
    clump_selection_settings settings;
    clump_explorer *explorer;
    clump_formula *where, *by; /**< NULL: all; the usual keys */
    clump_explore_row *rows;   /**< kept; strings are copies */
    size_t count, room;
    /** With `limited`: the worst of so many as are wanted; only its keys are set. */
    clump_explore_row limit;
    bool limited;
    clump_explore_tally tally; /**< all rows */
    bool overflow; /**< all were wanted, and they are too many to be kept: rows holds the first of
                      them */
    clump_selection_point *front; /**< of the Pareto set: ascending x, descending y */
    size_t front_count, front_room;
    void *names; /**< copies of strings, a search tree */
} clump_selection;

/** The settings must outlive the selection. Release in any case. */
clump_explore_status clump_selection_open(clump_explorer *explorer,
                                          const clump_selection_settings *settings,
                                          clump_selection *selection);
void clump_selection_release(clump_selection *selection);

/** For clump_explore_sweep: looks at rows where they are computed, and keeps what is wanted. The
 *  selection stays where it is meanwhile. */
clump_explore_taker clump_selection_taker(clump_selection *selection);

/** After the last row: sort, leave out what is not wanted, mark the Pareto set. */
clump_explore_status clump_selection_finish(clump_selection *selection);

/** Of any row, after all were seen: whether the condition lets it pass; it is marked, then. */
bool clump_selection_has(const clump_selection *selection, clump_explore_row *row);

#endif
