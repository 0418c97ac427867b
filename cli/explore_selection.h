/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef CLUMP_CLI_EXPLORE_SELECTION_H
#define CLUMP_CLI_EXPLORE_SELECTION_H

/*
 * Which rows of `clumpmodel explore` are kept: those that satisfy --where, of these the best, or
 * the Pareto set, or all; in memory that does not grow with the sweep.
 *
 * The Pareto set are the rows that no other row beats in one of two keys without being worse in the
 * other.
 */

#include "cli/explore_columns.h"

enum { CLUMP_CLI_MOST_KEYS = 8 };

/** Rows that are kept at most if all are wanted; 80 MB. */
#define CLUMP_CLI_MOST_KEPT ((size_t)200000)

typedef struct clump_cli_point {
    double x, y;
} clump_cli_point;

typedef struct clump_cli_selection {
    const clump_cli_explorer *explorer;
    clump_cli_expression *where; /**< NULL: all */
    clump_cli_expression *keys[CLUMP_CLI_MOST_KEYS];
    size_t key_count;
    clump_cli_expression *front_keys[2]; /**< of the Pareto set: the first two keys, or else
                                            slowdown and price or NICs */
    bool sorted;                         /**< --by was given */
    size_t best;                         /**< 0: all */
    bool pareto;                         /**< only these */
    clump_cli_row *rows;                 /**< kept; strings are copies */
    size_t count, room;
    uint64_t passed;        /**< rows that satisfied --where */
    bool overflow;          /**< all were wanted, and they are too many to be kept: rows holds the
                               first of them */
    clump_cli_point *front; /**< ascending x, descending y */
    size_t front_count, front_room;
    char **names; /**< copies of strings, a hash table */
    size_t name_count, name_room;
} clump_cli_selection;

/** Read --where, --by, --best and --pareto; complains itself. Free in any case. */
int clump_cli_selection_open(const clump_cli_explorer *explorer, clump_cli_selection *selection);
void clump_cli_selection_free(clump_cli_selection *selection);

/** A visitor: look at a row, and keep it or not. */
int clump_cli_selection_add(const clump_cli_row *row, void *selection);

/** Whether --where lets it pass. */
bool clump_cli_selection_passes(const clump_cli_selection *selection, const clump_cli_row *row);

/** After the last row: sort, leave out what is not wanted, mark the Pareto set. */
int clump_cli_selection_finish(clump_cli_selection *selection);

/** Whether a row belongs to the Pareto set of all that were added. */
bool clump_cli_selection_is_pareto(const clump_cli_selection *selection, const clump_cli_row *row);

#endif
