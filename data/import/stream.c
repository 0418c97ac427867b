/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * STREAM (J. D. McCalpin), in C and Fortran, as it was or with a few lines more:
 *   STREAM version $Revision: 5.10 $
 *   Number of Threads counted = 4
 *   Each kernel will be executed 10 times.
 *   Function    Best Rate MB/s  Avg time     Min time     Max time
 *   Copy:           34854.5     0.010152     0.009181     0.012097
 *   Solution Validates: avg error less than 1.000000e-13 on all three arrays
 * MB are 10^6 bytes; rates are those of the shortest of all times but the first. Without OpenMP
 * nothing is said of threads. A file may have the output of several runs, of 1 to P threads: a curve.
 */
#include "data/import/import_format.h"

#include <stdio.h>
#include <string.h>

enum { KERNELS = 4 };

static const struct {
    const char *label, *variant;
} kernels[KERNELS] = {{"Copy:", "copy"}, {"Scale:", "scale"}, {"Add:", "add"}, {"Triad:", "triad"}};

typedef struct reader {
    clump_import_text *text;
    clump_import_log *log;
    int64_t threads, counted; /* that were asked for, that ran; 0: not said */
    int64_t times;            /* 0: not said */
    bool ranks;               /* of several processes */
    bool table, wrong;        /* in a table; its arrays were damaged */
    size_t found;             /* rows of the table */
    double rates[KERNELS];
    size_t lines[KERNELS];
} reader;

static bool recognize(const clump_import_text *text)
{
    return clump_import_text_has(text, "STREAM version $Revision:", 20000) ||
           clump_import_text_has(text, "STREAM Version $Revision:", 20000);
}

/* ---- a table, when all of it is known */

static int64_t processes_of(const reader *r)
{
    const int64_t said = r->counted > 0 ? r->counted : r->threads;
    if (r->text->hints.processes > 0 && (said == 0 || r->ranks))
        return r->text->hints.processes;
    return said > 0 ? said : 1;
}

static bool end_table(reader *r)
{
    if (!r->table)
        return true;
    if (r->found < KERNELS)
        return clump_import_fail(r->log,
                                 "found a table that ends before '%s', expected four rows: the log "
                                 "is truncated, or the run has crashed",
                                 kernels[r->found].label);
    if (r->ranks && r->text->hints.processes == 0)
        return clump_import_fail_at(r->log, r->lines[0],
                                    "found a run of several MPI ranks, expected --processes, which "
                                    "says how many processes and threads there were");
    if (r->counted == 0 && r->threads == 0 && r->text->hints.processes == 0 &&
        !clump_import_notice_at(r->log, r->lines[0],
                                "the log does not say how many threads there were, as without "
                                "OpenMP: 1 is taken; --processes says it otherwise"))
        return false;
    if (r->wrong &&
        !clump_import_notice_at(r->log, r->lines[0],
                                "the run found wrong results: its rates are stored as doubtful"))
        return false;
    clump_import_log_begin(r->log);
    for (size_t i = 0; i < KERNELS; i++) {
        const clump_import_key key = {.quantity = "memory_bandwidth",
                                      .statistic = "max",
                                      .benchmark = "stream",
                                      .variant = kernels[i].variant,
                                      .processes = processes_of(r)};
        clump_import_sample sample =
            clump_import_sample_of(r->rates[i], -1, r->times > 1 ? r->times - 1 : 0);
        sample.doubtful = r->wrong;
        sample.line = r->lines[i];
        if (!clump_import_log_add(r->log, &key, &sample))
            return false;
    }
    r->table = false;
    return true;
}

/* ---- lines */

