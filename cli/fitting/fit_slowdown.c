/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/command.h"
#include "cli/database.h"
#include "cli/fitting/fit_slowdown_tables.h"
#include "cli/output/errors.h"
#include "cli/output/output.h"
#include "cli/pictures/plot_options.h"
#include "clumpmodel.h"
#include "data/arena.h"
#include "data/file.h"
#include "data/sha256.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef struct settings {
    clump_slowdown_selection selection; /* of the database's times; also the mapping of others */
    option_texts platforms;
    const char *file;
    option_texts runs;
    const char *free, *demand;
    option_texts fixed;
    clump_efficiency_form form;
    double confidence;
    const char *name; /* of the application that it becomes, or NULL */
    plot_request plot;
} settings;

static int read_form(command_line *line, const option_entry *option, const char *text, void *field)
{
    return clump_efficiency_form_parse(text, field)
               ? EXIT_DONE
               : option_wrong(line, option->name, text, "inverse, power or exponential");
}

static const option_entry options[] = {
    {.name = "application",
     .argument = "NAME",
     .help = "take its execution times from the database, and its\n"
             "traffic where it is known",
     .type = OPTION_TEXT,
     OPTION_FIELD(settings, selection.application)},
    {.name = "platform",
     .argument = "NAME",
     .help = "only these platforms and their NOWs; may be repeated",
     .repeated = true,
     .type = OPTION_TEXTS,
     OPTION_FIELD(settings, platforms)},
    {.name = "variant",
     .argument = "NAME",
     .help = "variant of the times (default: multi-protocol, or the only\n"
             "one)",
     .type = OPTION_TEXT,
     OPTION_FIELD(settings, selection.variant)},
    {.name = "quantity",
     .argument = "NAME",
     .help = "quantity that holds the times (default: execution_time)",
     .type = OPTION_TEXT,
     OPTION_FIELD(settings, selection.quantity)},
    {.name = "file",
     .argument = "FILE",
     .help = "CSV with columns processors, nics, time and optionally\n"
             "mapping, std_dev, half_width, runs, now... ('-': standard\n"
             "input)",
     .type = OPTION_TEXT,
     OPTION_FIELD(settings, file)},
    {.name = "run",
     .argument = "P,N,SECONDS[,...]",
     .help = "one time: processors and NICs of a node, seconds, and\n"
             "optionally static, sd=, hw=, runs=, f=, V=, h=, U=, m=,\n"
             "now=NAME; may be repeated",
     .repeated = true,
     .type = OPTION_TEXTS,
     OPTION_FIELD(settings, runs)},
    {.name = "free",
     .argument = "LIST",
     .help = "parameters to find: U (or computation,communication), s\n"
             "(gang size), e (efficiency), penalty (of memory), f (remote\n"
             "fraction), V (cost ratio), h (waiting); default: {}",
     .type = OPTION_TEXT,
     OPTION_FIELD(settings, free),
     .preset = "U"},
    {.name = "fix",
     .argument = "NAME=VALUE",
     .help = "value of one of these that is known, or time=SECONDS on the\n"
             "NOW; may be repeated",
     .repeated = true,
     .type = OPTION_TEXTS,
     OPTION_FIELD(settings, fixed)},
    {.name = "demand",
     .argument = "KIND",
     .help = "independent, correlated or scheduled, unless s is free or\n"
             "fixed (default: independent)",
     .type = OPTION_TEXT,
     OPTION_FIELD(settings, demand)},
    {.name = "efficiency",
     .argument = "FORM",
     .help = "form of E(q), the share of their speed that NICs keep while\n"
             "q processors communicate: inverse 1/(1+e(q-1)), power q^-e\n"
             "or exponential exp(-e(q-1)) (default: {})",
     .type = OPTION_CUSTOM,
     OPTION_FIELD(settings, form),
     .preset = "inverse",
     .read = read_form},
    {.name = "mapping",
     .argument = "pooled|static",
     .help = "mapping of runs that do not say (default: {})",
     .type = OPTION_CHOICE,
     OPTION_FIELD(settings, selection.mapping),
     .preset = "pooled"},
    {.name = "confidence",
     .argument = "SHARE",
     .help = "confidence of the intervals (default: {})",
     .type = OPTION_REAL,
     OPTION_FIELD(settings, confidence),
     .preset = "0.95",
     .least = 0.5,
     .most = 0.9999,
     .expected = "a number from 0.5 to 0.9999"},
    {.name = "name",
     .argument = "NAME",
     .help = "store the result as an application of this name, such as\n"
             "SAMPLE/fitted, for use in scenarios",
     .type = OPTION_TEXT,
     OPTION_FIELD(settings, name)},
    {0},
};

