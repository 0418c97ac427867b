/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef CELLS_H
#define CELLS_H

/*
 * Results as the formats of output.h get them: rows of cells, and how their columns look.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef enum table_cell_kind {
    CELL_NONE = 0, /**< does not apply: "-", no key, empty */
    CELL_TEXT,
    CELL_REAL, /**< NAN and infinities become CELL_NONE */
    CELL_WHOLE,
    CELL_TRUTH
} table_cell_kind;

typedef struct table_cell {
    table_cell_kind kind;
    const char *text; /**< may point to `buffer` */
    double real;
    int64_t whole; /**< also truth: 0 or 1 */
    char buffer[64];
} table_cell;

void cell_text(table_cell *cell, const char *text); /**< NULL or "": none */
void cell_real(table_cell *cell, double real);
void cell_whole(table_cell *cell, int64_t whole);
void cell_size(table_cell *cell, size_t size);
void cell_truth(table_cell *cell, bool truth);

/** How a table writes real numbers. */
typedef enum number_notation {
    NUMBER_GENERAL = 0, /**< up to 4 significant digits */
    NUMBER_EXACT,       /**< up to 9, for numbers that were read, not computed */
    NUMBER_RATIO,       /**< 4 decimals, for slowdowns */
    NUMBER_PERCENT,     /**< 0.123 as 12.3% */
    NUMBER_SIGNED       /**< the same with a sign, for errors */
} number_notation;

/** When a column of a table becomes a line above it; never where rows differ. */
typedef enum column_folding {
    FOLD_NEVER = 0,
    FOLD_ROWS, /**< if there is more than one row */
    FOLD_ALWAYS
} column_folding;

/** How a column stands in a table. */
typedef enum column_layout {
    COLUMN_RIGHT = 0, /**< numbers */
    COLUMN_LEFT,      /**< names */
    COLUMN_PROSE,     /**< text that is broken into lines on a narrow terminal */
    COLUMN_DETAIL     /**< not at all: only with a single record, and in JSON and CSV */
} column_layout;

typedef struct table_column {
    const char *key;     /**< in JSON and CSV; NULL: only in tables */
    const char *heading; /**< of tables; NULL: only in JSON and CSV */
    number_notation notation;
    column_folding folding;
    column_layout layout;
} table_column;

typedef struct table_rows {
    const char *key; /**< of the array in JSON */
    const table_column *columns;
    size_t column_count;
    size_t row_count;
    void (*cell)(const void *context, size_t row, size_t column, table_cell *cell);
    /** Whether a table should show this cell: a column that no row has a use for is left out.
     *  NULL: all of them. */
    bool (*worth)(const void *context, size_t row, size_t column);
    const void *context;
} table_rows;

/** Beside the arrays in JSON: one value, or a list of numbers. */
typedef struct output_field {
    const char *key;
    table_cell value;
    const double *numbers; /**< if not NULL, instead of the value */
    size_t number_count;
} output_field;

/** A cell as a table shows it, unescaped; "-" for none. `text` is used for numbers. */
#define SHOWN_SIZE 64
const char *cell_show(const table_cell *cell, number_notation notation, char text[SHOWN_SIZE]);

/** "±", or "+-" where the terminal has no such character. */
const char *plus_minus(void);

#endif
