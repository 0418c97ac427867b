/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef CLUMP_CLI_JSON_OUTPUT_H
#define CLUMP_CLI_JSON_OUTPUT_H

#include "cli/cells.h"

/** One object: an array for each set of rows, then the fields. @return the exit code; main finds a
 *  failed write */
int clump_cli_json_print(const clump_cli_rows *const *rows, size_t row_sets,
                         const clump_cli_field *fields, size_t field_count);

#endif
