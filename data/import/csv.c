/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * CSV with a line of names. Columns "value" and "unit" must be there; "size", "quantity",
 * "statistic", "benchmark", "variant", "window", "processes", "run", "iterations", "delay_us",
 * "half_width" and "std_dev" can be. Lines that begin with '#' are comments. Sizes do not go
 * backwards within a run.
 */
#include "data/csv.h"
#include "data/import/import_format.h"
#include "data/units.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef enum place {
    VALUE,
    UNIT,
    SIZE,
    QUANTITY,
    STATISTIC,
    BENCHMARK,
    VARIANT,
    WINDOW,
    PROCESSES,
    RUN,
    ITERATIONS,
    DELAY,
    HALF_WIDTH,
    STD_DEV,
    PLACES
} place;

static const clump_csv_name names[] = {{"value", VALUE},         {"unit", UNIT},
                                       {"size", SIZE},           {"size_bytes", SIZE},
                                       {"bytes", SIZE},          {"quantity", QUANTITY},
                                       {"statistic", STATISTIC}, {"benchmark", BENCHMARK},
                                       {"variant", VARIANT},     {"window", WINDOW},
                                       {"processes", PROCESSES}, {"run", RUN},
                                       {"repetition", RUN},      {"iterations", ITERATIONS},
                                       {"delay_us", DELAY},      {"half_width", HALF_WIDTH},
                                       {"std_dev", STD_DEV},     {NULL, 0}};

typedef struct reader {
    clump_import_log *log;
    const clump_import_hints *hints;
    clump_csv csv;
    int column[PLACES]; /* -1: not there */
    int64_t run;        /* of the last row; 0: none */
    bool told;          /* what the quantity is taken for */
} reader;

/* The first line that is no comment names a column "value". */
static bool recognize(const clump_import_text *text)
{
    const char *line = text->bytes;
    while (*line == '#' || *line == '\n') {
        line += strcspn(line, "\n");
        line += *line == '\n';
    }
    const char *found = strstr(line, "value");
    return found != NULL && (size_t)(found - line) < strcspn(line, "\n");
}

static bool read_names(reader *r)
{
    const clump_csv_status status = clump_csv_next(&r->csv);
    if (status != CLUMP_CSV_ROW) {
        return clump_import_fail(r->log, r->csv.line, "found no line of names, expected one%s%s",
                                 r->csv.message[0] != '\0' ? ": " : "", r->csv.message);
    }
    for (size_t i = 0; i < PLACES; i++)
        r->column[i] = -1;
    clump_csv_naming named;
    for (size_t next = 0;
         (named = clump_csv_name_columns(&r->csv, names, r->column, &next)) != CLUMP_CSV_NAMED;) {
        const char *name = r->csv.field[next - 1].text;
        if (named == CLUMP_CSV_TWICE) {
            return clump_import_fail(r->log, r->csv.line,
                                     "found two columns of names like '%.40s', expected one", name);
        }
        if (strcmp(name, "platform") == 0 || strcmp(name, "application") == 0 ||
            strcmp(name, "transport") == 0) {
            return clump_import_fail(r->log, r->csv.line,
                                     "found a column '%s', expected none: a file is of one %s, "
                                     "which --%s says",
                                     name, name, name);
        }
        if (!clump_import_notice(r->log, r->csv.line, "column '%.40s' is not imported", name))
            return false;
    }
    if (r->column[VALUE] < 0 || r->column[UNIT] < 0) {
        const bool semicolons = strchr(r->csv.field[0].text, ';') != NULL;
        return clump_import_fail(r->log, r->csv.line,
                                 "found no column '%s', expected at least "
                                 "'value' and 'unit'%s",
                                 r->column[VALUE] < 0 ? "value" : "unit",
                                 semicolons ? ", separated by commas, not by semicolons" : "");
    }
    return true;
}

static const char *field(const reader *r, place which)
{
    return clump_csv_value(&r->csv, r->column[which]);
}

static bool read_whole(reader *r, place which, const char *what, int64_t *value)
{
    const char *text = field(r, which);
    return text == NULL || clump_import_whole(r->log, r->csv.line, text, what, value);
}

static bool read_amount(reader *r, place which, const char *what, double *value)
{
    const char *text = field(r, which);
    return text == NULL || clump_import_amount(r->log, r->csv.line, text, what, value);
}

