/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Intel MPI Benchmarks. "# Benchmarking NAME", "# #processes = P", names of columns, rows, an empty
 * line; at the end of the file "# All processes entering MPI_Finalize". Mbytes are 10^6 bytes from
 * version 2018 on, before that 2^20.
 */
#include "data/import/import_format.h"
#include "data/import/import_remarks.h"
#include "data/import/import_table.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { COLUMNS = 16 };

typedef struct reader {
    clump_import_text *text;
    clump_import_log *log;
    double megabyte;
    char name[100];
    int64_t processes;
    clump_import_column columns[COLUMNS];
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

/* Rates only repeat what a column of times says. */
static void finish_columns(reader *r)
{
    const bool both = strcmp(r->name, "IMB Biband") == 0;
    const char *time = strcmp(r->name, "IMB PingPong") == 0 ? "half_round_trip" : "operation_time";
    for (size_t i = 0; i < r->count; i++) {
        clump_import_column *c = &r->columns[i];
        if (c->quantity == NULL)
            continue;
        if (strcmp(c->quantity, "time") == 0)
            c->quantity = time;
        else if (r->timed)
            c->quantity = NULL;
        else if (c->of_bytes) {
            c->quantity = both ? "transfer_rate_both_ways" : "transfer_rate";
            c->factor = r->megabyte / 1e6;
        }
    }
}

static bool read_names(reader *r, char *line)
{
    static const struct {
        const char *name;
        clump_import_column column;
    } known[] = {
        {"#bytes", {.kind = CLUMP_COLUMN_SIZE}},
        {"#repetitions", {.kind = CLUMP_COLUMN_TIMES}},
        {"t[usec]", {.kind = CLUMP_COLUMN_VALUE, .quantity = "time"}},
        {"t_min[usec]", {.kind = CLUMP_COLUMN_VALUE, .quantity = "time", .statistic = "min"}},
        {"t_max[usec]", {.kind = CLUMP_COLUMN_VALUE, .quantity = "time", .statistic = "max"}},
        {"t_avg[usec]", {.kind = CLUMP_COLUMN_VALUE, .quantity = "time"}},
        {"Mbytes/sec", {.kind = CLUMP_COLUMN_VALUE, .quantity = "rate", .of_bytes = true}},
        {"Msg/sec", {.kind = CLUMP_COLUMN_VALUE, .quantity = "message_rate", .divisor = 1e6}},
        {"defects", {.kind = CLUMP_COLUMN_DEFECTS}},
    };
    enum { KNOWN = sizeof known / sizeof *known };
    char *words[CLUMP_IMPORT_WORDS];
    const size_t count = clump_import_words(line, words);
    if (r->name[0] == '\0')
        return clump_import_fail(r->log, "found a table, expected '# Benchmarking' before it");
    if (count > COLUMNS)
        return clump_import_fail(r->log, "found %zu columns, expected at most %d", count, COLUMNS);
    r->timed = false;
    for (size_t i = 0; i < count; i++) {
        size_t k = 0;
        while (k < KNOWN && strcmp(known[k].name, words[i]) != 0)
            k++;
        r->columns[i] = k < KNOWN ? known[k].column : (clump_import_column){0};
        r->timed = r->timed || strncmp(words[i], "t", 1) == 0;
        if (k == KNOWN && !clump_import_notice(r->log, "column '%.40s' is not imported", words[i]))
            return false;
    }
    r->count = count;
    finish_columns(r);
    clump_import_log_begin(r->log);
    if (!r->timed && !r->told && r->text->hints.window == 0) {
        r->told = true;
        return clump_import_notice(r->log, "%s does not say its window: give it with --window",
                                   r->name);
    }
    return true;
}

static bool fail_without_end(const reader *r, const char *found)
{
    return clump_import_fail(r->log,
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

/* Rows in which IMB says that there is no result. */
static bool is_missing(const char *line)
{
    return strstr(line, "time-out.;") != NULL || strstr(line, "out-of-mem.;") != NULL ||
           strstr(line, "int-overflow.;") != NULL;
}

static bool read_row(reader *r, char *line)
{
    char shown[61];
    clump_import_copy(shown, sizeof shown, line);
    if (is_missing(line))
        return clump_import_notice(r->log, "skipped '%s...': the tool has no result", shown);
    if (clump_import_is_remark(r->text, line))
        return clump_import_skip_remark(r->log, shown, &r->told_remark);
    const char *first = line + strspn(line, " \t");
    if (*first < '0' || *first > '9')
        return clump_import_fail(
            r->log, "found '%s', expected a row of results: the run may have crashed", shown);
    const clump_import_key key = {.benchmark = r->name,
                                  .window = r->timed ? 0 : r->text->hints.window,
                                  .processes = r->processes};
    return clump_import_row(r->log, line, r->columns, r->count, &key, NULL);
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
            good =
                clump_import_is_remark(text, line)
                    ? clump_import_skip_remark(log, line, &r.told_remark)
                    : clump_import_fail(
                          log, "found '%.60s', expected a table: the run may have crashed", first);
        }
        if (!good)
            return false;
    }
    if (!r.ended)
        return fail_without_end(&r, "the end of the file");
    return clump_import_text_is_whole(text, log);
}

const clump_import_format clump_import_imb = {"imb", "Intel MPI Benchmarks", recognize, parse};
