/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/fit_slowdown_question.h"

#include "cli/fit_slowdown_run.h"
#include "cli/options/numbers.h"
#include "cli/output/errors.h"
#include "cli/pictures/plot_options.h"
#include "data/sha256.h"
#include "model/prediction.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char parameters[] = "U, s, e, penalty, f, V or h";

const option_entry fit_slowdown_options[FIT_SLOWDOWN_OPTION_COUNT] = {
    [FIT_APPLICATION] = {.name = "application",
                         .argument = "NAME",
                         .help = "take its execution times from the database, and its\n"
                                 "traffic where it is known"},
    [FIT_PLATFORM] = {.name = "platform",
                      .argument = "NAME",
                      .help = "only these platforms and their NOWs; may be repeated",
                      .repeated = true},
    [FIT_VARIANT] = {.name = "variant",
                     .argument = "NAME",
                     .help = "variant of the times (default: multi-protocol, or the only\n"
                             "one)"},
    [FIT_QUANTITY] = {.name = "quantity",
                      .argument = "NAME",
                      .help = "quantity that holds the times (default: execution_time)"},
    [FIT_FILE] = {.name = "file",
                  .argument = "FILE",
                  .help = "CSV with columns processors, nics, time and optionally\n"
                          "mapping, std_dev, half_width, runs, now... ('-': standard\n"
                          "input)"},
    [FIT_RUN] = {.name = "run",
                 .argument = "P,N,SECONDS[,...]",
                 .help = "one time: processors and NICs of a node, seconds, and\n"
                         "optionally static, sd=, hw=, runs=, f=, V=, h=, U=, m=,\n"
                         "now=NAME; may be repeated",
                 .repeated = true},
    [FIT_FREE] = {.name = "free",
                  .argument = "LIST",
                  .help = "parameters to find: U (or computation,communication), s\n"
                          "(gang size), e (efficiency), penalty (of memory), f (remote\n"
                          "fraction), V (cost ratio), h (waiting); default: U"},
    [FIT_FIX] = {.name = "fix",
                 .argument = "NAME=VALUE",
                 .help = "value of one of these that is known, or time=SECONDS on the\n"
                         "NOW; may be repeated",
                 .repeated = true},
    [FIT_DEMAND] = {.name = "demand",
                    .argument = "KIND",
                    .help = "independent, correlated or scheduled, unless s is free or\n"
                            "fixed (default: independent)"},
    [FIT_EFFICIENCY] = {.name = "efficiency",
                        .argument = "FORM",
                        .help = "form of E(q), the share of their speed that NICs keep while\n"
                                "q processors communicate: inverse 1/(1+e(q-1)), power q^-e\n"
                                "or exponential exp(-e(q-1)) (default: inverse)"},
    [FIT_MAPPING] = {.name = "mapping",
                     .argument = "pooled|static",
                     .help = "mapping of runs that do not say (default: pooled)"},
    [FIT_CONFIDENCE] = {.name = "confidence",
                        .argument = "SHARE",
                        .help = "confidence of the intervals (default: 0.95)"},
    [FIT_NAME] = {.name = "name",
                  .argument = "NAME",
                  .help = "store the result as an application of this name, such as\n"
                          "SAMPLE/fitted, for use in scenarios"},
    [FIT_PLOT] = PLOT_OPTION,
    [FIT_PLOT_SCRIPT] = PLOT_SCRIPT_OPTION,
};

static int read_free(const command_line *arguments, clump_slowdown_question *q)
{
    const char *text = option_value(arguments, FIT_FREE);
    if (text == NULL) {
        q->free[CLUMP_SLOWDOWN_UTILIZATION] = true;
        return EXIT_DONE;
    }
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
            return option_refuse(arguments, FIT_FREE, item, expected);
        }
        if (part || strcmp(item, "time") != 0)
            q->free[parameter] = true;
    }
    return EXIT_DONE;
}

