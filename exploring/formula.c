/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "exploring/formula.h"

#include <math.h>
#include <omp.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    MOST_COLUMNS = 64,
    MOST_TEXT = 4000,
    MOST_DEPTH = 50,
    MOST_PATTERN = 100,
    MOST_BYTES = 1 << 20
};

struct clump_formula {
    clump_formula_columns columns;
    int used[MOST_COLUMNS]; /* columns for which ?1, ?2, ... stand */
    size_t used_count;
    const char *text;          /* of the user; while it is compiled */
    size_t most;               /* expressions */
    int selects;               /* likewise: met */
    sqlite3_stmt **statements; /* of each thread, with connections of their own; a row of values */
    int threads;
};

/* ---- the text as SQLite is told it: names of columns are parameters */

/* The parameter that stands for a column; 0: there is no such column. */
static size_t find_parameter(clump_formula *f, const char *word, size_t length)
{
    char name[64];
    size_t i = 0;
    snprintf(name, sizeof name, "%.*s", (int)length, word);
    const int column = length < sizeof name ? f->columns.find(name, f->columns.context) : -1;
    while (i < f->used_count && f->used[i] != column)
        i++;
    if (column < 0 || i == MOST_COLUMNS)
        return 0;
    f->used[i] = column;
    f->used_count += i == f->used_count;
    return i + 1;
}

/* Write what begins at `text`: a text in quotes, a number, a word or a sign; its length. */
static size_t translate_one(clump_formula *f, const char *text, sqlite3_str *to)
{
    static const char digits[] = "0123456789",
                      letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789";
    size_t length = 1, parameter = 0;
    bool whole = false;
    if (*text == '\'' || *text == '"') {
        length += strcspn(text + 1, (char[]){*text, '\0'});
        length += text[length] != '\0';
    } else if (strchr(digits, *text) != NULL || *text == '.') {
        length = strspn(text, digits);
        whole = strchr(".eE", text[length]) == NULL || text[length] == '\0';
        length += text[length] == '.' ? 1 + strspn(text + length + 1, digits) : 0;
        if (text[length] == 'e' || text[length] == 'E')
            length += 1 + (text[length + 1] == '-' || text[length + 1] == '+');
        length += strspn(text + length, digits);
    } else if ((*text == '|' || *text == '&') && text[1] == *text) { /* SQL joins texts with || */
        sqlite3_str_appendall(to, *text == '|' ? " or " : " and ");
        return 2;
    } else if (strchr(letters, *text) != NULL) {
        length = strspn(text, letters);
        if (text[length + strspn(text + length, " ")] != '(')
            parameter = find_parameter(f, text, length);
    }
    if (parameter > 0)
        sqlite3_str_appendf(to, "?%d", (int)parameter);
    else
        sqlite3_str_appendf(to, "%.*s%s", (int)length, text, whole ? ".0" : "");
    return length;
}

static const char beginning[] = "SELECT ";

/* NULL: no memory. */
static char *translate(clump_formula *f, const char *text)
{
    sqlite3_str *to = sqlite3_str_new(NULL);
    sqlite3_str_appendall(to, beginning);
    while (*text != '\0')
        text += translate_one(f, text, to);
    return sqlite3_str_finish(to);
}

/* ---- what it may do */

static const char known_functions[] = "abs, exp, like, log, max, min, pow, round, sqrt";

static bool is_known(const char *function)
{
    char item[80], list[sizeof known_functions + 2];
    snprintf(item, sizeof item, " %s,", function);
    snprintf(list, sizeof list, " %s,", known_functions);
    return strstr(list, item) != NULL;
}

/* SQLite's has base 10. */
static void take_logarithm(sqlite3_context *context, int count, sqlite3_value **values)
{
    (void)count;
    if (sqlite3_value_type(values[0]) != SQLITE_NULL)
        sqlite3_result_double(context, log(sqlite3_value_double(values[0])));
}

static int authorize(void *formula, int action, const char *unused, const char *function,
                     const char *database, const char *trigger)
{
    clump_formula *f = formula;
    (void)unused;
    (void)database;
    (void)trigger;
    if (action == SQLITE_SELECT)
        return f->selects++ == 0 ? SQLITE_OK : SQLITE_DENY;
    return action == SQLITE_FUNCTION && is_known(function) ? SQLITE_OK : SQLITE_DENY;
}

