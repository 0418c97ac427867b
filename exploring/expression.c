/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Recursive descent into a program for a stack machine. The depth of the source is limited, and so
 * the stack of the machine: a value a level, and one more for each operand of a binary operator.
 *
 * Why not Lua, which the program embeds? It was built and measured: a million rows of figure-8.2
 * with a condition and two sort keys take 0.7 to 0.9 s of one processor here, 0.9 to 1.2 s with Lua,
 * which is quick enough. But conditions are not Lua: 0 is false, NAN is not different from
 * anything, "not a < b" is not (a < b), texts may be missing, and a mistake is told before the first
 * row, with its place. To keep that, what the user writes must be parsed as below all the same, and
 * then be translated: 550 lines where these are 380.
 */
#include "exploring/expression.h"

#include "data/number.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    MOST_INSTRUCTIONS = 500,
    MOST_DEPTH = 50,
    STACK = 450, /* eight values a level are the most that wait for their operator */
    TEXTS = 4096
};

/* ---- what is computed: truth is 1 and 0; NAN is neither less, equal, more nor different */

#define OF_TWO(name, result)                                                                       \
    static double name(double a, double b)                                                         \
    {                                                                                              \
        return result;                                                                             \
    }

OF_TWO(either, a != 0 || b != 0)
OF_TWO(both, a != 0 && b != 0)
OF_TWO(equal, a == b)
OF_TWO(different, (a < b) || (a > b))
OF_TWO(less, a < b)
OF_TWO(at_most, a <= b)
OF_TWO(more, a > b)
OF_TWO(at_least, a >= b)
OF_TWO(sum, a + b)
OF_TWO(difference, a - b)
OF_TWO(product, (a * b))
OF_TWO(quotient, a / b)

static double negate(double a)
{
    return -a;
}

static double invert(double a)
{
    return a == 0;
}

/* Binary operators, those that bind least first. A sign stands after those that begin with it. */
static const struct {
    const char *sign;
    double (*two)(double a, double b);
    int rank;
} operators[] = {{"or", either, 0},    {"||", either, 0},    {"and", both, 1},  {"&&", both, 1},
                 {"<=", at_most, 2},   {">=", at_least, 2},  {"==", equal, 2},  {"=", equal, 2},
                 {"!=", different, 2}, {"~=", different, 2}, {"<", less, 2},    {">", more, 2},
                 {"+", sum, 3},        {"-", difference, 3}, {"*", product, 4}, {"/", quotient, 4}};

static const struct {
    const char *name;
    double (*one)(double a);
    double (*two)(double a, double b); /* or this */
} functions[] = {{"min", .two = fmin}, {"max", .two = fmax}, {"abs", .one = fabs},
                 {"log", .one = log},  {"exp", .one = exp},  {"sqrt", .one = sqrt}};

enum {
    COMPARISONS = 2, /* their rank */
    OPERATORS = sizeof operators / sizeof *operators,
    FUNCTIONS = sizeof functions / sizeof *functions
};

/* Takes one or two values from the stack; or else puts one there. */
typedef struct instruction {
    double (*one)(double a);
    double (*two)(double a, double b);
    bool of_texts; /* compares them */
    bool compares; /* numbers, up to rounding */
    enum { PUSH_NUMBER, PUSH_TEXT, PUSH_COLUMN } push;
    double number;
    int index; /* of a column, or of a text in `texts` */
} instruction;

struct clump_expression {
    clump_expression_columns columns;
    instruction program[MOST_INSTRUCTIONS];
    size_t length;
    bool compares; /* some of them */
    char texts[TEXTS];
    size_t texts_used;
};

typedef struct parser {
    const char *text, *at;
    const clump_expression_columns *columns;
    clump_expression *out;
    char *message;
    size_t message_size;
    int depth;
    bool failed;
} parser;

/* What a piece of the source is: texts can only be compared. */
typedef enum kind { NUMBER, TEXT } kind;

static kind fail(parser *p, const char *format, ...)
{
    va_list values;
    char what[240];
    if (p->failed)
        return NUMBER;
    p->failed = true;
    va_start(values, format);
    vsnprintf(what, sizeof what, format, values);
    va_end(values);
    snprintf(p->message, p->message_size, "character %zu: %s", (size_t)(p->at - p->text) + 1, what);
    return NUMBER;
}