static int read_fixed_one(const command_line *arguments, const char *text,
                          clump_slowdown_question *q, double *time)
{
    static const double ranges[CLUMP_SLOWDOWN_PARAMETERS][2] = {
        {0, 1}, {1, 1e8}, {0, 1e6}, {0.01, 100}, {0, 1}, {0, 1000}, {0, 1}};
    char name[ITEM_SIZE], expected[160];
    const char *equals = strchr(text, '=');
    const size_t length = equals != NULL ? (size_t)(equals - text) : strlen(text);
    clump_slowdown_parameter parameter = CLUMP_SLOWDOWN_UTILIZATION;
    double value;
    snprintf(name, sizeof name, "%.*s", length < 60 ? (int)length : 60, text);
    const bool is_time = strcmp(name, "time") == 0;
    if (equals == NULL || (!is_time && !clump_slowdown_parameter_parse(name, &parameter))) {
        snprintf(expected, sizeof expected, "NAME=VALUE with NAME one of %s, or time", parameters);
        return option_refuse(arguments, FIT_FIX, text, expected);
    }
    const double least = is_time ? 1e-12 : ranges[parameter][0];
    const double most = is_time ? 1e12 : ranges[parameter][1];
    if (!real_parse(equals + 1, &value) || value < least || value > most) {
        snprintf(expected, sizeof expected, "a number from %g to %g after '%s='", least, most,
                 name);
        return option_refuse(arguments, FIT_FIX, text, expected);
    }
    if (is_time) {
        *time = value;
        return EXIT_DONE;
    }
    if (q->free[parameter])
        return error_usage(arguments->command,
                           "--fix %s: it is free as well, expected one of --fix and "
                           "--free",
                           name);
    q->value[parameter] = value;
    return EXIT_DONE;
}

static int read_demand(const command_line *arguments, clump_slowdown_question *q)
{
    const char *text = option_value(arguments, FIT_DEMAND);
    double gang = NAN;
    if (text == NULL)
        return EXIT_DONE;
    if (q->free[CLUMP_SLOWDOWN_GANG] || !isnan(q->value[CLUMP_SLOWDOWN_GANG]))
        return error_usage(arguments->command,
                           "--demand: found it beside the gang size s, expected one of "
                           "them: s = 1 is independent");
    if (!clump_demand_parse(text, &q->demand, &gang) || q->demand == CLUMP_DEMAND_GANG)
        return option_refuse(arguments, FIT_DEMAND, text,
                             "independent, correlated or scheduled; gangs with --fix "
                             "s=SIZE or --free s");
    return EXIT_DONE;
}

static int read_form(const command_line *arguments, clump_slowdown_question *q)
{
    const char *text = option_value(arguments, FIT_EFFICIENCY);
    if (text != NULL && !clump_efficiency_form_parse(text, &q->form))
        return option_refuse(arguments, FIT_EFFICIENCY, text, "inverse, power or exponential");
    return EXIT_DONE;
}

static int read_mapping(const command_line *arguments, clump_mapping *mapping)
{
    const char *text = option_value(arguments, FIT_MAPPING);
    if (text != NULL && !clump_mapping_parse(text, mapping))
        return option_refuse(arguments, FIT_MAPPING, text, "pooled or static");
    return EXIT_DONE;
}

static int complain(const command_invocation *invocation, clump_status status,
                    const clump_error *error)
{
    const char *command = invocation->arguments.command;
    return status == CLUMP_BAD_ARGUMENT ? error_input(command, "%s", error->message)
                                        : error_failed(command, "%s", error->message);
}

static int load(const command_invocation *invocation, clump_store *store, clump_mapping mapping,
                fit_slowdown_question *question)
{
    const command_line *a = &invocation->arguments;
    const char **platforms = calloc(a->given_count + 1, sizeof *platforms);
    if (platforms == NULL)
        return error_memory(a->command);
    size_t count = 0;
    for (size_t i = 0; i < a->given_count; i++)
        if (a->given[i].option == FIT_PLATFORM)
            platforms[count++] = a->given[i].value;
    const clump_slowdown_selection selection = {
        .application = option_value(a, FIT_APPLICATION),
        .quantity = option_value(a, FIT_QUANTITY),
        .variant = option_value(a, FIT_VARIANT),
        .platforms = count > 0 ? platforms : NULL,
        .platform_count = count,
        .mapping = mapping,
    };
    clump_error error;
    const clump_status status =
        clump_slowdown_runs_load(&question->runs, store, &selection, &error);
    free(platforms);
    return status == CLUMP_OK ? EXIT_DONE : complain(invocation, status, &error);
}