static int open_connection(clump_formula *f, sqlite3 **db)
{
    int rc = sqlite3_open_v2(":memory:", db, SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX, NULL);
    if (rc == SQLITE_OK)
        rc = sqlite3_create_function(*db, "log", 1, SQLITE_UTF8 | SQLITE_DETERMINISTIC, NULL,
                                     take_logarithm, NULL, NULL);
    if (rc != SQLITE_OK)
        return rc;
    sqlite3_db_config(*db, SQLITE_DBCONFIG_DQS_DML, 1, NULL); /* "texts" are in either quotes */
    sqlite3_limit(*db, SQLITE_LIMIT_EXPR_DEPTH, MOST_DEPTH);
    sqlite3_limit(*db, SQLITE_LIMIT_LIKE_PATTERN_LENGTH, MOST_PATTERN);
    sqlite3_limit(*db, SQLITE_LIMIT_LENGTH, MOST_BYTES);
    f->selects = 0;
    return sqlite3_set_authorizer(*db, authorize, f);
}

/* ---- compiling */

/* The word of the user's that became what stands at this place of the expressions told to SQLite, and its length. */
static size_t find_word(clump_formula *f, int place, const char **word)
{
    sqlite3_str *to = sqlite3_str_new(NULL);
    size_t length = 0;
    *word = f->text;
    while (**word != '\0' && sqlite3_str_length(to) <= place) {
        *word += length;
        length = **word != '\0' ? translate_one(f, *word, to) : 0;
    }
    sqlite3_free(sqlite3_str_finish(to));
    return length;
}

static void explain(clump_formula *f, const char *reason, int place, char *message, size_t size)
{
    const char *word = NULL;
    const size_t length = place >= 0 ? find_word(f, place, &word) : 0;
    static const char no_column[] = "no such column: ";
    const char *name = reason + sizeof no_column - 1, *similar = NULL;
    if (strncmp(reason, no_column, sizeof no_column - 1) == 0) {
        if (f->columns.similar != NULL)
            similar = f->columns.similar(name, f->columns.context);
        snprintf(message, size, "there is no column '%s'%s%s%s", name,
                 similar != NULL ? "; did you mean '" : "", similar != NULL ? similar : "",
                 similar != NULL ? "'?" : "");
    } else {
        /* in place of what SQLite saw: near "?2": syntax error */
        size_t before = length > 0 ? (size_t)(word - f->text) : 0;
        while (before > 0 && f->text[before - 1] == ' ')
            before--;
        char place_of[160] = "";
        if (length > 0 && strncmp(reason, "near ", 5) == 0) {
            snprintf(place_of, sizeof place_of,
                     before > 0 ? "'%.*s' is not expected behind '%.*s'"
                                : "'%.*s' is not expected at the beginning",
                     (int)length, word, (int)before, f->text);
            reason = place_of;
        }
        snprintf(message, size,
                 "%s; there are columns, numbers, texts in quotes, SQL's operators, "
                 "and %s%s",
                 reason, known_functions, f->most > 1 ? "; commas between expressions" : "");
    }
}

static bool compile(clump_formula *f, const char *sql, sqlite3_stmt **statement, char *message,
                    size_t size)
{
    sqlite3 *db = NULL;
    const char *rest = "";
    int rc = open_connection(f, &db);
    if (rc == SQLITE_OK)
        rc = sqlite3_prepare_v3(db, sql, -1, SQLITE_PREPARE_PERSISTENT, statement, &rest);
    if (rc == SQLITE_OK && *rest == '\0')
        return true;
    if (rc == SQLITE_NOMEM || db == NULL)
        snprintf(message, size, "out of memory");
    else
        explain(f, rc == SQLITE_OK ? "found ';'" : sqlite3_errmsg(db),
                rc == SQLITE_OK
                    ? -1
                    : sqlite3_error_offset(db) - (int)(strchr(sql, ' ') + 1 - sql) - (*sql == 'V'),
                message, size);
    sqlite3_finalize(*statement);
    sqlite3_close(db);
    *statement = NULL;
    return false;
}

