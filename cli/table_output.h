/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef CLUMP_CLI_TABLE_OUTPUT_H
#define CLUMP_CLI_TABLE_OUTPUT_H

#include "cli/cells.h"

/** For eyes. @return the exit code; main finds a failed write */
int clump_cli_table_print(const clump_cli_rows *rows);

#endif
