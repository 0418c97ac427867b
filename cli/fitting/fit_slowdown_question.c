/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/fitting/fit_slowdown_question.h"

#include "cli/output/errors.h"
#include "data/file.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef fit_slowdown_asked asked;
typedef fit_slowdown_settings settings;

int fit_slowdown_complain(const asked *a, clump_status status, const clump_error *error)
{
    return status == CLUMP_OK ? EXIT_DONE
                              : error_told(a->invocation->arguments.command,
                                           status == CLUMP_BAD_ARGUMENT, error->message);
}

/* ---- what is to be found */

static const char parameters[] = "U, s, e, penalty, f, V or h";

static int read_free(asked *a)
{
    clump_slowdown_question *q = &a->question;
    const char *text = a->settings->free;
    if (strcmp(text, "none") == 0)
        return EXIT_DONE;
    while (text != NULL) {
        char item[ITEM_SIZE];
        clump_slowdown_parameter parameter = CLUMP_SLOWDOWN_UTILIZATION;
        text = list_next(text, item, sizeof item);
        const bool part = strcmp(item, "computation") == 0 || strcmp(item, "communication") == 0;
        if (!part && strcmp(item, "time") != 0 &&
            !clump_slowdown_parameter_parse(item, &parameter)) {
            char expected[128];
            snprintf(expected, sizeof expected, "a list of %s, or none", parameters);
            return option_wrong(&a->invocation->arguments, "free", item, expected);
        }
        if (part || strcmp(item, "time") != 0)
            q->free[parameter] = true;
    }
    return EXIT_DONE;
}

static int read_fixed(asked *a, const char *text, double *time)
{
    static const double ranges[CLUMP_SLOWDOWN_PARAMETERS][2] = {
        {0, 1}, {1, 1e8}, {0, 1e6}, {0.01, 100}, {0, 1}, {0, 1000}, {0, 1}};
    const command_line *line = &a->invocation->arguments;
    char name[ITEM_SIZE], expected[160];
    const char *equals = strchr(text, '=');
    const size_t length = equals != NULL ? (size_t)(equals - text) : strlen(text);
    clump_slowdown_parameter parameter = CLUMP_SLOWDOWN_UTILIZATION;
    double value;
    snprintf(name, sizeof name, "%.*s", length < 60 ? (int)length : 60, text);
    const bool is_time = strcmp(name, "time") == 0;
    if (equals == NULL || (!is_time && !clump_slowdown_parameter_parse(name, &parameter))) {
        snprintf(expected, sizeof expected, "NAME=VALUE with NAME one of %s, or time", parameters);
        return option_wrong(line, "fix", text, expected);
    }
    const double least = is_time ? 1e-12 : ranges[parameter][0];
    const double most = is_time ? 1e12 : ranges[parameter][1];
    if (!real_parse(equals + 1, &value) || value < least || value > most) {
        snprintf(expected, sizeof expected, "a number from %g to %g after '%s='", least, most,
                 name);
        return option_wrong(line, "fix", text, expected);
    }
    if (is_time) {
        *time = value;
        return EXIT_DONE;
    }
    if (a->question.free[parameter])
        return error_usage(line->command,
                           "--fix %s: it is free as well, expected one of --fix and --free", name);
    a->question.value[parameter] = value;
    return EXIT_DONE;
}

static int read_demand(asked *a)
{
    clump_slowdown_question *q = &a->question;
    const char *text = a->settings->demand;
    if (text == NULL)
        return EXIT_DONE;
    if (q->free[CLUMP_SLOWDOWN_GANG] || !isnan(q->value[CLUMP_SLOWDOWN_GANG]))
        return error_usage(a->invocation->arguments.command,
                           "--demand: found it beside the gang size s, expected one of "
                           "them: s = 1 is independent");
    if (!clump_demand_kind_parse(text, &q->demand) || q->demand == CLUMP_DEMAND_GANG)
        return option_wrong(&a->invocation->arguments, "demand", text,
                            "independent, correlated or scheduled; gangs with --fix "
                            "s=SIZE or --free s");
    return EXIT_DONE;
}

/* ---- from which runs */

static const char expected_run[] =
    "P,N,SECONDS, and perhaps pooled or static, sd=, hw=, runs=, f=, V=, h=, U=, m=, now=";

/* Columns of a file by what stands behind the three numbers. */
static const char *const columns[][2] = {{"sd=", "std_dev"},    {"hw=", "half_width"},
                                         {"runs=", "runs"},     {"f=", "remote_fraction"},
                                         {"V=", "cost_ratio"},  {"h=", "waiting_fraction"},
                                         {"U=", "utilization"}, {"m=", "max_nics_per_processor"},
                                         {"now=", "now"},       {"", "mapping"}};

/* A run becomes a file of one row. */
static int read_run(asked *a, const char *text)
{
    enum { SIZE = 40 * ITEM_SIZE };
    char names[SIZE] = "processors,nics,time", file[2 * SIZE + 8], row[SIZE] = "", item[ITEM_SIZE];
    const char *next = text;
    size_t items = 0, named = strlen(names), used = 0;
    clump_error error;
    for (; next != NULL && used + 2 * ITEM_SIZE < SIZE; items++) {
        size_t k = 0, length = 0;
        next = list_next(next, item, sizeof item);
        for (; items > 2 && strncmp(item, columns[k][0], length = strlen(columns[k][0])) != 0; k++)
            ;
        if (items > 2)
            named += (size_t)snprintf(names + named, SIZE - named, ",%s", columns[k][1]);
        used +=
            (size_t)snprintf(row + used, SIZE - used, "%s%s", items > 0 ? "," : "", item + length);
    }
    const int size = snprintf(file, sizeof file, "%s\n%s\n", names, row);
    const clump_status status = clump_slowdown_runs_read(&a->runs, "--run", file, (size_t)size,
                                                         a->settings->selection.mapping, &error);
    if (status == CLUMP_NO_MEMORY)
        return error_memory(a->invocation->arguments.command);
    return status == CLUMP_OK && items > 2 && next == NULL
               ? EXIT_DONE
               : option_wrong(&a->invocation->arguments, "run", text, expected_run);
}

