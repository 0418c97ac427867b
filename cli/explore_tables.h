/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef CLUMP_CLI_EXPLORE_TABLES_H
#define CLUMP_CLI_EXPLORE_TABLES_H

/* The answers of `clumpmodel explore` in tables, JSON and CSV, and what conditions call their
 * columns. */

#include "cli/output/output.h"
#include "exploring/break_even.h"
#include "exploring/selection.h"
#include "exploring/sensitivity.h"

/** Columns of rows: those of every sweep, and one for each swept variable of the script. Behind
 *  them stand all others of a result, which conditions know as well. */
typedef struct explore_columns {
    table_column *list;
    size_t count, known; /**< that are shown, and all */
    const clump_explorer *explorer;
} explore_columns;

/** false: no memory. Release in any case. */
bool explore_columns_make(const clump_explorer *explorer, explore_columns *columns);
void explore_columns_release(explore_columns *columns);

/** Rows to print; they and the columns must outlive what is returned. */
table_rows explore_rows(const explore_columns *columns, const clump_explore_row *rows,
                        size_t count);

/** The columns in conditions and sort keys: by their keys, and by symbols such as U. */
clump_formula_columns explore_conditions(const explore_columns *columns);

/** @param compared  or NULL: with the NOW. @return exit code */
int explore_print_break_even(output_format format, const clump_break_even *answer,
                             const clump_explore_variable *compared);

/** @return exit code */
int explore_print_sensitivity(output_format format, const clump_explorer *explorer,
                              const clump_sensitivity *answer);

#endif