/* What a value in this unit most likely is. */
static const char *guess_quantity(const char *unit)
{
    static const char *const guesses[][2] = {
        {"us", "half_round_trip"}, {"B/us", "transfer_rate"}, {"1/us", "message_rate"}};
    double unused;
    for (size_t i = 0; i < 3; i++)
        if (clump_unit_convert(1, unit, guesses[i][0], &unused) == CLUMP_UNIT_OK)
            return guesses[i][1];
    return NULL;
}

static bool find_quantity(reader *r, clump_import_key *key)
{
    double unused;
    if (key->unit == NULL ||
        clump_unit_convert(1, key->unit, key->unit, &unused) != CLUMP_UNIT_OK) {
        return clump_import_fail(r->log, r->csv.line, "found unit '%.40s', expected one of %s",
                                 key->unit != NULL ? key->unit : "", clump_unit_names());
    }
    key->quantity = field(r, QUANTITY) != NULL ? field(r, QUANTITY) : r->hints->quantity;
    if (key->quantity != NULL)
        return true;
    key->quantity = guess_quantity(key->unit);
    if (key->quantity == NULL) {
        return clump_import_fail(r->log, r->csv.line,
                                 "found no quantity, expected a column "
                                 "'quantity' or --quantity");
    }
    if (!r->told) {
        r->told = true;
        return clump_import_notice(r->log, r->csv.line,
                                   "values in %.20s are taken for %s; say "
                                   "otherwise with --quantity",
                                   key->unit, key->quantity);
    }
    return true;
}

static bool read_row(reader *r, bool of_application)
{
    const size_t line = r->csv.line;
    clump_import_sample sample = clump_import_sample_of(0, -1, 0);
    clump_import_key key = {.statistic = field(r, STATISTIC),
                            .benchmark = field(r, BENCHMARK),
                            .variant = field(r, VARIANT),
                            .unit = field(r, UNIT),
                            .window = r->hints->window,
                            .of_application = of_application};
    const char *value = field(r, VALUE);
    if (!find_quantity(r, &key) ||
        !clump_import_number(r->log, line, value != NULL ? value : "", "a number", &sample.value) ||
        !read_whole(r, SIZE, "a size in bytes", &sample.size_bytes) ||
        !read_whole(r, WINDOW, "a window", &key.window) ||
        !read_whole(r, PROCESSES, "a number of processes", &key.processes) ||
        !read_whole(r, RUN, "the number of a run", &sample.run) ||
        !read_whole(r, ITERATIONS, "a number of iterations", &sample.iterations) ||
        !read_amount(r, DELAY, "a delay", &sample.delay_us) ||
        !read_amount(r, HALF_WIDTH, "a half-width", &sample.half_width) ||
        !read_amount(r, STD_DEV, "a standard deviation", &sample.std_dev))
        return false;
    if (sample.run != r->run) {
        clump_import_log_begin(r->log);
        r->run = sample.run;
    }
    if (sample.value < 0 && sample.size_bytes >= 0 && strcmp(key.quantity, "latency") != 0) {
        double unused;
        if (clump_unit_convert(1, key.unit, "us", &unused) == CLUMP_UNIT_OK &&
            strncmp(key.quantity, "fitted_", 7) != 0) {
            return clump_import_fail(r->log, line, "found %.40s, expected a time of 0 or more",
                                     value);
        }
    }
    return clump_import_log_add(r->log, line, &key, &sample);
}

static bool read_all(reader *r, bool of_application)
{
    if (!read_names(r))
        return false;
    clump_import_log_begin(r->log);
    clump_csv_status status;
    while ((status = clump_csv_next(&r->csv)) == CLUMP_CSV_ROW)
        if (!read_row(r, of_application))
            return false;
    return status == CLUMP_CSV_END ||
           clump_import_fail(r->log, r->csv.line,
                             "%s (a decimal comma, or a line that is cut off, "
                             "looks like this)",
                             r->csv.message);
}

static bool parse(clump_import_text *text, clump_import_log *log)
{
    reader *r = malloc(sizeof *r);
    if (r == NULL)
        return clump_import_fail_memory(log);
    r->log = log;
    r->hints = &text->hints;
    r->run = 0;
    r->told = false;
    log->tool = NULL;
    log->repeats = true;
    clump_csv_start(&r->csv, text->bytes, text->size, true);
    const bool good = read_all(r, text->hints.of_application);
    text->line = r->csv.line;
    free(r);
    return good;
}

const clump_import_format clump_import_csv = {"csv", "CSV", recognize, parse};