static int read_file(asked *a)
{
    static const size_t largest = 1 << 24;
    const char *command = a->invocation->arguments.command, *path = a->settings->file;
    const bool standard = strcmp(path, "-") == 0;
    const char *shown = standard ? "standard input" : path;
    char *bytes = NULL;
    size_t size = 0;
    clump_error error;
    const clump_file_status read = clump_file_read(path, largest, &bytes, &size);
    if (read == CLUMP_FILE_NO_MEMORY)
        return error_memory(command);
    if (read != CLUMP_FILE_OK) {
        char words[CLUMP_FILE_WORDS];
        return error_input(command, "--file: %.200s: %s", shown,
                           clump_file_words(read, largest, "the times of some runs", words));
    }
    clump_sha256(bytes, size, a->file_sha256);
    const clump_status status = clump_slowdown_runs_read(
        &a->runs, standard ? "stdin" : path, bytes, size, a->settings->selection.mapping, &error);
    free(bytes);
    return fit_slowdown_complain(a, status, &error);
}

static int load(asked *a, clump_store *store)
{
    const settings *s = a->settings;
    clump_slowdown_selection selection = s->selection;
    clump_error error;
    selection.platforms = s->platforms.count > 0 ? s->platforms.items : NULL;
    selection.platform_count = s->platforms.count;
    return fit_slowdown_complain(a, clump_slowdown_runs_load(&a->runs, store, &selection, &error),
                                 &error);
}

static int read_runs(asked *a, clump_store *store)
{
    const settings *s = a->settings;
    const bool stored = s->selection.application != NULL;
    int status = EXIT_DONE;
    if (!stored && s->file == NULL && s->runs.count == 0)
        return error_usage(a->invocation->arguments.command,
                           "found no runs, expected --application NAME, "
                           "--file FILE or --run P,N,SECONDS");
    /* Those of the store are compared with NOWs that are known by name. */
    if (stored && store != NULL)
        status = load(a, store);
    if (status == EXIT_DONE && s->file != NULL)
        status = read_file(a);
    for (size_t i = 0; i < s->runs.count && status == EXIT_DONE; i++)
        status = read_run(a, s->runs.items[i]);
    if (status != EXIT_DONE)
        return status;
    clump_error error;
    return fit_slowdown_complain(a, clump_slowdown_runs_merge(&a->runs, &error), &error);
}

static int set_times(asked *a, double time)
{
    const clump_slowdown_runs *runs = &a->runs;
    if (!isnan(time) && runs->slowdowns)
        return error_usage(a->invocation->arguments.command,
                           "--fix time: found slowdowns, whose time "
                           "on the NOW is 1, expected seconds");
    if (!isnan(time) && runs->base_count > 1)
        return error_usage(a->invocation->arguments.command,
                           "--fix time: found %zu NOWs to compare with, expected one",
                           runs->base_count);
    for (size_t b = 0; b < runs->base_count; b++)
        a->base_times_s[b] = runs->slowdowns ? 1 : time;
    a->question.base_times_s = a->base_times_s;
    a->question.base_count = runs->base_count;
    a->question.runs = runs->runs;
    a->question.run_count = runs->run_count;
    a->question.error_freedom = runs->error_freedom;
    return EXIT_DONE;
}

/* A utilization that neither the options nor the database tell, by the name of the platform. */
static int check_utilizations(const asked *a)
{
    const clump_slowdown_question *q = &a->question;
    const clump_slowdown_runs *runs = &a->runs;
    if (q->free[CLUMP_SLOWDOWN_UTILIZATION] || !isnan(q->value[CLUMP_SLOWDOWN_UTILIZATION]))
        return EXIT_DONE;
    for (size_t i = 0; i < q->run_count; i++) {
        const clump_slowdown_record *r = &runs->records[runs->record_of[i]];
        if (q->runs[i].processors > 1 && isnan(q->runs[i].utilization) && r->platform[0] != '\0')
            return error_input(
                a->invocation->arguments.command,
                "U on platform '%s' is neither free nor known%s%s: expected U in --free, or --fix "
                "U=VALUE, or --platform for those to use",
                r->platform, r->unknown[0] != '\0' ? "; " : "", r->unknown);
    }
    return EXIT_DONE;
}

/* The question that the options and the runs ask. */
int fit_slowdown_read_question(asked *a, clump_store *store)
{
    const settings *s = a->settings;
    double time = NAN;
    a->question = clump_slowdown_question_default();
    a->question.form = s->form;
    a->question.confidence = 0.95;
    int status = read_free(a);
    for (size_t i = 0; i < s->fixed.count && status == EXIT_DONE; i++)
        status = read_fixed(a, s->fixed.items[i], &time);
    if (status == EXIT_DONE)
        status = read_demand(a);
    if (status == EXIT_DONE)
        status = read_runs(a, store);
    if (status == EXIT_DONE)
        status = set_times(a, time);
    return status == EXIT_DONE ? check_utilizations(a) : status;
}
