/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef CLUMP_CLI_JSON_OUTPUT_H
#define CLUMP_CLI_JSON_OUTPUT_H

#include "cli/cells.h"

/** One object: an array for each set of rows, then the fields. @return the exit code; main finds a
 *  failed write */
int clump_cli_json_print(const clump_cli_rows *const *rows, size_t row_sets,
                         const clump_cli_field *fields, size_t field_count);

/**
 * One set of rows in pieces: begin, records as often as there are some, end. `first` is true before
 * the first record, and changed. Records: false if there was no memory.
 */
void clump_cli_json_begin(const char *key);
bool clump_cli_json_records(const clump_cli_rows *rows, bool *first);
int clump_cli_json_end(bool first, const clump_cli_field *fields, size_t field_count);

#endif
