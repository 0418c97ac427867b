/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef OUTPUT_H
#define OUTPUT_H

/*
 * Results on their way to stdout. A command describes them once, as columns and a function that
 * fills in cells (cells.h); the format decides what becomes of them:
 *
 *   table   for eyes: few digits, columns that say the same in all rows become a line above
 *   json    one object: an array of objects for each table, then the fields
 *   csv     header line and one record a row; all columns always; fields are left out
 */

#include "cli/output/cells.h"

typedef enum output_format { FORMAT_TABLE = 0, FORMAT_JSON, FORMAT_CSV } output_format;

/** "table", "json", "csv"; false if it is none of these. */
bool output_format_parse(const char *name, output_format *format);

/** Print one set of rows in any format. @return the exit code; a failed write is found at the end,
 *  by main */
int output_print(output_format format, const table_rows *rows, const output_field *fields,
                 size_t field_count);

#endif
