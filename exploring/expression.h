/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef CLUMP_EXPLORING_EXPRESSION_H
#define CLUMP_EXPLORING_EXPRESSION_H

/*
 * Conditions and sort keys that a user writes: 'slowdown < 1 and nics <= 4'.
 *
 *   or  and  not  = == != ~= < <= > >=  + - * /  ^  unary -  ( )
 *   min(a, b) max(a, b) abs(a) log(a) exp(a) sqrt(a)
 *   numbers, 'texts' or "texts", names of columns
 *
 * An expression is compiled once and then evaluated for each row without taking memory, from any
 * thread. There are no loops, assignments or calls of anything else: it can do no harm. Truth is 1
 * and 0; what does not apply (NAN) is not less, equal or more than anything. Numbers that differ by no
 * more than rounding compare as equal.
 */

#include <stdbool.h>
#include <stddef.h>

typedef struct clump_expression clump_expression;

/** What a name stands for in a row: a number (NAN: does not apply), or a text (NULL: the same). */
typedef struct clump_expression_value {
    double number;
    const char *text;
} clump_expression_value;

/** The columns that there are. */
typedef struct clump_expression_columns {
    /** The number of the column, or -1. */
    int (*find)(const char *name, const void *context);
    /** Whether the column holds text. */
    bool (*is_text)(int column, const void *context);
    /** The name of a column that is spelt alike, or NULL; may be NULL itself. */
    const char *(*similar)(const char *name, const void *context);
    /** What a row has there; a text must stay until the same column is asked for again. */
    clump_expression_value (*value)(int column, const void *row, const void *context);
    const void *context;
    /** Share by which numbers of the row may differ and still count as equal, so that a slowdown that
     *  is 1 up to rounding is "<= 1" and not "> 1"; NULL: 0. */
    double (*accuracy)(const void *row, const void *context);
} clump_expression_columns;

/**
 * @param expression  set on success; release with clump_expression_free
 * @param message     receives what is wrong, and where; "out of memory" is one of these
 * @return false if the text is no expression
 */
bool clump_expression_compile(const char *text, const clump_expression_columns *columns,
                              clump_expression **expression, char *message, size_t message_size);

void clump_expression_free(clump_expression *expression);

double clump_expression_evaluate(const clump_expression *expression, const void *row);

#endif
