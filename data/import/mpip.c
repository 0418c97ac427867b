/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Reports of mpiP: sections "@--- TITLE ---", each a table, up to "@--- End of Report". Imported
 * are the times of the tasks and the statistics of the call sites; the sections "Aggregate ..."
 * only add these up, except in a concise report (-c), where they have the number of calls.
 */
#include "data/import/import_format.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SITES = 10000, LABEL = 120 };

typedef struct site {
    int64_t id;
    char place[LABEL]; /* "fft3d.c:22 main", or "" */
} site;

typedef struct reader {
    clump_import_text *text;
    clump_import_log *log;
    int64_t tasks;
    site *sites;
    size_t count;
    bool concise;
    bool ended;
    bool (*row)(struct reader *r, char *words[], size_t count); /* of the section; NULL: none */
} reader;

static bool recognize(const clump_import_text *text)
{
    return clump_import_text_has(text, "@ mpiP", 20);
}

static bool fail_row(reader *r, const char *expected)
{
    return clump_import_fail(r->log, "found a row of another form, expected %s", expected);
}

static bool add(reader *r, const char *quantity, const char *statistic, const char *variant,
                const char *word, double factor, int64_t count, int64_t task)
{
    double value = 0;
    if (!clump_import_amount(r->log, word, "a number", &value))
        return false;
    const clump_import_key key = {.quantity = quantity,
                                  .statistic = statistic,
                                  .benchmark = "mpiP",
                                  .variant = variant,
                                  .processes = r->tasks,
                                  .of_application = true};
    clump_import_sample sample = clump_import_sample_of(value * factor, -1, count);
    sample.task = task;
    return clump_import_log_add(r->log, &key, &sample);
}

/* "Task AppTime MPITime MPI%" */
static bool read_task(reader *r, char *words[], size_t count)
{
    int64_t task = 0;
    if (strcmp(words[0], "Task") == 0 || strcmp(words[0], "*") == 0)
        return true; /* "*": the sum */
    if (count != 4)
        return fail_row(r, "task, AppTime, MPITime, MPI%");
    return clump_import_whole(r->log, words[0], "a task", &task) &&
           add(r, "application_time", "single", NULL, words[1], 1, 0, task) &&
           add(r, "mpi_time", "single", NULL, words[2], 1, 0, task) &&
           add(r, "mpi_fraction", "single", NULL, words[3], 0.01, 0, task);
}

/* "Max 0.515414 0.026428 0 0", "Mean", "Min"; "Aggregate 1.030807 0.051577 5.00" */
static bool read_task_statistic(reader *r, char *words[], size_t count)
{
    const char *statistic = strcmp(words[0], "Max") == 0    ? "max"
                            : strcmp(words[0], "Mean") == 0 ? "mean"
                            : strcmp(words[0], "Min") == 0  ? "min"
                                                            : NULL;
    if (strcmp(words[0], "Aggregate") == 0 && count == 4)
        return add(r, "mpi_fraction", "mean", NULL, words[3], 0.01, 0, -1);
    if (statistic == NULL)
        return true;
    if (count < 3)
        return fail_row(r, "AppTime and MPITime");
    return add(r, "application_time", statistic, NULL, words[1], 1, 0, -1) &&
           add(r, "mpi_time", statistic, NULL, words[2], 1, 0, -1);
}

/* "1   0 fft3d.c               22 main                     Alltoall"; an address has no line */
static bool read_site(reader *r, char *words[], size_t count)
{
    int64_t id = 0;
    if (strcmp(words[0], "ID") == 0)
        return true;
    if (count < 3)
        return fail_row(r, "ID, level, file, line, function, call");
    if (!clump_import_whole(r->log, words[0], "a call site", &id))
        return false;
    if (strcmp(words[1], "0") != 0)
        return true; /* who called it */
    if (r->count == SITES)
        return clump_import_fail(r->log, "found more than %d call sites", SITES);
    site *sites = clump_import_more(r->log, r->sites, r->count, sizeof *sites);
    if (sites == NULL)
        return false;
    r->sites = sites;
    site *made = &sites[r->count++];
    made->place[0] = '\0';
    made->id = id;
    if (count >= 6) {
        char place[LABEL];
        snprintf(place, sizeof place, " %.60s:%.10s %.40s", words[2], words[3], words[4]);
        clump_import_copy(made->place, sizeof made->place, place);
    }
    return true;
}

/* "Alltoall 5 fft3d.c:25 main" */
static bool read_label(reader *r, char *words[], char label[LABEL + 80])
{
    int64_t id = 0;
    if (!clump_import_whole(r->log, words[1], "a call site", &id))
        return false;
    const char *place = "";
    for (size_t i = 0; i < r->count; i++) {
        if (r->sites[i].id == id) {
            place = r->sites[i].place;
            break;
        }
    }
    char text[LABEL + 80];
    snprintf(text, sizeof text, "%.40s %lld%s%s", words[0], (long long)id,
             *place != '\0' ? " " : "", place);
    clump_import_copy(label, LABEL + 80, text);
    return true;
}

/* Of a section whose rows are name, site, rank or tasks, [count,] max, mean, min, ... */
static bool read_statistics(reader *r, char *words[], size_t count, size_t first,
                            const char *quantity, double factor, int64_t calls, int64_t task,
                            const char *label)
{
    if (count < first + 3)
        return fail_row(r, "maximum, mean and minimum");
    return add(r, quantity, "max", label, words[first], factor, calls, task) &&
           add(r, quantity, "mean", label, words[first + 1], factor, calls, task) &&
           add(r, quantity, "min", label, words[first + 2], factor, calls, task);
}