static bool read_row(reader *r, char *line)
{
    static const char *const whats[] = {"a rate", "a time", "a time", "a time"};
    char *words[CLUMP_IMPORT_WORDS];
    double numbers[4];
    char shown[61];
    const size_t at = r->text->line;
    clump_import_copy(shown, sizeof shown, line);
    if (clump_import_words(line, words) != 5 || strcmp(words[0], kernels[r->found].label) != 0)
        return clump_import_fail(r->log,
                                 "found '%s', expected '%s', a rate and three times: the log is "
                                 "truncated, or the run has crashed",
                                 shown, kernels[r->found].label);
    for (size_t i = 0; i < 4; i++)
        if (!clump_import_amount(r->log, words[i + 1], whats[i], &numbers[i]))
            return false;
    if (!(numbers[0] > 0))
        return clump_import_fail(r->log, "found a rate of %s, expected more than 0", words[1]);
    if (numbers[2] > numbers[1] || numbers[1] > numbers[3])
        return clump_import_fail(r->log,
                                 "found %s, %s and %s, expected the mean of times, the least and "
                                 "the greatest",
                                 words[2], words[3], words[4]);
    r->rates[r->found] = numbers[0];
    r->lines[r->found++] = at;
    return true;
}

/* "STREAM version $Revision: 5.10 $": of a new run. */
static bool begin_run(reader *r, const char *revision)
{
    if (!end_table(r))
        return false;
    char version[sizeof r->log->version];
    clump_import_copy(version, sizeof version, revision);
    version[strcspn(version, " $")] = '\0';
    memcpy(r->log->version, version, sizeof version);
    *r = (reader){.text = r->text, .log = r->log};
    return true;
}

/* "counted = 4", "requested = 4" or "= 4". */
static bool read_threads(reader *r, const char *rest)
{
    const char *counted = clump_import_after(rest, "counted"),
               *requested = clump_import_after(rest, "requested"),
               *number = counted     ? counted
                         : requested ? requested
                                     : rest;
    int64_t threads = 0;
    number = clump_import_after(number, "=");
    if (number == NULL) /* of other words */
        return true;
    if (!clump_import_whole(r->log, number, "a number of threads", &threads))
        return false;
    if (threads < 1)
        return clump_import_fail(r->log, "found %s threads, expected 1 or more", number);
    *(counted ? &r->counted : &r->threads) = threads;
    return true;
}

/* "10 times", behind other words. */
static bool read_times(reader *r, const char *rest)
{
    char word[24];
    const size_t size = strcspn(rest, " ");
    if (size >= sizeof word)
        return true;
    memcpy(word, rest, size);
    word[size] = '\0';
    return clump_import_whole(r->log, word, "a number of times", &r->times);
}

static bool read_line(reader *r, char *line)
{
    static const char *const times[] = {"Each kernel will be executed", "Each test is run",
                                        "You are running each test"};
    const char *rest;
    if ((rest = clump_import_after(line, "STREAM version $Revision:")) != NULL ||
        (rest = clump_import_after(line, "STREAM Version $Revision:")) != NULL)
        return begin_run(r, rest);
    if (strncmp(line, "Function", 8) == 0 && strstr(line, "Rate") != NULL) {
        if (!end_table(r))
            return false;
        r->table = true;
        r->found = 0;
        r->wrong = false;
        return true;
    }
    if (r->table && r->found < KERNELS)
        return *line == '\0' || read_row(r, line);
    if ((rest = clump_import_after(line, "Number of Threads")) != NULL)
        return read_threads(r, rest);
    r->wrong |= r->table && clump_import_after(line, "Failed Validation") != NULL;
    r->ranks |= strstr(line, "MPI rank") != NULL || strstr(line, "MPI task") != NULL;
    for (size_t i = 0; i < sizeof times / sizeof *times; i++)
        if ((rest = clump_import_after(line, times[i])) != NULL)
            return read_times(r, rest);
    return true;
}

static bool parse(clump_import_text *text, clump_import_log *log)
{
    reader r = {.text = text, .log = log};
    for (char *line; (line = clump_import_text_next(text)) != NULL;)
        if (!read_line(&r, line + strspn(line, " ")))
            return false;
    return clump_import_text_is_whole(text, log) && end_table(&r);
}

const clump_import_format clump_import_stream = {"stream", "STREAM", recognize, parse};