static const option_table tables[] = {{options, 0}, {plot_options, offsetof(settings, plot)}, {0}};

/* The options, and the runs that they name. */
typedef struct asked {
    const command_invocation *invocation;
    const settings *settings;
    clump_slowdown_runs runs;
    clump_slowdown_question question; /* points into `runs` and `base_times_s` */
    double base_times_s[CLUMP_SLOWDOWN_BASES];
    char file_sha256[CLUMP_SHA256_TEXT]; /* of --file */
} asked;

static int complain(const asked *a, clump_status status, const clump_error *error)
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

/* A word or KEY=VALUE behind the three numbers. */
static bool read_extra(const char *item, clump_slowdown_record *record)
{
    clump_slowdown_run *run = &record->run;
    const struct {
        const char *key;
        double least, most;
        double *value;
    } numbers[] = {
        {"sd=", 0, 1e12, &record->std_dev},      {"hw=", 0, 1e12, &record->half_width},
        {"runs=", 1, 1e9, &record->repetitions}, {"f=", 0, 1, &run->remote_fraction},
        {"V=", 0, 1000, &run->cost_ratio},       {"h=", 0, 1, &run->waiting_fraction},
        {"U=", 0, 1, &run->utilization},         {"m=", 1, 1e9, &run->max_nics_per_processor},
    };
    if (clump_mapping_parse(item, &run->mapping))
        return true;
    if (strncmp(item, "now=", 4) == 0) {
        snprintf(record->base, sizeof record->base, "%s", item + 4);
        return true;
    }
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        const size_t length = strlen(numbers[i].key);
        double value;
        if (strncmp(item, numbers[i].key, length) != 0)
            continue;
        if (!real_parse(item + length, &value) || value < numbers[i].least ||
            value > numbers[i].most)
            return false;
        *numbers[i].value = value;
        return true;
    }
    return false;
}

static int read_run(asked *a, const char *text)
{
    clump_slowdown_record record = clump_slowdown_record_default();
    const char *next = text;
    record.run.mapping = a->settings->selection.mapping;
    for (size_t i = 0; next != NULL; i++) {
        char item[ITEM_SIZE];
        uint64_t count = 0;
        bool good;
        next = list_next(next, item, sizeof item);
        if (i == 0) {
            good = whole_parse(item, 1, CLUMP_SLOWDOWN_PROCESSORS, &count) && next != NULL;
            record.run.processors = (size_t)count;
        } else if (i == 1) {
            good = whole_parse(item, 0, CLUMP_SLOWDOWN_PROCESSORS, &count) && next != NULL;
            record.run.nics = (size_t)count;
        } else if (i == 2) {
            good = real_parse(item, &record.run.time_s) && record.run.time_s > 0;
        } else {
            good = read_extra(item, &record);
        }
        if (!good)
            return option_wrong(&a->invocation->arguments, "run", text, expected_run);
    }
    clump_error error;
    return clump_slowdown_runs_add(&a->runs, &record, &error) == CLUMP_OK
               ? EXIT_DONE
               : error_memory(a->invocation->arguments.command);
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
    switch (clump_file_read(path, largest, &bytes, &size)) {
    case CLUMP_FILE_OK:
        break;
    case CLUMP_FILE_NOT_OPENED:
        return error_input(command, "--file: cannot open '%.200s': %s", path, strerror(errno));
    case CLUMP_FILE_DIRECTORY:
    case CLUMP_FILE_UNREADABLE:
        return error_input(command, "--file: cannot read '%.200s': %s", shown, strerror(errno));
    case CLUMP_FILE_TOO_LARGE:
        return error_input(
            command, "--file: '%.200s' has more than %zu MiB, expected the times of some runs",
            shown, largest >> 20);
    case CLUMP_FILE_NO_MEMORY:
        return error_memory(command);
    }
    clump_sha256(bytes, size, a->file_sha256);
    const clump_status status = clump_slowdown_runs_read(
        &a->runs, standard ? "stdin" : path, bytes, size, a->settings->selection.mapping, &error);
    free(bytes);
    return complain(a, status, &error);
}

