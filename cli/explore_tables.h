/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef CLUMP_CLI_EXPLORE_TABLES_H
#define CLUMP_CLI_EXPLORE_TABLES_H

/* How the answers of `clumpmodel explore` look in tables, JSON and CSV. */

#include "cli/explore_columns.h"
#include "cli/output/output.h"
#include "exploring/break_even.h"
#include "exploring/sensitivity.h"

/** Columns of rows: the fixed ones, and one for each swept variable of the script. */
typedef struct explore_columns {
    table_column *columns;
    size_t *numbers; /**< of each column, as columns.h counts */
    size_t count;
    const clump_explorer *explorer;
    const clump_explore_row *rows; /**< those that are printed */
} explore_columns;

/** false: no memory. */
bool explore_columns_make(const clump_explorer *explorer, explore_columns *columns);
void explore_columns_release(explore_columns *columns);

/** Rows to print; they and the columns must outlive what is returned. One set at a time. */
table_rows explore_rows(explore_columns *columns, const clump_explore_row *rows, size_t count);

/** @param compared  or NULL: with the NOW. @return exit code */
int explore_print_break_even(output_format format, const clump_break_even *answer,
                             const clump_explore_variable *compared);

/** @return exit code */
int explore_print_sensitivity(output_format format, const clump_explorer *explorer,
                              const clump_sensitivity *answer);

#endif
