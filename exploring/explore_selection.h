/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef EXPLORE_SELECTION_H
#define EXPLORE_SELECTION_H

/*
 * Which rows of `clumpmodel explore` are kept: those that satisfy --where, of these the best, or
 * the Pareto set, or all; in memory that does not grow with the sweep.
 *
 * The Pareto set are the rows that no other row beats in one of two keys without being worse in the
 * other.
 */

#include "exploring/explore_columns.h"

enum { CLUMP_SELECTION_MOST_KEYS = 8 };

/** Rows that are kept at most if all are wanted; 80 MB. */
#define CLUMP_SELECTION_MOST_KEPT ((size_t)200000)

typedef struct clump_selection_point {
    double x, y;
} clump_selection_point;

typedef struct clump_selection {
    const clump_explorer *explorer;
    clump_expression *where; /**< NULL: all */
    clump_expression *keys[CLUMP_SELECTION_MOST_KEYS];
    size_t key_count;
    clump_expression *front_keys[2]; /**< of the Pareto set: the first two keys, or else
                                            slowdown and price or NICs */
    bool sorted;                     /**< --by was given */
    size_t best;                     /**< 0: all */
    bool pareto;                     /**< only these */
    clump_explorer_row *rows;        /**< kept; strings are copies */
    size_t count, room;
    uint64_t passed; /**< rows that satisfied --where */
    bool overflow;   /**< all were wanted, and they are too many to be kept: rows holds the
                               first of them */
    clump_selection_point *front; /**< ascending x, descending y */
    size_t front_count, front_room;
    char **names; /**< copies of strings, a hash table */
    size_t name_count, name_room;
} clump_selection;

/** Read --where, --by, --best and --pareto; complains itself. Free in any case. */
int clump_selection_open(const clump_explorer *explorer, clump_selection *selection);
void clump_selection_free(clump_selection *selection);

/** A visitor: look at a row, and keep it or not. */
int clump_selection_add(const clump_explorer_row *row, void *selection);

/** Whether --where lets it pass. */
bool clump_selection_passes(const clump_selection *selection, const clump_explorer_row *row);

/** After the last row: sort, leave out what is not wanted, mark the Pareto set. */
int clump_selection_finish(clump_selection *selection);

/** Whether a row belongs to the Pareto set of all that were added. */
bool clump_selection_is_pareto(const clump_selection *selection, const clump_explorer_row *row);

#endif