/* What all rows of call sites begin with. *skip: headings, and sums over tasks. */
static bool begin_row(reader *r, char *words[], size_t count, char label[LABEL + 80], int64_t *task,
                      int64_t *calls, bool *skip)
{
    *skip = strcmp(words[0], "Name") == 0 || (count > 2 && strcmp(words[2], "*") == 0);
    if (*skip)
        return true;
    if (count < 8)
        return fail_row(r, "at least 8 columns");
    return read_label(r, words, label) && clump_import_whole(r->log, words[2], "a rank", task) &&
           (r->concise || clump_import_whole(r->log, words[3], "a count", calls));
}

static bool read_site_time(reader *r, char *words[], size_t count)
{
    char label[LABEL + 80];
    int64_t task = -1;
    int64_t calls = 0;
    bool skip = false;
    if (!begin_row(r, words, count, label, &task, &calls, &skip) || skip)
        return skip;
    if (r->concise) /* of all calls of a task */
        return read_statistics(r, words, count, 3, "site_time", 1e-3, 0, -1, label);
    return add(r, "call_count", "single", label, words[3], 1, 0, task) &&
           read_statistics(r, words, count, 4, "call_time", 1e3, calls, task, label);
}

static bool read_site_bytes(reader *r, char *words[], size_t count)
{
    char label[LABEL + 80];
    int64_t task = -1;
    int64_t calls = 0;
    bool skip = false;
    if (!begin_row(r, words, count, label, &task, &calls, &skip) || skip)
        return skip;
    if (r->concise)
        return read_statistics(r, words, count, 3, "site_bytes", 1, 0, -1, label);
    return read_statistics(r, words, count, 4, "call_bytes", 1, calls, task, label) &&
           add(r, "site_bytes", "single", label, words[7], 1, calls, task);
}

/* "Alltoall 5 15.9 1.55 30.89 40 0.00": only the count, and only where nothing else has it */
static bool read_aggregate(reader *r, char *words[], size_t count)
{
    char label[LABEL + 80];
    if (!r->concise || strcmp(words[0], "Call") == 0)
        return true;
    if (count < 6)
        return fail_row(r, "call, site, time, two shares, count");
    return read_label(r, words, label) && add(r, "site_calls", "single", label, words[5], 1, 0, -1);
}

static bool read_section(reader *r, const char *title)
{
    static const struct {
        const char *title;
        bool (*row)(reader *r, char *words[], size_t count);
    } sections[] = {
        {"MPI Time (seconds)", read_task},
        {"Task Time Statistics (seconds)", read_task_statistic},
        {"Callsites:", read_site},
        {"Aggregate Time (", read_aggregate},
        {"Callsite Time statistics (", read_site_time},
        {"Callsite Message Sent statistics (", read_site_bytes},
    };
    r->row = NULL;
    r->concise = r->concise || strncmp(title, "Task Time Statistics", 20) == 0;
    r->ended = r->ended || strncmp(title, "End of Report", 13) == 0;
    clump_import_log_begin(r->log);
    for (size_t i = 0; i < sizeof sections / sizeof *sections; i++)
        if (strncmp(title, sections[i].title, strlen(sections[i].title)) == 0)
            r->row = sections[i].row;
    return true;
}

/* "../fft3d 64 20" is the application "fft3d 64 20". */
static void read_command(reader *r, const char *command)
{
    clump_import_copy(r->log->command, sizeof r->log->command, command);
    const size_t program = strcspn(r->log->command, " ");
    const char *name = r->log->command;
    for (size_t i = 0; i < program; i++)
        if (r->log->command[i] == '/')
            name = r->log->command + i + 1;
    clump_import_copy(r->log->application, sizeof r->log->application, name);
}

static bool read_head(reader *r, const char *line)
{
    const char *section = clump_import_after(line, "@---");
    if (section != NULL)
        return read_section(r, section);
    const char *colon = strchr(line, ':');
    if (colon == NULL)
        return true;
    if (clump_import_after(line, "@ Command") != NULL)
        read_command(r, colon + 1);
    else if (clump_import_after(line, "@ Version") != NULL)
        clump_import_copy(r->log->version, sizeof r->log->version, colon + 1);
    else if (clump_import_after(line, "@ MPI Task Assignment") != NULL)
        r->tasks++;
    return true;
}

static bool parse(clump_import_text *text, clump_import_log *log)
{
    reader r = {.text = text, .log = log};
    char *words[CLUMP_IMPORT_WORDS];
    char *line;
    bool good = true;
    while (good && (line = clump_import_text_next(text)) != NULL) {
        if (*line == '@') {
            good = read_head(&r, line);
        } else if (r.row != NULL && *line != '\0' && strncmp(line, "-----", 5) != 0) {
            const size_t count = clump_import_words(line, words);
            good = r.row(&r, words, count);
        }
    }
    if (good && !r.ended) {
        return clump_import_fail(log, "found the end of the file, expected '@--- End of "
                                      "Report': the report is truncated");
    }
    return good;
}

const clump_import_format clump_import_mpip = {"mpip", "mpiP", recognize, parse};
