/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef EXPRESSION_PROGRAM_H
#define EXPRESSION_PROGRAM_H

/* What expression.c compiles and expression_evaluate.c runs: a program for a stack machine. */

#include "exploring/expression.h"

enum {
    EXPRESSION_MOST_INSTRUCTIONS = 500,
    EXPRESSION_MOST_DEPTH = 50,
    EXPRESSION_STACK = 450, /* eight values a level are the most that wait for their operator */
    EXPRESSION_TEXTS = 4096
};

typedef enum operation {
    PUSH_NUMBER,
    PUSH_TEXT,
    PUSH_COLUMN,
    OR,
    AND,
    NOT,
    EQUAL,
    DIFFERENT,
    LESS,
    AT_MOST,
    MORE,
    AT_LEAST,
    ADD,
    SUBTRACT,
    MULTIPLY,
    DIVIDE,
    POWER,
    NEGATE,
    MINIMUM,
    MAXIMUM,
    ABSOLUTE,
    LOGARITHM,
    EXPONENTIAL,
    ROOT
} operation;

typedef struct instruction {
    operation what;
    double number;
    int index; /* of a column, or of a text in `texts` */
} instruction;

struct clump_expression {
    instruction program[EXPRESSION_MOST_INSTRUCTIONS];
    size_t length;
    char texts[EXPRESSION_TEXTS];
    size_t texts_used;
};

#endif
