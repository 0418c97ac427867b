/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef CLUMP_CLI_OUTPUT_TABLE_H
#define CLUMP_CLI_OUTPUT_TABLE_H

#include "cli/output/cells.h"

/**
 * A table for eyes: few digits, columns that say the same in all rows become a line above. On a terminal it
 * is no wider than that: text is broken into lines, and columns that have no room stand below,
 * with the names of the rows. In a file, or for another program, a row is a line. Returns the exit code.
 */
int table_print(const table_rows *rows);

/** How tables are written from now on: for eyes, or into documents of others. */
typedef enum table_markup { TABLE_PLAIN = 0, TABLE_MARKDOWN, TABLE_LATEX } table_markup;
void table_print_as(table_markup kind);

#endif
