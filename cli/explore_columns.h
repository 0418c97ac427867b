/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef CLUMP_CLI_EXPLORE_COLUMNS_H
#define CLUMP_CLI_EXPLORE_COLUMNS_H

/* Rows of `clumpmodel explore` as columns: for tables, JSON and CSV, and by name in expressions. */

#include "cli/cells.h"
#include "cli/explorer.h"
#include "cli/expression.h"

/** Fixed columns, and one for each swept variable of the script. */
typedef struct clump_cli_explore_columns {
    clump_cli_column *columns;
    size_t count;
    const clump_cli_explorer *explorer;
} clump_cli_explore_columns;

/** false: no memory. */
bool clump_cli_explore_columns_make(const clump_cli_explorer *explorer,
                                    clump_cli_explore_columns *columns);
void clump_cli_explore_columns_free(clump_cli_explore_columns *columns);

/** Rows to print; both must outlive them. */
clump_cli_rows clump_cli_explore_rows(const clump_cli_explore_columns *columns,
                                      const clump_cli_row *rows, size_t count);

/** Names for expressions: keys, and U, N, P, f, V, m, cost. */
clump_cli_expression_names clump_cli_explore_names(const clump_cli_explorer *explorer);
clump_cli_expression_value clump_cli_explore_value(int column, const void *row);

#endif