static int read_runs(const command_invocation *invocation, clump_store *store,
                     fit_slowdown_question *question)
{
    const command_line *a = &invocation->arguments;
    clump_mapping mapping = CLUMP_MAPPING_POOLED;
    const char *file = option_value(a, FIT_FILE);
    const bool stored = option_given(a, FIT_APPLICATION);
    const bool runs = option_given(a, FIT_RUN);
    if (!stored && file == NULL && !runs)
        return error_usage(a->command, "found no runs, expected --application NAME, "
                                       "--file FILE or --run P,N,SECONDS");
    int status = read_mapping(a, &mapping);
    /* Those of the store are compared with NOWs that are known by name. */
    if (status == EXIT_DONE && stored && store != NULL)
        status = load(invocation, store, mapping, question);
    if (status == EXIT_DONE && file != NULL)
        status = fit_slowdown_file_read(a, file, mapping, &question->runs, question->file_sha256);
    for (size_t i = 0; i < a->given_count && status == EXIT_DONE; i++)
        if (a->given[i].option == FIT_RUN)
            status = fit_slowdown_run_read(a, a->given[i].value, mapping, &question->runs);
    if (status != EXIT_DONE)
        return status;
    clump_error error;
    const clump_status merged = clump_slowdown_runs_merge(&question->runs, &error);
    return merged == CLUMP_OK ? EXIT_DONE : complain(invocation, merged, &error);
}

static int set_times(const command_line *arguments, double time, fit_slowdown_question *question)
{
    const clump_slowdown_runs *runs = &question->runs;
    if (!isnan(time) && runs->slowdowns)
        return error_usage(arguments->command, "--fix time: found slowdowns, whose time "
                                               "on the NOW is 1, expected seconds");
    if (!isnan(time) && runs->base_count > 1)
        return error_usage(arguments->command,
                           "--fix time: found %zu NOWs to compare with, expected one",
                           runs->base_count);
    for (size_t b = 0; b < runs->base_count; b++)
        question->base_times_s[b] = runs->slowdowns ? 1 : time;
    question->question.base_times_s = question->base_times_s;
    question->question.base_count = runs->base_count;
    question->question.runs = runs->runs;
    question->question.run_count = runs->run_count;
    question->question.error_freedom = runs->error_freedom;
    return EXIT_DONE;
}

/* A utilization that neither the options nor the database tell, by the name of the platform. */
static int check_utilizations(const command_line *arguments, const fit_slowdown_question *question)
{
    const clump_slowdown_question *q = &question->question;
    const clump_slowdown_runs *runs = &question->runs;
    if (q->free[CLUMP_SLOWDOWN_UTILIZATION] || !isnan(q->value[CLUMP_SLOWDOWN_UTILIZATION]))
        return EXIT_DONE;
    for (size_t i = 0; i < q->run_count; i++) {
        const char *platform = runs->records[runs->record_of[i]].platform;
        if (q->runs[i].processors > 1 && isnan(q->runs[i].utilization) && platform[0] != '\0')
            return error_input(
                arguments->command,
                "U on platform '%s' is neither free nor known (its traffic is not in the data"
                "base): expected U in --free, or --fix U=VALUE, or --platform for those to use",
                platform);
    }
    return EXIT_DONE;
}

int fit_slowdown_question_read(const command_invocation *invocation, clump_store *store,
                               fit_slowdown_question *question)
{
    static const number_range share = {0.5, 0.9999, false, "a number from 0.5 to 0.9999"};
    const command_line *a = &invocation->arguments;
    clump_slowdown_question *q = &question->question;
    double time = NAN;
    *question = (fit_slowdown_question){.file_sha256 = ""};
    *q = clump_slowdown_question_default();
    int status = read_free(a, q);
    for (size_t i = 0; i < a->given_count && status == EXIT_DONE; i++)
        if (a->given[i].option == FIT_FIX)
            status = read_fixed_one(a, a->given[i].value, q, &time);
    if (status == EXIT_DONE)
        status = read_demand(a, q);
    if (status == EXIT_DONE)
        status = read_form(a, q);
    if (status == EXIT_DONE)
        status = option_real(a, FIT_CONFIDENCE, &share, &q->confidence);
    if (status == EXIT_DONE)
        status = read_runs(invocation, store, question);
    if (status == EXIT_DONE)
        status = set_times(a, time, question);
    return status == EXIT_DONE ? check_utilizations(a, question) : status;
}

void fit_slowdown_question_free(fit_slowdown_question *question)
{
    clump_slowdown_runs_free(&question->runs);
}
