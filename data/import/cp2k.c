/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The output of CP2K: "PROGRAM STARTED AT", "GLOBAL|" lines, the sizes of the messages of DBCSR, calls of
 * MPI and their mean volume for DBCSR and for the rest (of the process that prints), "T I M I N G"
 * with a row for each routine: calls (most of any process), depth, its own time and that with what it
 * calls, mean and maximum over processes; "PROGRAM ENDED AT". Old versions have times of calls and
 * rates beside the volumes. CP2K adds volumes up without a look whether they can be: none is
 * printed where the sum is not positive, and garbage where it is. What would not fit the memory that
 * it says a process had is doubtful.
 */
#include "data/import/import_format.h"

#include <stdio.h>
#include <string.h>

typedef enum section { NONE, SIZES, CALLS, TIMINGS } section;

typedef struct reader {
    clump_import_text *text;
    clump_import_log *log;
    size_t started; /* line on which the run began; 0: none is on */
    size_t runs;
    int64_t processes;
    double memory; /* of a process, bytes; 0: not said */
    section section;
    bool dbcsr;              /* calls are of DBCSR */
    bool call_times;         /* they have times */
    bool called, timed, all; /* of this run: there were calls, timings, and their first row */
} reader;

static bool recognize(const clump_import_text *text)
{
    return clump_import_text_has(text, "CP2K| version string", 20000);
}

static bool add_sample(reader *r, const char *quantity, const char *statistic, const char *variant,
                       const clump_import_sample *sample)
{
    const clump_import_key key = {.quantity = quantity,
                                  .statistic = statistic,
                                  .benchmark = "CP2K",
                                  .variant = variant,
                                  .processes = r->processes,
                                  .of_application = true};
    return clump_import_log_add(r->log, &key, sample);
}

static bool add(reader *r, const char *quantity, const char *statistic, const char *variant,
                double value)
{
    const clump_import_sample sample = clump_import_sample_of(value, -1, 0);
    return add_sample(r, quantity, statistic, variant, &sample);
}

static bool fail_row(reader *r, const char *shown, const char *expected)
{
    return clump_import_fail(r->log,
                             "found '%s', expected %s: lines may be mixed up, or the run has "
                             "crashed",
                             shown, expected);
}

/* ---- rows */

/* "   128 < size <=     8192      83948      332481200": all messages, all bytes. Of a mean size. */
static bool read_size(reader *r, char *words[], size_t count, const char *shown)
{
    int64_t messages = 0;
    int64_t bytes = 0;
    if (count < 5 || count > 7)
        return fail_row(r, shown, "a class of sizes, messages and bytes");
    if (!clump_import_whole(r->log, words[count - 2], "a number of messages", &messages) ||
        !clump_import_whole(r->log, words[count - 1], "a number of bytes", &bytes))
        return false;
    if (messages == 0)
        return true;
    const clump_import_sample sample =
        clump_import_sample_of((double)messages, bytes / messages, 0);
    return add_sample(r, "message_count", "single", "DBCSR", &sample);
}

/* "MP_Alltoall          9654                 390185." */
static bool read_call(reader *r, char *words[], size_t count, const char *shown)
{
    char label[80];
    int64_t calls = 0;
    double time = 0;
    double volume = 0;
    const size_t first = r->call_times ? 3 : 2; /* column of the volume */
    if (strcmp(words[0], "ACCUMULATED") == 0)
        return true; /* of threads */
    if (strncmp(words[0], "MP_", 3) != 0 || count < first ||
        count > first + (r->call_times ? 2 : 1))
        return fail_row(r, shown, "an MPI routine and its calls");
    snprintf(label, sizeof label, "%s%.60s", r->dbcsr ? "DBCSR " : "", words[0]);
    if (!clump_import_whole(r->log, words[1], "a number of calls", &calls) ||
        !add(r, "call_count", "single", label, (double)calls))
        return false;
    if (r->call_times && (!clump_import_amount(r->log, words[2], "a time", &time) ||
                          !add(r, "site_time", "single", label, time)))
        return false;
    if (count == first)
        return true;
    if (!clump_import_amount(r->log, words[first], "a number of bytes", &volume))
        return false;
    clump_import_sample sample = clump_import_sample_of(volume, -1, calls);
    sample.doubtful = r->memory > 0 && volume > r->memory;
    if (sample.doubtful &&
        !clump_import_notice(r->log,
                             "found %.4g bytes for a call of %s on average, which is more than the "
                             "memory of a process (%.4g bytes): CP2K's sum cannot be right, it is "
                             "marked as doubtful",
                             volume, label, r->memory))
        return false;
    return add_sample(r, "call_bytes", "mean", label, &sample);
}

/* "qs_forces     11  3.9    0.004    0.004  437.476  437.481", and perhaps a rank */
static bool read_timing(reader *r, char *words[], size_t count, const char *shown)
{
    int64_t calls = 0;
    double times[4];
    if (strcmp(words[0], "MAXIMUM") == 0)
        return true; /* heading */
    if (count != 7 && count != 8)
        return fail_row(r, shown, "a routine, calls, depth and four times");
    if (!clump_import_whole(r->log, words[1], "a number of calls", &calls))
        return false;
    for (size_t i = 0; i < 4; i++)
        if (!clump_import_amount(r->log, words[3 + i], "a time", &times[i]))
            return false;
    if (strcmp(words[0], "CP2K") == 0) {
        r->all = true;
        if (!add(r, "execution_time", "single", NULL, times[3]))
            return false;
    }
    return add(r, "phase_calls", "max", words[0], (double)calls) &&
           add(r, "phase_self_time", "mean", words[0], times[0]) &&
           add(r, "phase_self_time", "max", words[0], times[1]) &&
           add(r, "phase_time", "mean", words[0], times[2]) &&
           add(r, "phase_time", "max", words[0], times[3]);
}

