/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Recursive descent into a program for a stack machine. The depth of the source is limited, and so
 * the stack of the machine: a value a level, and one more for each operand of a binary operator.
 */
#include "exploring/expression_program.h"

#include "cli/options/numbers.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct parser {
    const char *text, *at;
    const clump_expression_names *names;
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

static void emit(parser *p, operation what, double number, int index)
{
    if (p->out->length == EXPRESSION_MOST_INSTRUCTIONS)
        fail(p, "the expression is too long");
    else
        p->out->program[p->out->length++] = (instruction){what, number, index};
}

static void skip_blanks(parser *p)
{
    p->at += strspn(p->at, " \t\r\n");
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
    skip_blanks(p);
    if (strncmp(p->at, token, length) != 0 ||
        (name_length(token) > 0 && name_length(p->at) != length))
        return false;
    p->at += length;
    return true;
}

static kind parse_or(parser *p);

static void expect_number(parser *p, kind found)
{
    if (found == TEXT)
        fail(p, "found a text, expected a number");
}

static kind parse_text(parser *p)
{
    const char quote = *p->at++;
    const size_t length = strcspn(p->at, (char[]){quote, '\0'});
    if (p->at[length] != quote)
        return fail(p, "the text does not end");
    if (p->out->texts_used + length + 1 > EXPRESSION_TEXTS)
        return fail(p, "the texts are too long");
    char *copy = p->out->texts + p->out->texts_used;
    memcpy(copy, p->at, length);
    copy[length] = '\0';
    emit(p, PUSH_TEXT, 0, (int)p->out->texts_used);
    p->out->texts_used += length + 1;
    p->at += length + 1;
    return TEXT;
}

static kind parse_number(parser *p)
{
    char item[ITEM_SIZE];
    double value;
    size_t length = strspn(p->at, "0123456789.");
    if ((p->at[length] == 'e' || p->at[length] == 'E') && length > 0) {
        const size_t sign = p->at[length + 1] == '-' || p->at[length + 1] == '+';
        length += 1 + sign + strspn(p->at + length + 1 + sign, "0123456789");
    }
    if (length == 0 || length >= sizeof item)
        return fail(p,
                    *p->at == '\0' ? "the expression ends, expected a number or a column"
                                   : "found '%.1s', expected a number or a column",
                    p->at);
    memcpy(item, p->at, length);
    item[length] = '\0';
    if (!real_parse(item, &value))
        return fail(p, "found '%s', expected a number", item);
    emit(p, PUSH_NUMBER, value, 0);
    p->at += length;
    return NUMBER;
}

static kind parse_call(parser *p, operation what, int arguments)
{
    for (int i = 0; i < arguments && !p->failed; i++) {
        if (i > 0 && !take(p, ","))
            fail(p, "expected a comma and another number");
        expect_number(p, parse_or(p));
    }
    if (!take(p, ")"))
        fail(p, "expected ')'");
    emit(p, what, 0, 0);
    return NUMBER;
}

static kind parse_name(parser *p)
{
    static const struct {
        const char *name;
        operation what;
        int arguments;
    } functions[] = {{"min", MINIMUM, 2},   {"max", MAXIMUM, 2},     {"abs", ABSOLUTE, 1},
                     {"log", LOGARITHM, 1}, {"exp", EXPONENTIAL, 1}, {"sqrt", ROOT, 1}};
    char name[64];
    const size_t length = name_length(p->at);
    if (length >= sizeof name)
        return fail(p, "the name is too long");
    memcpy(name, p->at, length);
    name[length] = '\0';
    const char *start = p->at;
    p->at += length;
    if (take(p, "(")) {
        for (size_t i = 0; i < sizeof functions / sizeof *functions; i++)
            if (strcmp(functions[i].name, name) == 0)
                return parse_call(p, functions[i].what, functions[i].arguments);
        p->at = start;
        return fail(p, "there is no function '%s'", name);
    }
    const int column = p->names->find(name, p->names->context);
    if (column < 0) {
        p->at = start;
        const char *similar =
            p->names->similar != NULL ? p->names->similar(name, p->names->context) : NULL;
        return fail(p, "there is no column '%s'%s%s%s", name,
                    similar != NULL ? "; did you mean '" : "", similar != NULL ? similar : "",
                    similar != NULL ? "'?" : "");
    }
    emit(p, PUSH_COLUMN, 0, column);
    return p->names->is_text(column, p->names->context) ? TEXT : NUMBER;
}

