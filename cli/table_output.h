/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef CLUMP_CLI_TABLE_OUTPUT_H
#define CLUMP_CLI_TABLE_OUTPUT_H

#include "cli/cells.h"

/** What becomes of a column. */
typedef enum clump_cli_fate {
    CLUMP_CLI_IN_TABLE,
    CLUMP_CLI_FOLDED, /**< a line above, because all rows say the same */
    CLUMP_CLI_DROPPED /**< nothing worth showing */
} clump_cli_fate;

clump_cli_fate clump_cli_table_decide(const clump_cli_rows *rows, size_t column);

/** For eyes. @return the exit code; main finds a failed write */
int clump_cli_table_print(const clump_cli_rows *rows);

#endif