static kind emit(parser *p, instruction what)
{
    if (p->out->length == MOST_INSTRUCTIONS)
        return fail(p, "the expression is too long");
    p->out->compares = p->out->compares || what.compares;
    p->out->program[p->out->length++] = what;
    return NUMBER;
}

static bool descend(parser *p)
{
    if (++p->depth > MOST_DEPTH)
        fail(p, "the expression is too deep");
    return !p->failed;
}

static size_t name_length(const char *text)
{
    static const char others[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789";
    return *text >= '0' && *text <= '9' ? 0 : strspn(text, others);
}

/* Take a word or sign if it comes next. */
static bool take(parser *p, const char *token)
{
    const size_t length = strlen(token);
    p->at += strspn(p->at, " \t\r\n");
    if (strncmp(p->at, token, length) != 0 ||
        (name_length(token) > 0 && name_length(p->at) != length))
        return false;
    p->at += length;
    return true;
}

static kind parse_rank(parser *p, int rank);

static void expect_number(parser *p, kind found)
{
    if (found == TEXT)
        fail(p, "found a text, expected a number");
}

/* ---- numbers, texts, columns and functions */

static kind parse_text(parser *p)
{
    const char quote = *p->at++;
    const size_t length = strcspn(p->at, (char[]){quote, '\0'});
    if (p->at[length] != quote)
        return fail(p, "the text does not end");
    if (p->out->texts_used + length + 1 > TEXTS)
        return fail(p, "the texts are too long");
    char *copy = p->out->texts + p->out->texts_used;
    memcpy(copy, p->at, length);
    copy[length] = '\0';
    emit(p, (instruction){.push = PUSH_TEXT, .index = (int)p->out->texts_used});
    p->out->texts_used += length + 1;
    p->at += length + 1;
    return TEXT;
}

static kind parse_number(parser *p)
{
    double value;
    size_t length = strspn(p->at, "0123456789.");
    if ((p->at[length] == 'e' || p->at[length] == 'E') && length > 0) {
        const size_t sign = p->at[length + 1] == '-' || p->at[length + 1] == '+';
        length += 1 + sign + strspn(p->at + length + 1 + sign, "0123456789");
    }
    if (length == 0 || length >= 64)
        return fail(p,
                    *p->at == '\0' ? "the expression ends, expected a number or a column"
                                   : "found '%.1s', expected a number or a column",
                    p->at);
    if (!clump_number_read(p->at, length, &value))
        return fail(p, "found '%.*s', expected a number", (int)length, p->at);
    p->at += length;
    return emit(p, (instruction){.push = PUSH_NUMBER, .number = value});
}

static kind parse_call(parser *p, instruction call)
{
    for (int i = 0; i < (call.two != NULL ? 2 : 1) && !p->failed; i++) {
        if (i > 0 && !take(p, ","))
            fail(p, "expected a comma and another number");
        expect_number(p, parse_rank(p, 0));
    }
    if (!take(p, ")"))
        fail(p, "expected ')'");
    return emit(p, call);
}

static kind parse_name(parser *p)
{
    char name[64];
    const char *start = p->at;
    const size_t length = name_length(start);
    if (length >= sizeof name)
        return fail(p, "the name is too long");
    snprintf(name, length + 1, "%s", start);
    p->at += length;
    if (take(p, "(")) {
        for (size_t i = 0; i < FUNCTIONS; i++)
            if (strcmp(functions[i].name, name) == 0)
                return parse_call(p,
                                  (instruction){.one = functions[i].one, .two = functions[i].two});
        p->at = start;
        return fail(p, "there is no function '%s'", name);
    }
    const int column = p->columns->find(name, p->columns->context);
    if (column < 0) {
        p->at = start;
        const char *similar =
            p->columns->similar != NULL ? p->columns->similar(name, p->columns->context) : NULL;
        return fail(p, "there is no column '%s'%s%s%s", name,
                    similar != NULL ? "; did you mean '" : "", similar != NULL ? similar : "",
                    similar != NULL ? "'?" : "");
    }
    emit(p, (instruction){.push = PUSH_COLUMN, .index = column});
    return p->columns->is_text(column, p->columns->context) ? TEXT : NUMBER;
}

static kind parse_primary(parser *p)
{
    if (take(p, "(")) {
        const kind inner = parse_rank(p, 0);
        if (!take(p, ")"))
            fail(p, "expected ')'");
        return inner;
    }
    if (*p->at == '\'' || *p->at == '"')
        return parse_text(p);
    return name_length(p->at) > 0 ? parse_name(p) : parse_number(p);
}

/* ---- operators */

/* -a^b is -(a^b), and a^b^c is a^(b^c). */
static kind parse_unary(parser *p)
{
    if (!descend(p))
        return NUMBER;
    kind found;
    if (take(p, "-")) {
        expect_number(p, parse_unary(p));
        found = emit(p, (instruction){.one = negate});
    } else {
        found = parse_primary(p);
        if (!p->failed && take(p, "^")) {
            expect_number(p, found);
            expect_number(p, parse_unary(p));
            found = emit(p, (instruction){.two = pow});
        }
    }
    p->depth--;
    return found;
}

static kind parse_not(parser *p)
{
    if (!take(p, "not"))
        return parse_rank(p, 2);
    if (!descend(p))
        return NUMBER;
    expect_number(p, parse_not(p));
    p->depth--;
    return emit(p, (instruction){.one = invert});
}

static size_t take_operator(parser *p, int rank)
{
    size_t i = 0;
    while (i < OPERATORS && (operators[i].rank != rank || !take(p, operators[i].sign)))
        i++;
    return i;
}

/* Operators of a rank, from the left, between operands of higher ranks. */
static kind parse_rank(parser *p, int rank)
{
    static kind (*const operands[])(parser *) = {NULL, parse_not, NULL, NULL, parse_unary};
    if (rank == 0 && !descend(p))
        return NUMBER;
    kind left = operands[rank] != NULL ? operands[rank](p) : parse_rank(p, rank + 1);
    for (size_t i; !p->failed && (i = take_operator(p, rank)) < OPERATORS;) {
        const instruction what = {.two = operators[i].two,
                                  .of_texts = left == TEXT,
                                  .compares = left == NUMBER && rank == COMPARISONS};
        const kind right = operands[rank] != NULL ? operands[rank](p) : parse_rank(p, rank + 1);
        if (left != right)
            fail(p, "found a text beside a number");
        else if (left == TEXT && what.two != equal && what.two != different)
            fail(p, "texts can only be equal or different");
        left = emit(p, what);
    }
    if (rank == 0)
        p->depth--;
    return left;
}

bool clump_expression_compile(const char *text, const clump_expression_columns *columns,
                              clump_expression **expression, char *message, size_t message_size)
{
    parser p = {text, text, columns, calloc(1, sizeof *p.out), message, message_size, 0, false};
    if (p.out == NULL) {
        snprintf(message, message_size, "out of memory");
        return false;
    }
    expect_number(&p, parse_rank(&p, 0));
    if (!take(&p, "") || *p.at != '\0')
        fail(&p, "found '%.20s', expected an operator", p.at);
    if (p.failed) {
        free(p.out);
        return false;
    }
    p.out->columns = *columns;
    *expression = p.out;
    return true;
}

void clump_expression_free(clump_expression *expression)
{
    free(expression);
}

/* ---- evaluation */

static bool same_text(const char *a, const char *b)
{
    return a != NULL && b != NULL && strcmp(a, b) == 0;
}

/* b, or a where the two are the same up to rounding. */
static double same_number(double a, double b, double accuracy)
{
    const double apart = fabs(a - b);
    return isfinite(apart) && apart <= accuracy * fmax(fabs(a), fabs(b)) ? a : b;
}

double clump_expression_evaluate(const clump_expression *expression, const void *row)
{
    const clump_expression_columns *columns = &expression->columns;
    clump_expression_value stack[STACK];
    size_t top = 0;
    const double accuracy = expression->compares && columns->accuracy != NULL
                                ? columns->accuracy(row, columns->context)
                                : 0;
    for (size_t i = 0; i < expression->length; i++) {
        const instruction *in = &expression->program[i];
        if (in->two != NULL) {
            clump_expression_value *b = &stack[--top], *a = &stack[top - 1];
            if (in->compares)
                b->number = same_number(a->number, b->number, accuracy);
            stack[top - 1].number = in->of_texts ? same_text(a->text, b->text) == (in->two == equal)
                                                 : in->two(a->number, b->number);
        } else if (in->one != NULL) {
            stack[top - 1].number = in->one(stack[top - 1].number);
        } else if (in->push == PUSH_COLUMN) {
            stack[top++] = columns->value(in->index, row, columns->context);
        } else {
            const char *text = in->push == PUSH_TEXT ? expression->texts + in->index : NULL;
            stack[top++] = (clump_expression_value){in->number, text};
        }
    }
    return stack[0].number;
}
