/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Intel MPI Benchmarks. "# Benchmarking NAME", "# #processes = P", names of columns, rows, an empty
 * line; at the end of the file "# All processes entering MPI_Finalize". Mbytes are 10^6 bytes from
 * version 2018 on, before that 2^20.
 */
#include "data/import/import_format.h"
#include "data/import/import_remarks.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { COLUMNS = 16 };

typedef enum column_kind { BYTES, REPETITIONS, TIME, RATE, MESSAGES, DEFECTS, IGNORED } column_kind;

typedef struct column {
    column_kind kind;
    const char *statistic;
} column;

typedef struct reader {
    clump_import_text *text;
    clump_import_log *log;
    double megabyte;
    char name[100];
    int64_t processes;
    column columns[COLUMNS];
    size_t count; /* 0: not in a table */
    bool timed;   /* it has a column of times; rates only repeat them */
    bool calling; /* the next line with text is the command */
    bool ended;
    bool told, told_remark;
} reader;

static bool recognize(const clump_import_text *text)
{
    return clump_import_text_has(text, "MPI Benchmarks ", 100) &&
           (clump_import_text_has(text, "Intel(R)", 100) ||
            clump_import_text_has(text, "Intel (R)", 100));
}

static void read_version(reader *r, const char *line)
{
    const char *version = strstr(line, "MPI Benchmarks ");
    version += strlen("MPI Benchmarks ");
    version += strcspn(version, "0123456789");
    clump_import_copy(r->log->version, sizeof r->log->version, version);
    r->log->version[strcspn(r->log->version, ", ")] = '\0';
    r->megabyte = strtol(r->log->version, NULL, 10) >= 2018 ? 1e6 : 1048576;
}

static bool read_names(reader *r, char *line)
{
    static const struct {
        const char *name;
        column column;
    } known[] = {
        {"#bytes", {BYTES, NULL}},      {"#repetitions", {REPETITIONS, NULL}},
        {"t[usec]", {TIME, "mean"}},    {"t_min[usec]", {TIME, "min"}},
        {"t_max[usec]", {TIME, "max"}}, {"t_avg[usec]", {TIME, "mean"}},
        {"Mbytes/sec", {RATE, "mean"}}, {"Msg/sec", {MESSAGES, "mean"}},
        {"defects", {DEFECTS, NULL}},
    };
    enum { KNOWN = sizeof known / sizeof *known };
    char *words[CLUMP_IMPORT_WORDS];
    const size_t count = clump_import_words(line, words);
    if (r->name[0] == '\0') {
        return clump_import_fail(r->log, r->text->line,
                                 "found a table, expected '# Benchmarking' before it");
    }
    if (count > COLUMNS) {
        return clump_import_fail(r->log, r->text->line, "found %zu columns, expected at most %d",
                                 count, COLUMNS);
    }
    r->timed = false;
    for (size_t i = 0; i < count; i++) {
        size_t k = 0;
        while (k < KNOWN && strcmp(known[k].name, words[i]) != 0)
            k++;
        r->columns[i] = k < KNOWN ? known[k].column : (column){IGNORED, NULL};
        r->timed = r->timed || r->columns[i].kind == TIME;
        if (k == KNOWN &&
            !clump_import_notice(r->log, r->text->line, "column '%.40s' is not imported", words[i]))
            return false;
    }
    r->count = count;
    clump_import_log_begin(r->log);
    if (!r->timed && !r->told && r->text->hints.window == 0) {
        r->told = true;
        return clump_import_notice(r->log, r->text->line,
                                   "%s does not say its window: give it with --window", r->name);
    }
    return true;
}

static bool fail_without_end(const reader *r, const char *found)
{
    return clump_import_fail(r->log, r->text->line,
                             "found %s, expected '# All processes entering MPI_Finalize': the log "
                             "is truncated or the run crashed",
                             found);
}

static bool read_comment(reader *r, const char *line)
{
    const char *after = clump_import_after(line, "# Benchmarking ");
    if (after != NULL) {
        char name[90];
        clump_import_copy(name, sizeof name, after);
        snprintf(r->name, sizeof r->name, "IMB %s", name);
        r->count = 0;
        r->processes = 0;
        r->ended = false;
        return true;
    }
    after = clump_import_after(line, "# #processes =");
    if (after != NULL) {
        const long processes = strtol(after, NULL, 10);
        r->processes = processes > 0 ? processes : 0;
    } else if (strstr(line, "MPI Benchmarks ") != NULL && strstr(line, "Intel") != NULL) {
        if (r->name[0] != '\0' && !r->ended)
            return fail_without_end(r, "the title of another run");
        read_version(r, line);
    } else if (strstr(line, "All processes entering MPI_Finalize") != NULL) {
        r->ended = true;
    } else if (clump_import_after(line, "# Calling sequence was:") != NULL) {
        r->calling = true;
    } else if (r->calling && line[1] != '\0') {
        clump_import_copy(r->log->command, sizeof r->log->command, line + 1);
        r->calling = false;
    }
    return true;
}

