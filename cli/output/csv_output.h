/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef CSV_OUTPUT_H
#define CSV_OUTPUT_H

#include "cli/output/cells.h"

/** Header line and one record a row. @return the exit code; main finds a failed write */
int csv_print(const table_rows *rows);

/** The same in pieces, for rows that are not all there at a time. */
void csv_print_header(const table_rows *rows);
void csv_print_records(const table_rows *rows);

#endif
