/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TABLE_OUTPUT_H
#define TABLE_OUTPUT_H

#include "cli/output/cells.h"

/** What becomes of a column. */
typedef enum option_fate {
    HTML_IN_TABLE,
    HTML_FOLDED,   /**< a line above, because all rows say the same */
    OPTION_DROPPED /**< nothing worth showing */
} option_fate;

option_fate table_decide(const table_rows *rows, size_t column);

/** For eyes. @return the exit code; main finds a failed write */
int table_print(const table_rows *rows);

#endif