static const char *time_quantity(const reader *r)
{
    return strcmp(r->name, "IMB PingPong") == 0 ? "half_round_trip" : "operation_time";
}

static bool add(reader *r, const column *c, const char *quantity, double value, int64_t size,
                int64_t repetitions)
{
    const clump_import_key key = {.quantity = quantity,
                                  .statistic = c->statistic,
                                  .benchmark = r->name,
                                  .window = r->timed ? 0 : r->text->hints.window,
                                  .processes = r->processes};
    const clump_import_sample sample = clump_import_sample_of(value, size, repetitions);
    return clump_import_log_add(r->log, r->text->line, &key, &sample);
}

static bool add_value(reader *r, const column *c, const char *word, int64_t size,
                      int64_t repetitions)
{
    double value = 0;
    if (!clump_import_amount(r->log, r->text->line, word, "a number", &value))
        return false;
    if (c->kind == DEFECTS && value != 0) {
        return clump_import_fail(r->log, r->text->line,
                                 "found %s defects, expected none: data arrived damaged", word);
    }
    if (c->kind == TIME)
        return add(r, c, time_quantity(r), value, size, repetitions);
    const bool both = strcmp(r->name, "IMB Biband") == 0;
    if (c->kind == RATE && !r->timed && size > 0) {
        return add(r, c, both ? "transfer_rate_both_ways" : "transfer_rate",
                   value * (r->megabyte / 1e6), size, repetitions);
    }
    if (c->kind == MESSAGES && !r->timed)
        return add(r, c, "message_rate", value / 1e6, size, repetitions);
    return true;
}

/* Rows in which IMB says that there is no result. */
static bool is_missing(const char *line)
{
    return strstr(line, "time-out.;") != NULL || strstr(line, "out-of-mem.;") != NULL ||
           strstr(line, "int-overflow.;") != NULL;
}

static bool read_row(reader *r, char *line)
{
    const size_t at = r->text->line;
    char shown[61];
    clump_import_copy(shown, sizeof shown, line);
    if (is_missing(line))
        return clump_import_notice(r->log, at, "skipped '%s...': the tool has no result", shown);
    if (clump_import_is_remark(r->text, line))
        return clump_import_skip_remark(r->log, at, shown, &r->told_remark);
    char *words[CLUMP_IMPORT_WORDS];
    const size_t count = clump_import_words(line, words);
    if (words[0][0] < '0' || words[0][0] > '9') {
        return clump_import_fail(
            r->log, at, "found '%s', expected a row of results: the run may have crashed", shown);
    }
    if (count != r->count)
        return clump_import_fail(r->log, at, "found '%s', expected %zu columns", shown, r->count);
    int64_t size = -1;
    int64_t repetitions = 0;
    for (size_t i = 0; i < count; i++)
        if ((r->columns[i].kind == BYTES &&
             !clump_import_whole(r->log, at, words[i], "a size", &size)) ||
            (r->columns[i].kind == REPETITIONS &&
             !clump_import_whole(r->log, at, words[i], "repetitions", &repetitions)))
            return false;
    for (size_t i = 0; i < count; i++)
        if (r->columns[i].kind >= TIME && r->columns[i].kind != IGNORED &&
            !add_value(r, &r->columns[i], words[i], size, repetitions))
            return false;
    return true;
}

static bool parse(clump_import_text *text, clump_import_log *log)
{
    reader r = {.text = text, .log = log, .megabyte = 1e6};
    char *line;
    while ((line = clump_import_text_next(text)) != NULL) {
        const char *first = line + strspn(line, " \t");
        bool good = true;
        if (*first == '\0') {
            r.count = 0;
        } else if (strncmp(first, "#bytes", 6) == 0 || strncmp(first, "#repetitions", 12) == 0) {
            good = read_names(&r, line);
        } else if (*line == '#') {
            good = read_comment(&r, line);
        } else if (r.count > 0) {
            good = read_row(&r, line);
        } else if (r.name[0] != '\0' && !r.ended) { /* before and after: what mpirun has to say */
            good = clump_import_is_remark(text, line)
                       ? clump_import_skip_remark(log, text->line, line, &r.told_remark)
                       : clump_import_fail(
                             log, text->line,
                             "found '%.60s', expected a table: the run may have crashed", first);
        }
        if (!good)
            return false;
    }
    if (!r.ended)
        return fail_without_end(&r, "the end of the file");
    return clump_import_text_is_whole(text, log);
}

const clump_import_format clump_import_imb = {"imb", "Intel MPI Benchmarks", recognize, parse};
