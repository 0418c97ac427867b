/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef CLUMP_CLI_OUTPUT_H
#define CLUMP_CLI_OUTPUT_H

/*
 * Results on their way to stdout. A command describes them once, as columns and a function that
 * fills in cells (cells.h); the format decides what becomes of them:
 *
 *   table   for eyes: few digits, columns that say the same in all rows become a line above
 *   json    one object: an array of objects for each table, then the fields
 *   csv     header line and one record a row; all columns always; fields are left out
 */

#include "cli/cells.h"

typedef enum clump_cli_format {
    CLUMP_CLI_TABLE = 0,
    CLUMP_CLI_JSON,
    CLUMP_CLI_CSV
} clump_cli_format;

/** "table", "json", "csv"; false if it is none of these. */
bool clump_cli_format_parse(const char *name, clump_cli_format *format);

/** Print one set of rows in any format. @return the exit code; a failed write is found at the end,
 *  by main */
int clump_cli_output_print(clump_cli_format format, const clump_cli_rows *rows,
                           const clump_cli_field *fields, size_t field_count);

#endif
