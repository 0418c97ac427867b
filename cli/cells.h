/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef CLUMP_CLI_CELLS_H
#define CLUMP_CLI_CELLS_H

/*
 * Results as the formats of output.h get them: rows of cells, and how their columns look.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef enum clump_cli_cell_kind {
    CLUMP_CLI_CELL_NONE = 0, /**< does not apply: "-", no key, empty */
    CLUMP_CLI_CELL_TEXT,
    CLUMP_CLI_CELL_REAL, /**< NAN and infinities become CLUMP_CLI_CELL_NONE */
    CLUMP_CLI_CELL_WHOLE,
    CLUMP_CLI_CELL_TRUTH
} clump_cli_cell_kind;

typedef struct clump_cli_cell {
    clump_cli_cell_kind kind;
    const char *text; /**< may point to `buffer` */
    double real;
    int64_t whole; /**< also truth: 0 or 1 */
    char buffer[64];
} clump_cli_cell;

void clump_cli_cell_text(clump_cli_cell *cell, const char *text); /**< NULL or "": none */
void clump_cli_cell_real(clump_cli_cell *cell, double real);
void clump_cli_cell_whole(clump_cli_cell *cell, int64_t whole);
void clump_cli_cell_size(clump_cli_cell *cell, size_t size);
void clump_cli_cell_truth(clump_cli_cell *cell, bool truth);

/** How a table writes real numbers. */
typedef enum clump_cli_notation {
    CLUMP_CLI_GENERAL = 0, /**< up to 4 significant digits */
    CLUMP_CLI_EXACT,       /**< up to 9, for numbers that were read, not computed */
    CLUMP_CLI_RATIO,       /**< 4 decimals, for slowdowns */
    CLUMP_CLI_PERCENT,     /**< 0.123 as 12.3% */
    CLUMP_CLI_SIGNED       /**< the same with a sign, for errors */
} clump_cli_notation;

/** When a column of a table becomes a line above it; never where rows differ. */
typedef enum clump_cli_folding {
    CLUMP_CLI_FOLD_NEVER = 0,
    CLUMP_CLI_FOLD_ROWS, /**< if there is more than one row */
    CLUMP_CLI_FOLD_ALWAYS
} clump_cli_folding;

/** How a column stands in a table. */
typedef enum clump_cli_layout {
    CLUMP_CLI_RIGHT = 0, /**< numbers */
    CLUMP_CLI_LEFT,      /**< names */
    CLUMP_CLI_PROSE,     /**< text that is broken into lines on a narrow terminal */
    CLUMP_CLI_DETAIL     /**< not at all: only with a single record, and in JSON and CSV */
} clump_cli_layout;

typedef struct clump_cli_column {
    const char *key;     /**< in JSON and CSV; NULL: only in tables */
    const char *heading; /**< of tables; NULL: only in JSON and CSV */
    clump_cli_notation notation;
    clump_cli_folding folding;
    clump_cli_layout layout;
} clump_cli_column;

typedef struct clump_cli_rows {
    const char *key; /**< of the array in JSON */
    const clump_cli_column *columns;
    size_t column_count;
    size_t row_count;
    void (*cell)(const void *context, size_t row, size_t column, clump_cli_cell *cell);
    /** Whether a table should show this cell: a column that no row has a use for is left out.
     *  NULL: all of them. */
    bool (*worth)(const void *context, size_t row, size_t column);
    const void *context;
} clump_cli_rows;

/** Beside the arrays in JSON: one value, or a list of numbers. */
typedef struct clump_cli_field {
    const char *key;
    clump_cli_cell value;
    const double *numbers; /**< if not NULL, instead of the value */
    size_t number_count;
} clump_cli_field;

/** A cell as a table shows it, unescaped; "-" for none. `text` is used for numbers. */
#define CLUMP_CLI_SHOWN_SIZE 64
const char *clump_cli_cell_show(const clump_cli_cell *cell, clump_cli_notation notation,
                                char text[CLUMP_CLI_SHOWN_SIZE]);

/** "±", or "+-" where the terminal has no such character. */
const char *clump_cli_plus_minus(void);

#endif
