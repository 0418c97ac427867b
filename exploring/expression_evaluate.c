/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "exploring/expression_program.h"

#include <math.h>
#include <string.h>

typedef clump_expression_value value;

static double binary(operation what, double a, double b)
{
    switch (what) {
    case OR:
        return a != 0 || b != 0;
    case AND:
        return a != 0 && b != 0;
    case EQUAL:
        return a == b;
    case DIFFERENT:
        return a < b || a > b;
    case LESS:
        return a < b;
    case AT_MOST:
        return a <= b;
    case MORE:
        return a > b;
    case AT_LEAST:
        return a >= b;
    case ADD:
        return a + b;
    case SUBTRACT:
        return a - b;
    case MULTIPLY:
        return a * b;
    case DIVIDE:
        return a / b;
    case POWER:
        return pow(a, b);
    case MINIMUM:
        return fmin(a, b);
    case MAXIMUM:
        return fmax(a, b);
    default:
        return NAN;
    }
}

static double unary(operation what, double a)
{
    switch (what) {
    case NOT:
        return a == 0;
    case NEGATE:
        return -a;
    case ABSOLUTE:
        return fabs(a);
    case LOGARITHM:
        return log(a);
    case EXPONENTIAL:
        return exp(a);
    default:
        return sqrt(a);
    }
}

static bool is_unary(operation what)
{
    return what == NOT || what == NEGATE || what >= ABSOLUTE;
}

static double compare_texts(operation what, const char *a, const char *b)
{
    const bool same = a != NULL && b != NULL && strcmp(a, b) == 0;
    return what == EQUAL ? same : !same;
}

double clump_expression_evaluate(const clump_expression *expression,
                                 clump_expression_column *column, const void *row)
{
    value stack[EXPRESSION_STACK];
    size_t top = 0;
    for (size_t i = 0; i < expression->length; i++) {
        const instruction *in = &expression->program[i];
        if (in->what == PUSH_NUMBER) {
            stack[top++] = (value){in->number, NULL};
        } else if (in->what == PUSH_TEXT) {
            stack[top++] = (value){NAN, expression->texts + in->index};
        } else if (in->what == PUSH_COLUMN) {
            stack[top++] = column(in->index, row);
        } else if (is_unary(in->what)) {
            stack[top - 1].number = unary(in->what, stack[top - 1].number);
        } else {
            const value b = stack[--top], a = stack[top - 1];
            stack[top - 1] = (value){in->index ? compare_texts(in->what, a.text, b.text)
                                               : binary(in->what, a.number, b.number),
                                     NULL};
        }
    }
    return stack[0].number;
}