static int load(asked *a, clump_store *store)
{
    const settings *s = a->settings;
    clump_slowdown_selection selection = s->selection;
    clump_error error;
    selection.platforms = s->platforms.count > 0 ? s->platforms.items : NULL;
    selection.platform_count = s->platforms.count;
    return complain(a, clump_slowdown_runs_load(&a->runs, store, &selection, &error), &error);
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
    return complain(a, clump_slowdown_runs_merge(&a->runs, &error), &error);
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
static int read_question(asked *a, clump_store *store)
{
    const settings *s = a->settings;
    double time = NAN;
    a->question = clump_slowdown_question_default();
    a->question.form = s->form;
    a->question.confidence = s->confidence;
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

/* ---- kept */

enum { TEXT = 1024 };

/* The command as it was given, as far as there is room. */
static void describe_command(const command_line *a, char text[TEXT])
{
    size_t used = (size_t)snprintf(text, TEXT, "clumpmodel fit slowdown");
    for (size_t i = 0; i < a->given_count && used < TEXT; i++) {
        const bool plain =
            a->given[i].value[strspn(
                a->given[i].value, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
                                   ".,=_/:+-")] == '\0';
        used += (size_t)snprintf(text + used, TEXT - used, plain ? " --%s %s" : " --%s '%s'",
                                 a->given[i].entry->name, a->given[i].value);
    }
    for (char *c = text; *c != '\0'; c++)
        if ((unsigned char)*c < 0x20)
            *c = ' ';
}

static int keep(const asked *a, const clump_slowdown_fit *fit)
{
    const command_line *line = &a->invocation->arguments;
    const settings *s = a->settings;
    char command[TEXT];
    clump_store *store = NULL;
    clump_error error;
    bool taken = false;
    if (s->name == NULL)
        return EXIT_DONE;
    if (a->runs.slowdowns)
        return error_usage(line->command,
                           "--name: found slowdowns, expected times in seconds to be stored");
    describe_command(line, command);
    const clump_slowdown_keeping how = {.name = s->name,
                                        .application = s->selection.application,
                                        .file = s->file,
                                        .sha256 = a->file_sha256,
                                        .command = command,
                                        .version = CLUMPMODEL_VERSION};
    int status = database_create(a->invocation, &store);
    if (status == EXIT_DONE) {
        const clump_store_status kept =
            clump_slowdown_fit_store(store, &a->runs, &a->question, fit, &how, &taken, &error);
        if (taken)
            status = error_input(line->command,
                                 "--name: there is an application '%.200s' already, expected "
                                 "a new name",
                                 s->name);
        else if (kept != CLUMP_STORE_OK)
            status = error.status == CLUMP_NO_MEMORY ? error_memory(line->command)
                                                     : error_store(line->command, store, kept);
    }
    database_close(a->invocation, store, status);
    return status;
}

/* ---- what the user has to know beside the numbers */

/* From here on one of two parameters can take the place of the other. */
static const double trade_off = 0.9;

/* Residuals that no noise of times explains, where nothing is known of it. */
static const double poor = 0.1;

static bool warn_of_pairs(const char *command, const fit_slowdown_answer *a)
{
    const clump_slowdown_fit *f = a->fit;
    bool any = false;
    for (size_t i = 0; i < f->unknown_count; i++)
        for (size_t j = i + 1; j < f->unknown_count; j++) {
            char first[UNKNOWN_SIZE], second[UNKNOWN_SIZE];
            const double r = f->correlation[i][j];
            if (!(fabs(r) > trade_off))
                continue;
            fit_slowdown_unknown(a->runs, f->unknowns[i], first);
            fit_slowdown_unknown(a->runs, f->unknowns[j], second);
            note_print(command,
                       "%s and %s trade off (correlation %+.3f): these times can hardly "
                       "tell them apart",
                       first, second, r);
            any = true;
        }
    return any;
}

static bool warn_of_bounds(const char *command, const fit_slowdown_answer *a)
{
    bool any = false;
    for (size_t j = 0; j < a->fit->unknown_count; j++) {
        const size_t u = a->fit->unknowns[j];
        if (u >= CLUMP_SLOWDOWN_PARAMETERS)
            continue;
        const clump_slowdown_estimate *e = &a->fit->parameters[u];
        if (e->low_is_bound && e->high_is_bound)
            note_print(command, "these times allow any %s from %.4g to %.4g",
                       clump_slowdown_parameter_name((clump_slowdown_parameter)u), e->low, e->high);
        else if (e->low_is_bound || e->high_is_bound)
            note_print(command, "these times allow %s to be as %s as %.4g, the end of its range",
                       clump_slowdown_parameter_name((clump_slowdown_parameter)u),
                       e->low_is_bound ? "small" : "large", e->low_is_bound ? e->low : e->high);
        else
            continue;
        any = true;
    }
    return any;
}

static void suggest(const char *command, const fit_slowdown_answer *a)
{
    double values[CLUMP_SLOWDOWN_PARAMETERS];
    clump_slowdown_run run;
    for (size_t k = 0; k < CLUMP_SLOWDOWN_PARAMETERS; k++)
        values[k] = a->fit->parameters[k].value;
    if (clump_slowdown_suggest(a->question, values, &run))
        note_print(command,
                   "most helpful would be the time with %zu processor(s) and %zu "
                   "NIC(s)%s%s",
                   run.processors, run.nics, run.processors > 1 ? ", " : "",
                   run.processors > 1 ? clump_mapping_name(run.mapping) : "");
}

static void suggest_free(const char *command, const fit_slowdown_answer *a)
{
    clump_slowdown_parameter parameter;
    double rms_error;
    if (clump_slowdown_missed(a->question, a->fit, &parameter, &rms_error))
        note_print(command, "with %s free, too, the residuals would fall from %.2g%% to %.2g%%",
                   clump_slowdown_parameter_name(parameter), 100 * a->fit->rms_error,
                   100 * rms_error);
}

static void warn(const char *command, const fit_slowdown_answer *a)
{
    const clump_slowdown_fit *f = a->fit;
    const bool pairs = warn_of_pairs(command, a), bounds = warn_of_bounds(command, a);
    if (f->widening > 1)
        note_print(command,
                   "the model misses the times by more than their errors (p = %.2g); intervals "
                   "are %.1f times as wide as the errors alone would make them",
                   f->p_value, f->widening);
    if (!f->weighted && f->rms_error > poor)
        note_print(command,
                   "the model does not explain these times: residuals "
                   "are %.2g%% (root mean square)",
                   100 * f->rms_error);
    if (f->unknown_count > 0 && !f->weighted && !(f->freedom > 0))
        note_print(command, "as many unknowns as configurations and no spread of the times: "
                            "there are no intervals; give std_dev, half_width or repeated times");
    if (f->other_optima > 0)
        note_print(command, "%zu other set(s) of values fit as well within the errors",
                   f->other_optima);
    if (f->widening > 1 || (!f->weighted && f->rms_error > poor))
        suggest_free(command, a);
    if ((pairs || bounds) && f->base_count == 1)
        suggest(command, a);
}

/* ---- printed */

static void print_goodness(const fit_slowdown_answer *a)
{
    const clump_slowdown_fit *f = a->fit;
    printf("\nRoot mean square of the residuals: %.2g%%; %zu configurations, %zu unknowns\n",
           100 * f->rms_error, a->question->run_count, f->unknown_count);
    if (!isnan(f->p_value))
        printf("Chi-square: %.4g with %.0f degrees of freedom (p = %.2g)\n", f->chi_square,
               f->freedom, f->p_value);
}

static int print(const command_invocation *invocation, const fit_slowdown_answer *a)
{
    fit_slowdown_tables t;
    if (!fit_slowdown_tables_make(a, &t))
        return error_memory(invocation->arguments.command);
    const table_rows *all[] = {&t.parameters, &t.correlations, &t.configurations};
    const clump_slowdown_fit *f = a->fit;
    const output_field fields[] = {field_real("chi_square", f->chi_square),
                                   field_real("degrees_of_freedom", f->freedom),
                                   field_real("p_value", f->p_value),
                                   field_real("rms_error", f->rms_error),
                                   field_real("widening", f->widening),
                                   field_real("confidence", a->question->confidence),
                                   field_real("other_optima", (double)f->other_optima)};
    int status = EXIT_DONE;
    if (invocation->format == FORMAT_CSV) {
        status = csv_print(&t.parameters);
    } else if (invocation->format == FORMAT_JSON) {
        status = json_print(all, 3, fields, sizeof fields / sizeof *fields);
    } else {
        if (a->application != NULL)
            printf("Application: %s\n\n", a->application);
        for (size_t i = 0; i < 3 && status == EXIT_DONE; i++) {
            if (all[i]->row_count == 0)
                continue;
            if (i > 0)
                putchar('\n');
            status = table_print(all[i]);
        }
        if (status == EXIT_DONE)
            print_goodness(a);
    }
    fit_slowdown_tables_free(&t);
    return status;
}

/* ---- drawn: measured and fitted times of the configurations */

typedef struct builder {
    const fit_slowdown_answer *answer;
    clump_arena *arena;
    size_t count;
    const char **names;
    plot_series series[2];
} builder;

static const char *name_run(const builder *b, const clump_slowdown_run *run)
{
    enum { SIZE = 96 };
    char *name = clump_arena_take(b->arena, SIZE);
    if (name != NULL)
        snprintf(name, SIZE, "%zu on %zu NIC%s%s", run->processors, run->nics,
                 run->nics == 1 ? "" : "s",
                 run->mapping == CLUMP_MAPPING_STATIC && run->nics > 1 ? ", static" : "");
    return name;
}

/* Half of the 95% interval of a time whose error is known; 0: it is not. */
static double half_width(const clump_slowdown_run *run)
{
    const double normal = 1.959963984540054;
    return isfinite(run->relative_error) ? normal * run->relative_error * run->time_s : 0;
}

static bool add_runs(builder *b)
{
    enum { ARRAYS = 6 };
    const clump_slowdown_question *q = b->answer->question;
    double *const numbers = clump_arena_take(b->arena, ARRAYS * b->count * sizeof *numbers);
    b->names = clump_arena_take(b->arena, b->count * sizeof *b->names);
    if (numbers == NULL || b->names == NULL)
        return false;
    double *const left = numbers, *const right = left + b->count, *const fitted = right + b->count,
                  *const measured = fitted + b->count, *const low = measured + b->count,
                  *const high = low + b->count;
    for (size_t i = 0; i < b->count; i++) {
        const clump_slowdown_run *run = &q->runs[i];
        b->names[i] = name_run(b, run);
        if (b->names[i] == NULL)
            return false;
        left[i] = (double)i - 0.06;
        right[i] = (double)i + 0.06;
        fitted[i] = b->answer->fit->fitted_s[i];
        measured[i] = run->time_s;
        low[i] = run->time_s - half_width(run);
        high[i] = run->time_s + half_width(run);
    }
    b->series[0] = (plot_series){
        .name = "fitted", .mark = PLOT_POINTS, .x = left, .y = fitted, .count = b->count};
    b->series[1] = (plot_series){.name = "measured, 95% interval",
                                 .mark = PLOT_POINTS,
                                 .measured = true,
                                 .colour = PLOT_BLACK,
                                 .x = right,
                                 .y = measured,
                                 .low = low,
                                 .high = high,
                                 .count = b->count};
    return true;
}

static int draw(const plot_request *request, output_format format,
                const fit_slowdown_answer *answer)
{
    enum { MOST_RUNS = 60 };
    builder b = {.answer = answer, .count = answer->question->run_count};
    if (b.count > MOST_RUNS)
        return error_input(request->command,
                           "no picture: found %zu configurations, expected %d at most", b.count,
                           (int)MOST_RUNS);
    b.arena = clump_arena_new();
    int status = EXIT_DONE;
    if (b.arena == NULL || !add_runs(&b)) {
        status = error_memory(request->command);
    } else {
        const plot_picture plot = {
            .title = answer->application != NULL ? answer->application : "Fitted to measured times",
            .x = {.label = "Processors on NICs"},
            .y = {.label = answer->runs->slowdowns ? "Slowdown X" : "Time (s)"},
            .categories = b.names,
            .category_count = b.count,
            .series = b.series,
            .series_count = 2};
        status = plot_request_draw(request, &plot, 1, format);
    }
    clump_arena_free(b.arena);
    return status;
}

/* ---- the command */

static int answer(const asked *a)
{
    const command_invocation *invocation = a->invocation;
    const plot_request *plot = &a->settings->plot;
    clump_slowdown_fit fit;
    clump_error error = {CLUMP_OK, ""};
    int status = complain(a, clump_slowdown_fit_compute(&a->question, &fit, &error), &error);
    if (status != EXIT_DONE)
        return status;
    const fit_slowdown_answer given = {&a->runs, &a->question, &fit,
                                       a->settings->selection.application};
    status = keep(a, &fit);
    if (status == EXIT_DONE && !invocation->quiet) {
        note_lines(invocation->arguments.command, NULL, a->runs.notices);
        warn(invocation->arguments.command, &given);
    }
    if (status == EXIT_DONE)
        status = print(invocation, &given);
    if (status == EXIT_DONE && plot_request_is_made(plot))
        status = draw(plot, invocation->format, &given);
    clump_slowdown_fit_free(&fit);
    return status;
}

/* One that is still to be made by --name has no times. */
static int open_database(const asked *a, clump_store **store)
{
    const command_invocation *invocation = a->invocation;
    if (a->settings->name != NULL && invocation->database != NULL &&
        access(invocation->database, F_OK) != 0) {
        const clump_store_status status = clump_store_open(NULL, CLUMP_STORE_READ, store);
        return status == CLUMP_STORE_OK
                   ? EXIT_DONE
                   : error_store(invocation->arguments.command, *store, status);
    }
    return database_open(invocation, store);
}

static int run(const command_invocation *invocation)
{
    asked a = {.invocation = invocation, .settings = invocation->settings};
    clump_store *store = NULL;
    int status = EXIT_DONE;
    if (a.settings->selection.application != NULL)
        status = open_database(&a, &store);
    if (status == EXIT_DONE)
        status = read_question(&a, store);
    if (status == EXIT_DONE)
        status = answer(&a);
    clump_slowdown_runs_free(&a.runs);
    clump_store_close(store);
    return status;
}

const command_entry command_fit_slowdown = {
    .name = "fit slowdown",
    .summary = "Find an application's parameters from its times on several configurations",
    .text =
        "From the times of one application with different numbers of processors and NICs in a\n"
        "node, or mappings, finds its utilization U (share of its time that a processor\n"
        "communicates where it has its own NIC), gang size s (processors that communicate\n"
        "together), loss of efficiency e, memory penalty and more. They come with intervals by\n"
        "profile likelihood, and with the correlations of parameters that trade off. A run of 1\n"
        "processor with 1 NIC is the reference, the NOW. Times come from the database\n"
        "(--application), a CSV file (--file) or the command line (--run).",
    .examples = "clumpmodel fit slowdown --run 1,1,10 --run 8,4,10.5 --run 8,2,15.9 --free U,s\n"
                "clumpmodel fit slowdown --file runs.csv --free U,s,penalty\n"
                "clumpmodel fit slowdown --application SAMPLE --free U,s,penalty",
    .tables = tables,
    .settings_size = sizeof(settings),
    .creates_database = true,
    .run = run,
};