static bool read_row(reader *r, char *line)
{
    char *words[CLUMP_IMPORT_WORDS];
    char shown[61];
    clump_import_copy(shown, sizeof shown, line);
    const size_t count = clump_import_words(line, words);
    return count == 0            ? true
           : r->section == SIZES ? read_size(r, words, count, shown)
           : r->section == CALLS ? read_call(r, words, count, shown)
                                 : read_timing(r, words, count, shown);
}

/* ---- lines */

static bool start_run(reader *r)
{
    if (r->started > 0)
        return clump_import_fail(r->log,
                                 "found the start of another run, expected the end of the one that "
                                 "started on line %zu: it has crashed; remove it from the file",
                                 r->started);
    r->started = r->text->line;
    r->section = NONE;
    r->called = r->timed = r->all = false;
    r->memory = 0;
    return true;
}

static bool end_run(reader *r)
{
    if (r->started == 0 || !r->timed || !r->all || r->section != NONE)
        return clump_import_fail(r->log, "found the end of a run, expected %s before",
                                 r->started == 0 ? "its start ('PROGRAM STARTED AT')"
                                 : !r->timed     ? "its timings ('T I M I N G')"
                                 : !r->all       ? "a row 'CP2K' in its timings"
                                                 : "the end of its last table");
    if (!r->called && !clump_import_notice(
                          r->log, "the run has no statistics of messages: it may not be parallel"))
        return false;
    r->started = 0;
    r->runs++;
    return true;
}

/* The last word of a line, as a whole number that adds up with others. */
static bool read_last(reader *r, const char *line, const char *what, int64_t *value)
{
    const char *blank = strrchr(line, ' ');
    const char *word = blank != NULL ? blank + 1 : line;
    return clump_import_whole(r->log, word, what, value) &&
           (*value <= INT64_C(1) << 40 ||
            clump_import_fail(r->log, "found %.40s, expected %s that can be", word, what));
}

static bool read_global(reader *r, const char *line)
{
    const char *version = clump_import_after(line, "CP2K| version string:");
    const char *project = clump_import_after(line, "GLOBAL| Project name");
    int64_t value = 0;
    if (version != NULL) {
        const char *number = clump_import_after(version, "CP2K version");
        clump_import_copy(r->log->version, sizeof r->log->version,
                          number != NULL ? number : version);
    } else if (project != NULL) {
        char name[sizeof r->log->application];
        clump_import_copy(name, sizeof name - 5, project);
        snprintf(r->log->application, sizeof r->log->application, "CP2K %.190s", name);
    } else if (clump_import_after(line, "GLOBAL| Total number of message passing processes") !=
               NULL) {
        return read_last(r, line, "a number of processes", &r->processes);
    } else if (clump_import_after(line, "GLOBAL| Number of threads for this process") != NULL) {
        return read_last(r, line, "a number of threads", &value) &&
               add(r, "threads_per_process", "single", NULL, (double)value);
    } else if (clump_import_after(line, "MEMORY| Estimated peak process memory [MiB]") != NULL) {
        if (!read_last(r, line, "an amount of memory", &value))
            return false;
        r->memory = (double)value * 1024 * 1024;
    }
    return true;
}

static bool read_line(reader *r, char *line)
{
    const char *first = line + strspn(line, " ");
    const bool rule = strncmp(first, "-----", 5) == 0 && first[strspn(first, "-")] == '\0';
    if (strstr(line, "PROGRAM STARTED AT") != NULL) {
        clump_import_log_begin(r->log);
        return start_run(r);
    }
    if (strstr(line, "PROGRAM ENDED AT") != NULL)
        return end_run(r);
    if (r->started == 0)
        return true; /* what others print */
    if (rule) {
        r->section = NONE;
    } else if (r->section != NONE) {
        return read_row(r, line);
    } else if (strstr(line, "MESSAGE PASSING PERFORMANCE") != NULL) {
        r->dbcsr = strstr(line, "DBCSR") != NULL;
    } else if (strncmp(first, "MPI breakdown and total messages size", 37) == 0) {
        r->section = SIZES;
    } else if (strncmp(first, "ROUTINE ", 8) == 0 && strstr(first, "CALLS") != NULL) {
        r->section = CALLS;
        r->call_times = strstr(first, "TOT TIME") != NULL;
        r->called = true;
    } else if (strncmp(first, "SUBROUTINE ", 11) == 0 && strstr(first, "SELF TIME") != NULL) {
        r->section = TIMINGS;
        r->timed = true;
    } else {
        return read_global(r, first);
    }
    return true;
}

static bool parse(clump_import_text *text, clump_import_log *log)
{
    reader r = {.text = text, .log = log};
    for (char *line; (line = clump_import_text_next(text)) != NULL;)
        if (!read_line(&r, line))
            return false;
    if (r.started > 0 || r.runs == 0)
        return clump_import_fail(log,
                                 "found the end of the file, expected 'PROGRAM ENDED AT': the run "
                                 "is not at its end, was stopped, or has crashed");
    return clump_import_text_is_whole(text, log);
}

const clump_import_format clump_import_cp2k = {"cp2k", "CP2K", recognize, parse};
