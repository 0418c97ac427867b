/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef EXPLORE_COLUMNS_H
#define EXPLORE_COLUMNS_H

/* Rows of `clumpmodel explore` as columns: for tables, JSON and CSV, and by name in expressions. */

#include "cli/output/cells.h"
#include "exploring/explorer.h"
#include "exploring/expression.h"

/** Fixed columns, and one for each swept variable of the script. */
typedef struct clump_explore_columns {
    table_column *columns;
    size_t count;
    const clump_explorer *explorer;
} clump_explore_columns;

/** false: no memory. */
bool clump_explore_columns_make(const clump_explorer *explorer, clump_explore_columns *columns);
void clump_explore_columns_free(clump_explore_columns *columns);

/** Rows to print; both must outlive them. */
table_rows clump_explore_rows(const clump_explore_columns *columns, const clump_explorer_row *rows,
                              size_t count);

/** Names for expressions: keys, and U, N, P, f, V, m, cost. */
clump_expression_names clump_explore_names(const clump_explorer *explorer);
clump_expression_value clump_explore_value(int column, const void *row);

#endif
