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
 * and 0; what does not apply (NAN) is not less, equal or more than anything.
 */

#include <stdbool.h>
#include <stddef.h>

typedef struct clump_expression clump_expression;

/** What a name stands for in the row in hand: a number, or a text that is not NULL. */
typedef struct clump_expression_value {
    double number;
    const char *text;
} clump_expression_value;

/** The columns that there are. */
typedef struct clump_expression_names {
    /** The number of the column, or -1. */
    int (*find)(const char *name, const void *context);
    /** Whether the column holds text. */
    bool (*is_text)(int column, const void *context);
    const void *context;
    /** The name of a column that is spelt alike, or NULL; may be NULL itself. */
    const char *(*similar)(const char *name, const void *context);
} clump_expression_names;

typedef clump_expression_value clump_expression_column(int column, const void *row);

/**
 * @param expression  set on success; release with clump_expression_free
 * @param message     receives what is wrong, and where; "out of memory" is one of these
 * @return false if the text is no expression
 */
bool clump_expression_compile(const char *text, const clump_expression_names *names,
                              clump_expression **expression, char *message, size_t message_size);

void clump_expression_free(clump_expression *expression);

double clump_expression_evaluate(const clump_expression *expression,
                                 clump_expression_column *column, const void *row);

#endif
