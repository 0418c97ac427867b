/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef CLUMP_CLI_OUTPUT_OUTPUT_H
#define CLUMP_CLI_OUTPUT_OUTPUT_H

/*
 * Results on their way to stdout. A command describes them once, as columns of records (cells.h);
 * the format decides what becomes of them:
 *
 *   table   for eyes: few digits, columns that say the same in all rows become a line above
 *   json    one object: an array of objects for each table, then the fields
 *   csv     header line and one record a row; all columns always; fields are left out
 *   md, latex  the table for eyes as Markdown, or as a tabular of LaTeX
 *
 * Functions return the exit code; main finds a failed write.
 */

#include "cli/output/table.h"

typedef enum output_format {
    FORMAT_TABLE = 0,
    FORMAT_JSON,
    FORMAT_CSV,
    FORMAT_MARKDOWN, /**< what a table shows, for documents; commands see FORMAT_TABLE */
    FORMAT_LATEX
} output_format;

/** One set of rows in any format. */
int output_print(output_format format, const table_rows *rows, const output_field *fields,
                 size_t field_count);

/** Header line and one record a row. */
int csv_print(const table_rows *rows);

/** The same in pieces, for rows that are not all there at a time. */
void csv_print_header(const table_rows *rows);
void csv_print_records(const table_rows *rows);

/** One object: an array for each set of rows, then the fields. */
int json_print(const table_rows *const *rows, size_t row_sets, const output_field *fields,
               size_t field_count);

/**
 * One set of rows in pieces: begin, records as often as there are some, end. `first` is true before
 * the first record, and changed. Records: false if there was no memory.
 */
void json_begin(const char *key);
bool json_records(const table_rows *rows, bool *first);
int json_end(bool first, const output_field *fields, size_t field_count);

#endif
