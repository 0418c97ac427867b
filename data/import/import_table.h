/* SPDX-License-Identifier: GPL-3.0-or-later */
/** Tables of numbers, as most benchmarks print them. Internal to data/. */
#ifndef CLUMP_DATA_IMPORT_IMPORT_TABLE_H
#define CLUMP_DATA_IMPORT_IMPORT_TABLE_H

#include "data/import/import_text.h"

/** What stands in a column of a table. */
typedef struct clump_import_column {
    enum {
        CLUMP_COLUMN_IGNORED,
        CLUMP_COLUMN_SIZE,
        CLUMP_COLUMN_TIMES,  /**< how often it was done */
        CLUMP_COLUMN_VALUE,  /**< a sample */
        CLUMP_COLUMN_DEFECTS /**< must be 0, or Pass */
    } kind;
    const char *quantity;   /**< NULL: a value that is only checked */
    const char *statistic;  /**< NULL: "mean" */
    const char *variant;    /**< NULL: the key's */
    double factor, divisor; /**< to the unit of the quantity; 0: 1 */
    int64_t window;         /**< 0: the key's */
    double delay_us;        /**< between two sends; 0: none */
    size_t half_width; /**< so many columns further on is that of the value; 0: there is none */
    bool of_bytes;     /**< messages without bytes have none */
    bool may_lack;     /**< nan: the tool has no value; a value may be negative then */
} clump_import_column;

/** A row of a table: a word for each column. The samples have what `key` and
 *  the columns say. @param lacking  receives how many values the tool had none of; may be NULL */
bool clump_import_values(clump_import_log *log, const char *const *words,
                         const clump_import_column *columns, size_t count,
                         const clump_import_key *key, size_t *lacking);

/** The same of a line, which has as many words. */
bool clump_import_row(clump_import_log *log, char *line, const clump_import_column *columns,
                      size_t count, const clump_import_key *key, size_t *lacking);

#endif