bool clump_formula_make(const char *text, size_t most, const clump_formula_columns *columns,
                        int threads, clump_formula **formula, char *message, size_t size)
{
    clump_formula *f = calloc(1, sizeof *f);
    char *sql = NULL, *row = NULL;
    bool done = f != NULL && (f->statements = calloc((size_t)threads + 1, sizeof(void *))) != NULL;
    if (done) {
        f->columns = *columns;
        f->text = text;
        f->most = most;
        f->threads = threads;
        done = strlen(text) <= MOST_TEXT && (sql = translate(f, text)) != NULL &&
               (row = sqlite3_mprintf("VALUES (%s\n)", sql + sizeof beginning - 1)) != NULL;
    }
    snprintf(message, size, strlen(text) > MOST_TEXT ? "it is too long" : "out of memory");
    /* a SELECT also has other names of columns (desc is one of them), and LIMIT: values have not */
    for (int i = 0; i <= threads && done; i++)
        done = compile(f, i < threads ? sql : row, &f->statements[i], message, size);
    if (done && clump_formula_count(f) > most) {
        snprintf(message, size, "found %zu expressions, expected %zu at most",
                 clump_formula_count(f), most);
        done = false;
    }
    sqlite3_free(sql);
    sqlite3_free(row);
    *formula = f;
    if (!done) {
        clump_formula_free(f);
        *formula = NULL;
    }
    return done;
}

void clump_formula_free(clump_formula *f)
{
    for (int i = 0; f != NULL && f->statements != NULL && i <= f->threads; i++) {
        sqlite3 *db = f->statements[i] != NULL ? sqlite3_db_handle(f->statements[i]) : NULL;
        sqlite3_finalize(f->statements[i]);
        sqlite3_close(db);
    }
    if (f != NULL)
        free(f->statements);
    free(f);
}

size_t clump_formula_count(const clump_formula *f)
{
    return (size_t)sqlite3_column_count(f->statements[0]);
}

/* ---- evaluation */

/* To so many digits, as the C library prints them. */
static double round_to(double value, int digits)
{
    static const double margin =
        1e-3; /* of the last digit: nearer to its half only the C library can tell */
    const double size = fabs(value);
    if (!(size > 0 && isfinite(size)))
        return value;
    const int shift = digits - 1 - (int)floor(log10(size));
    if (shift >= 0 && shift <= 22) { /* 10^22 is the last power that a double holds */
        const double power = pow(10, shift), scaled = size * power;
        if (fabs(scaled - floor(scaled) - 0.5) > margin)
            return copysign(nearbyint(scaled) / power, value);
    }
    char text[40];
    snprintf(text, sizeof text, "%.*g", digits, value);
    return strtod(text, NULL);
}

/* Digits that rounding has not touched, and that two numbers have in common which only it tells apart. */
static int sure_digits(double accuracy)
{
    const double digits = floor(-log10(2 * accuracy));
    return digits < 15 ? (int)digits : 15;
}

void clump_formula_evaluate(const clump_formula *f, const void *row, bool rounded, double *values)
{
    const clump_formula_columns *c = &f->columns;
    sqlite3_stmt *s = f->statements[omp_get_thread_num()];
    const int count = sqlite3_column_count(s);
    const int digits = rounded ? sure_digits(c->accuracy(row, c->context)) : 0;
    for (size_t i = 0; i < f->used_count; i++) {
        const clump_formula_value v = c->value(f->used[i], row, c->context);
        const int at = (int)i + 1;
        if (v.text != NULL)
            sqlite3_bind_text(s, at, v.text, -1, SQLITE_STATIC);
        else /* NAN is NULL */
            sqlite3_bind_double(s, at, rounded ? round_to(v.number, digits) : v.number);
    }
    const bool is_row = sqlite3_step(s) == SQLITE_ROW;
    for (int i = 0; i < count; i++) {
        const int type = is_row ? sqlite3_column_type(s, i) : SQLITE_NULL;
        values[i] =
            type == SQLITE_FLOAT || type == SQLITE_INTEGER ? sqlite3_column_double(s, i) : NAN;
    }
    sqlite3_reset(s);
}
