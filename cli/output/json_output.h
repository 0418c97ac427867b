/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef JSON_OUTPUT_H
#define JSON_OUTPUT_H

#include "cli/output/cells.h"

/** One object: an array for each set of rows, then the fields. @return the exit code; main finds a
 *  failed write */
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
