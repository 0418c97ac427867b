/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef CLUMP_EXPLORING_FORMULA_H
#define CLUMP_EXPLORING_FORMULA_H

/*
 * Conditions and sort keys that a user writes: 'slowdown < 1 and nics <= 4'. They are expressions of
 * SQL, and SQLite evaluates them: names of columns stand for the values of a row, whole numbers are
 * real ones (1/2 is 0.5), log is the natural logarithm. What does not apply to a row is NULL.
 *
 * What the text says may come from a stranger: it can compute with columns, and nothing else. There
 * are no tables, no subqueries, and none of SQLite's functions but those of numbers and LIKE.
 */

#include <stdbool.h>
#include <stddef.h>

typedef struct clump_formula clump_formula;

/** What a name stands for in a row: a number (NAN: does not apply), or a text. */
typedef struct clump_formula_value {
    double number;
    const char *text; /**< NULL: a number */
} clump_formula_value;

/** The columns that there are. */
typedef struct clump_formula_columns {
    /** The number of the column, or -1. */
    int (*find)(const char *name, const void *context);
    /** The name of a column that is spelt alike, or NULL; may be NULL itself. */
    const char *(*similar)(const char *name, const void *context);
    /** What a row has there; a text must stay until the same column is asked for again. */
    clump_formula_value (*value)(int column, const void *row, const void *context);
    const void *context;
    /** Share by which the numbers of a row may be wrong by rounding. */
    double (*accuracy)(const void *row, const void *context);
} clump_formula_columns;

/**
 * @param text     one expression, or several with commas between
 * @param most     so many expressions at most
 * @param threads  those that evaluate it (omp_get_thread_num)
 * @param formula  set on success; release with clump_formula_free
 * @param message  receives what is wrong; "out of memory" is one of these
 * @return false if the text is no such expression
 */
bool clump_formula_make(const char *text, size_t most, const clump_formula_columns *columns,
                        int threads, clump_formula **formula, char *message, size_t message_size);

/** NULL is allowed. */
void clump_formula_free(clump_formula *formula);

/** How many expressions it has. */
size_t clump_formula_count(const clump_formula *formula);

/**
 * From any of the threads. Cost: some 0.3 us.
 *
 * @param rounded  the columns are rounded to the digits that are sure of a row, so that a slowdown
 *                 that is 1 up to rounding is "<= 1" and not "> 1"
 * @param values   receives clump_formula_count numbers; NAN: NULL, or a text
 */
void clump_formula_evaluate(const clump_formula *formula, const void *row, bool rounded,
                            double *values);

#endif