static kind parse_primary(parser *p)
{
    skip_blanks(p);
    if (take(p, "(")) {
        const kind inner = parse_or(p);
        if (!take(p, ")"))
            fail(p, "expected ')'");
        return inner;
    }
    if (*p->at == '\'' || *p->at == '"')
        return parse_text(p);
    return name_length(p->at) > 0 ? parse_name(p) : parse_number(p);
}

static kind parse_unary(parser *p);

static kind parse_power(parser *p)
{
    const kind base = parse_primary(p);
    if (p->failed || !take(p, "^"))
        return base;
    expect_number(p, base);
    expect_number(p, parse_unary(p));
    emit(p, POWER, 0, 0);
    return NUMBER;
}

static kind parse_unary(parser *p)
{
    if (++p->depth > EXPRESSION_MOST_DEPTH)
        return fail(p, "the expression is too deep");
    kind found;
    if (take(p, "-")) {
        expect_number(p, parse_unary(p));
        emit(p, NEGATE, 0, 0);
        found = NUMBER;
    } else {
        found = parse_power(p);
    }
    p->depth--;
    return found;
}

/* Binary operators of one rank, from the left. */
typedef struct rank {
    const char *signs[8];
    operation what[8];
    kind (*operand)(parser *p);
} rank;

static kind parse_rank(parser *p, const rank *r)
{
    kind left = r->operand(p);
    while (!p->failed) {
        size_t i = 0;
        while (r->signs[i] != NULL && !take(p, r->signs[i]))
            i++;
        if (r->signs[i] == NULL)
            break;
        const kind right = r->operand(p);
        const bool equality = r->what[i] == EQUAL || r->what[i] == DIFFERENT;
        if (left != right || (left == TEXT && !equality))
            fail(p, left == right ? "texts can only be equal or different"
                                  : "found a text beside a number");
        emit(p, r->what[i], 0, left == TEXT);
        left = NUMBER;
    }
    return left;
}

static kind parse_product(parser *p)
{
    static const rank r = {{"*", "/", NULL}, {MULTIPLY, DIVIDE}, parse_unary};
    return parse_rank(p, &r);
}

static kind parse_sum(parser *p)
{
    static const rank r = {{"+", "-", NULL}, {ADD, SUBTRACT}, parse_product};
    return parse_rank(p, &r);
}

static kind parse_comparison(parser *p)
{
    static const rank r = {{"<=", ">=", "==", "!=", "~=", "<", ">"},
                           {AT_MOST, AT_LEAST, EQUAL, DIFFERENT, DIFFERENT, LESS, MORE},
                           parse_sum};
    static const rank single = {{"=", NULL}, {EQUAL}, NULL};
    rank all = r;
    all.signs[7] = NULL;
    const kind found = parse_rank(p, &all);
    if (p->failed || !take(p, single.signs[0]))
        return found;
    const kind right = parse_sum(p);
    if (found != right)
        fail(p, "found a text beside a number");
    emit(p, EQUAL, 0, found == TEXT);
    return NUMBER;
}

static kind parse_not(parser *p)
{
    if (!take(p, "not"))
        return parse_comparison(p);
    if (++p->depth > EXPRESSION_MOST_DEPTH)
        return fail(p, "the expression is too deep");
    expect_number(p, parse_not(p));
    p->depth--;
    emit(p, NOT, 0, 0);
    return NUMBER;
}

static kind parse_and(parser *p)
{
    static const rank r = {{"and", "&&", NULL}, {AND, AND}, parse_not};
    return parse_rank(p, &r);
}

static kind parse_or(parser *p)
{
    static const rank r = {{"or", "||", NULL}, {OR, OR}, parse_and};
    if (++p->depth > EXPRESSION_MOST_DEPTH)
        return fail(p, "the expression is too deep");
    const kind found = parse_rank(p, &r);
    p->depth--;
    return found;
}

bool clump_expression_compile(const char *text, const clump_expression_names *names,
                              clump_expression **expression, char *message, size_t message_size)
{
    parser p = {text, text, names, calloc(1, sizeof *p.out), message, message_size, 0, false};
    if (p.out == NULL) {
        snprintf(message, message_size, "out of memory");
        return false;
    }
    expect_number(&p, parse_or(&p));
    skip_blanks(&p);
    if (*p.at != '\0')
        fail(&p, "found '%.20s', expected an operator", p.at);
    if (p.failed) {
        free(p.out);
        return false;
    }
    *expression = p.out;
    return true;
}

void clump_expression_free(clump_expression *expression)
{
    free(expression);
}
