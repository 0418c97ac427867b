/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef CLUMP_CLI_CSV_OUTPUT_H
#define CLUMP_CLI_CSV_OUTPUT_H

#include "cli/cells.h"

/** Header line and one record a row. @return the exit code; main finds a failed write */
int clump_cli_csv_print(const clump_cli_rows *rows);

/** The same in pieces, for rows that are not all there at a time. */
void clump_cli_csv_print_header(const clump_cli_rows *rows);
void clump_cli_csv_print_records(const clump_cli_rows *rows);

#endif
