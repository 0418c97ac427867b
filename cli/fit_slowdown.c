/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/command.h"
#include "cli/database.h"
#include "cli/fit_slowdown_output.h"
#include "cli/options/numbers.h"
#include "cli/output/errors.h"
#include "clumpmodel.h"
#include "data/sha256.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- options */

static const char parameter_list[] = "U, s, e, penalty, f, V or h";

typedef struct settings {
    const char *application, *quantity, *variant; /* of stored times */
    option_texts platforms;
    const char *file;
    option_texts runs;
    clump_mapping mapping; /* of runs that do not say */
    bool free[CLUMP_SLOWDOWN_PARAMETERS];
    double fixed[CLUMP_SLOWDOWN_PARAMETERS]; /* NAN: not given */
    double time_s;                           /* on the NOW; NAN: not given */
    clump_demand demand;
    clump_efficiency_form form;
    double confidence;
    const char *name; /* of the application that the result becomes, or NULL */
    plot_request plot;
} settings;

static int read_free(command_line *line, const option_entry *option, const char *text, void *field)
{
    bool *is_free = field;
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
            snprintf(expected, sizeof expected, "a list of %s, or none", parameter_list);
            return option_wrong(line, option->name, item, expected);
        }
        if (part || strcmp(item, "time") != 0)
            is_free[parameter] = true;
    }
    return EXIT_DONE;
}

static int read_fixed(command_line *line, const option_entry *option, const char *text, void *field)
{
    settings *s = field;
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
        snprintf(expected, sizeof expected, "NAME=VALUE with NAME one of %s, or time",
                 parameter_list);
        return option_wrong(line, option->name, text, expected);
    }
    const double least = is_time ? 1e-12 : ranges[parameter][0];
    const double most = is_time ? 1e12 : ranges[parameter][1];
    if (!real_parse(equals + 1, &value) || value < least || value > most) {
        snprintf(expected, sizeof expected, "a number from %g to %g after '%s='", least, most,
                 name);
        return option_wrong(line, option->name, text, expected);
    }
    if (is_time) {
        s->time_s = value;
        return EXIT_DONE;
    }
    if (s->free[parameter])
        return error_usage(line->command,
                           "--fix %s: it is free as well, expected one of --fix and "
                           "--free",
                           name);
    s->fixed[parameter] = value;
    return EXIT_DONE;
}

static int read_demand(command_line *line, const option_entry *option, const char *text,
                       void *field)
{
    settings *s = field;
    double gang = NAN;
    if (s->free[CLUMP_SLOWDOWN_GANG] || !isnan(s->fixed[CLUMP_SLOWDOWN_GANG]))
        return error_usage(line->command,
                           "--demand: found it beside the gang size s, expected one of "
                           "them: s = 1 is independent");
    if (!clump_demand_parse(text, &s->demand, &gang) || s->demand == CLUMP_DEMAND_GANG)
        return option_wrong(line, option->name, text,
                            "independent, correlated or scheduled; gangs with --fix "
                            "s=SIZE or --free s");
    return EXIT_DONE;
}

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
     OPTION_FIELD(settings, application)},
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
     OPTION_FIELD(settings, variant)},
    {.name = "quantity",
     .argument = "NAME",
     .help = "quantity that holds the times (default: execution_time)",
     .type = OPTION_TEXT,
     OPTION_FIELD(settings, quantity)},
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
     .type = OPTION_CUSTOM,
     OPTION_FIELD(settings, free),
     .preset = "U",
     .read = read_free},
    {.name = "fix",
     .argument = "NAME=VALUE",
     .help = "value of one of these that is known, or time=SECONDS on the\n"
             "NOW; may be repeated",
     .repeated = true,
     .type = OPTION_CUSTOM,
     .size = sizeof(settings),
     .read = read_fixed},
    {.name = "demand",
     .argument = "KIND",
     .help = "independent, correlated or scheduled, unless s is free or\n"
             "fixed (default: independent)",
     .type = OPTION_CUSTOM,
     .size = sizeof(settings),
     .read = read_demand},
    {.name = "efficiency",
     .argument = "FORM",
     .help = "form of E(q), the share of their speed that NICs keep while\n"
             "q processors communicate: inverse 1/(1+e(q-1)), power q^-e\n"
             "or exponential exp(-e(q-1)) (default: inverse)",
     .type = OPTION_CUSTOM,
     OPTION_FIELD(settings, form),
     .read = read_form},
    {.name = "mapping",
     .argument = "pooled|static",
     .help = "mapping of runs that do not say (default: pooled)",
     .type = OPTION_CHOICE,
     OPTION_FIELD(settings, mapping)},
    {.name = "confidence",
     .argument = "SHARE",
     .help = "confidence of the intervals (default: {})",
     .type = OPTION_REAL,
     OPTION_FIELD(settings, confidence),
     .preset = "0.95",
     .least = 0.5,
     .most = 0.9999},
    {.name = "name",
     .argument = "NAME",
     .help = "store the result as an application of this name, such as\n"
             "SAMPLE/fitted, for use in scenarios",
     .type = OPTION_TEXT,
     OPTION_FIELD(settings, name)},
    {0},
};

static const option_table tables[] = {{options, 0}, {plot_options, offsetof(settings, plot)}, {0}};

static const settings initial = {.fixed = {NAN, NAN, NAN, NAN, NAN, NAN, NAN}, .time_s = NAN};
_Static_assert(CLUMP_SLOWDOWN_PARAMETERS == 7, "as many as are not given");

/* ---- the runs */

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

static int read_run(const command_line *arguments, const char *text, clump_mapping mapping,
                    clump_slowdown_runs *runs)
{
    clump_slowdown_record record = clump_slowdown_record_default();
    const char *next = text;
    record.run.mapping = mapping;
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
            return option_wrong(arguments, "run", text, expected_run);
    }
    clump_error error;
    return clump_slowdown_runs_add(runs, &record, &error) == CLUMP_OK
               ? EXIT_DONE
               : error_memory(arguments->command);
}

enum { LARGEST = 1 << 24 };

static int load(const command_line *arguments, const char *path, FILE *file, char **bytes,
                size_t *size)
{
    char *buffer = malloc(LARGEST + 1);
    if (buffer == NULL)
        return error_memory(arguments->command);
    *size = fread(buffer, 1, LARGEST + 1, file);
    if (ferror(file) != 0 || *size > LARGEST) {
        const int reason = errno;
        free(buffer);
        if (ferror(file) != 0)
            return error_input(arguments->command, "--file: cannot read '%.200s': %s", path,
                               strerror(reason));
        return error_input(arguments->command,
                           "--file: '%.200s' has more than %d MiB, expected the times of "
                           "some runs",
                           path, LARGEST >> 20);
    }
    *bytes = buffer;
    return EXIT_DONE;
}

static int read_file(const command_line *arguments, const char *path, clump_mapping mapping,
                     clump_slowdown_runs *runs, char *sha256)
{
    const bool standard = strcmp(path, "-") == 0;
    FILE *file = standard ? stdin : fopen(path, "rb");
    char *bytes = NULL;
    size_t size = 0;
    if (file == NULL)
        return error_input(arguments->command, "--file: cannot open '%.200s': %s", path,
                           strerror(errno));
    int status = load(arguments, standard ? "standard input" : path, file, &bytes, &size);
    if (!standard)
        fclose(file);
    if (status != EXIT_DONE)
        return status;
    clump_error error;
    clump_sha256(bytes, size, sha256);
    const clump_status read =
        clump_slowdown_runs_read(runs, standard ? "stdin" : path, bytes, size, mapping, &error);
    free(bytes);
    if (read == CLUMP_BAD_ARGUMENT)
        status = error_input(arguments->command, "%s", error.message);
    else if (read != CLUMP_OK)
        status = error_failed(arguments->command, "%s", error.message);
    return status;
}

static int complain(const command_invocation *invocation, clump_status status,
                    const clump_error *error)
{
    const char *command = invocation->arguments.command;
    return status == CLUMP_BAD_ARGUMENT ? error_input(command, "%s", error->message)
                                        : error_failed(command, "%s", error->message);
}

static int load_runs(const command_invocation *invocation, clump_store *store,
                     clump_slowdown_runs *runs)
{
    const settings *s = invocation->settings;
    const clump_slowdown_selection selection = {
        .application = s->application,
        .quantity = s->quantity,
        .variant = s->variant,
        .platforms = s->platforms.items,
        .platform_count = s->platforms.count,
        .mapping = s->mapping,
    };
    clump_error error;
    const clump_status status = clump_slowdown_runs_load(runs, store, &selection, &error);
    return status == CLUMP_OK ? EXIT_DONE : complain(invocation, status, &error);
}

static int read_runs(const command_invocation *invocation, clump_store *store,
                     fit_slowdown_question *asked)
{
    const command_line *line = &invocation->arguments;
    const settings *s = invocation->settings;
    clump_slowdown_runs *runs = &asked->runs;
    int status = EXIT_DONE;
    if (s->application == NULL && s->file == NULL && s->runs.count == 0)
        return error_usage(line->command, "found no runs, expected --application NAME, "
                                          "--file FILE or --run P,N,SECONDS");
    /* Those of the store are compared with NOWs that are known by name. */
    if (s->application != NULL)
        status = load_runs(invocation, store, runs);
    if (status == EXIT_DONE && s->file != NULL)
        status = read_file(line, s->file, s->mapping, runs, asked->file_sha256);
    for (size_t i = 0; i < s->runs.count && status == EXIT_DONE; i++)
        status = read_run(line, s->runs.items[i], s->mapping, runs);
    if (status != EXIT_DONE)
        return status;
    clump_error error;
    const clump_status merged = clump_slowdown_runs_merge(runs, &error);
    return merged == CLUMP_OK ? EXIT_DONE : complain(invocation, merged, &error);
}

/* ---- the question */

static int set_times(const command_line *arguments, double time_s, fit_slowdown_question *asked)
{
    const clump_slowdown_runs *runs = &asked->runs;
    if (!isnan(time_s) && runs->slowdowns)
        return error_usage(arguments->command, "--fix time: found slowdowns, whose time "
                                               "on the NOW is 1, expected seconds");
    if (!isnan(time_s) && runs->base_count > 1)
        return error_usage(arguments->command,
                           "--fix time: found %zu NOWs to compare with, expected one",
                           runs->base_count);
    for (size_t b = 0; b < runs->base_count; b++)
        asked->base_times_s[b] = runs->slowdowns ? 1 : time_s;
    asked->question.base_times_s = asked->base_times_s;
    asked->question.base_count = runs->base_count;
    asked->question.runs = runs->runs;
    asked->question.run_count = runs->run_count;
    asked->question.error_freedom = runs->error_freedom;
    return EXIT_DONE;
}

/* A utilization that neither the options nor the database tell, by the name of the platform. */
static int check_utilizations(const command_line *arguments, const fit_slowdown_question *asked)
{
    const clump_slowdown_question *q = &asked->question;
    const clump_slowdown_runs *runs = &asked->runs;
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

static int make_question(const command_invocation *invocation, clump_store *store,
                         fit_slowdown_question *asked)
{
    const settings *s = invocation->settings;
    clump_slowdown_question *q = &asked->question;
    *q = clump_slowdown_question_default();
    q->demand = s->demand;
    q->form = s->form;
    q->confidence = s->confidence;
    for (size_t k = 0; k < CLUMP_SLOWDOWN_PARAMETERS; k++) {
        q->free[k] = s->free[k];
        if (!isnan(s->fixed[k]))
            q->value[k] = s->fixed[k];
    }
    int status = read_runs(invocation, store, asked);
    if (status == EXIT_DONE)
        status = set_times(&invocation->arguments, s->time_s, asked);
    return status == EXIT_DONE ? check_utilizations(&invocation->arguments, asked) : status;
}

/* ---- into the database: the result becomes an application */

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

static const char *demand_name(const clump_slowdown_question *q, const clump_slowdown_fit *fit)
{
    return clump_demand_kind_name(
        isnan(fit->parameters[CLUMP_SLOWDOWN_GANG].value) ? q->demand : CLUMP_DEMAND_GANG);
}

static size_t set_parameters(const clump_slowdown_fit *fit, clump_store_fit_parameter *parameters)
{
    size_t count = 0;
    for (size_t k = 0; k < CLUMP_SLOWDOWN_PARAMETERS; k++) {
        const clump_slowdown_estimate *e = &fit->parameters[k];
        if (!isnan(e->value))
            parameters[count++] = (clump_store_fit_parameter){
                .name = clump_slowdown_parameter_name((clump_slowdown_parameter)k),
                .value = e->value,
                .low = e->low,
                .high = e->high,
                .free = e->free};
    }
    return count;
}

static void set_run(const fit_slowdown_answer *a, size_t i, clump_store_fit_run *run)
{
    const clump_slowdown_runs *runs = &a->asked->runs;
    const clump_slowdown_question *q = &a->asked->question;
    const clump_slowdown_run *r = &q->runs[i];
    const clump_slowdown_record *record = &runs->records[runs->record_of[i]];
    const bool *is_free = q->free;
    *run = (clump_store_fit_run){
        .platform = record->platform,
        .source = record->source,
        .base = record->base,
        .mapping = clump_mapping_name(r->mapping),
        .processors = (int64_t)r->processors,
        .nics = (int64_t)r->nics,
        .max_nics = r->max_nics_per_processor,
        .utilization = is_free[CLUMP_SLOWDOWN_UTILIZATION] ? NAN : r->utilization,
        .remote_fraction = is_free[CLUMP_SLOWDOWN_REMOTE] ? NAN : r->remote_fraction,
        .cost_ratio = is_free[CLUMP_SLOWDOWN_COST_RATIO] ? NAN : r->cost_ratio,
        .waiting_fraction = is_free[CLUMP_SLOWDOWN_WAITING] ? NAN : r->waiting_fraction,
        .base_time_s = a->fit->base_times_s[r->base].value,
        .time_s = r->time_s,
        .relative_error = r->relative_error,
        .fitted_s = a->fit->fitted_s[i],
    };
}

typedef struct entry {
    clump_store_source source;
    clump_store_application application;
    clump_store_fit fit;
} entry;

static clump_store_status add(clump_store *store, const entry *e)
{
    clump_store_status status = clump_store_begin(store);
    if (status == CLUMP_STORE_OK)
        status = clump_store_add_source(store, &e->source);
    if (status == CLUMP_STORE_OK)
        status = clump_store_add_application(store, &e->application);
    if (status == CLUMP_STORE_OK)
        status = clump_store_add_fit(store, &e->fit);
    return status == CLUMP_STORE_OK ? clump_store_commit(store) : status;
}

/* A name that is taken would hide what has it. */
static int check_name(const char *command, clump_store *store, const char *name)
{
    clump_store_application *found = NULL;
    const clump_store_status status = clump_store_find_application(store, name, &found);
    clump_store_free(found);
    if (status == CLUMP_STORE_NOT_FOUND)
        return EXIT_DONE;
    return status == CLUMP_STORE_OK
               ? error_input(command,
                             "--name: there is an application '%.200s' already, expected "
                             "a new name",
                             name)
               : error_store(command, store, status);
}

/* Without directories, as import keeps it. */
static const char *file_name(const char *path)
{
    const char *slash = path != NULL ? strrchr(path, '/') : NULL;
    if (path != NULL && strcmp(path, "-") == 0)
        return "standard input";
    return slash != NULL ? slash + 1 : path;
}

static int store_all(const command_invocation *invocation, const fit_slowdown_answer *a,
                     clump_store_fit_run *runs)
{
    const command_line *arguments = &invocation->arguments;
    const settings *s = invocation->settings;
    const char *name = s->name;
    const clump_slowdown_question *q = &a->asked->question;
    const char *file = file_name(s->file);
    char title[TEXT], source[300], command[TEXT];
    clump_store_fit_parameter parameters[CLUMP_SLOWDOWN_PARAMETERS];
    clump_store *store = NULL;
    snprintf(title, sizeof title, "Fitted to %zu times%s%.200s", q->run_count,
             a->application != NULL ? " of " : "", a->application != NULL ? a->application : "");
    snprintf(source, sizeof source, "fit-%.190s", name);
    describe_command(arguments, command);
    for (size_t i = 0; i < q->run_count; i++)
        set_run(a, i, &runs[i]);
    const entry e = {
        .source = {.name = source,
                   .kind = "inline",
                   .title = title,
                   .file = file,
                   .sha256 = file != NULL ? a->asked->file_sha256 : NULL,
                   .tool = "clumpmodel fit slowdown",
                   .tool_version = CLUMPMODEL_VERSION,
                   .command = command},
        .application = {.name = name, .title = title, .source = source},
        .fit = {.application = name,
                .fitted_from = a->application,
                .demand = demand_name(q, a->fit),
                .efficiency = clump_efficiency_form_name(q->form),
                .confidence = q->confidence,
                .chi_square = a->fit->chi_square,
                .freedom = fmax(a->fit->freedom, 0),
                .rms_error = a->fit->rms_error,
                .parameters = parameters,
                .parameter_count = set_parameters(a->fit, parameters),
                .runs = runs,
                .run_count = q->run_count},
    };
    int status = database_create(invocation, &store);
    if (status == EXIT_DONE)
        status = check_name(arguments->command, store, name);
    if (status == EXIT_DONE) {
        const clump_store_status added = add(store, &e);
        if (added != CLUMP_STORE_OK)
            status = error_store(arguments->command, store, added);
    }
    clump_store_close(store);
    return status;
}

/* All of it or nothing. */
static int keep(const command_invocation *invocation, const fit_slowdown_answer *answer)
{
    const size_t count = answer->asked->question.run_count;
    if (answer->asked->runs.slowdowns)
        return error_usage(invocation->arguments.command,
                           "--name: found slowdowns, expected times in seconds to be "
                           "stored");
    clump_store_fit_run *runs = calloc(count, sizeof *runs);
    if (runs == NULL)
        return error_memory(invocation->arguments.command);
    const int status = store_all(invocation, answer, runs);
    free(runs);
    return status;
}

/* ---- */

static int answer(const command_invocation *invocation, const fit_slowdown_question *asked)
{
    const char *command = invocation->arguments.command;
    const settings *s = invocation->settings;
    clump_slowdown_fit fit;
    clump_error error = {CLUMP_OK, ""};
    const clump_status computed = clump_slowdown_fit_compute(&asked->question, &fit, &error);
    if (computed != CLUMP_OK)
        return complain(invocation, computed, &error);
    const fit_slowdown_answer given = {asked, &fit, s->application};
    int status = s->name != NULL ? keep(invocation, &given) : EXIT_DONE;
    if (status == EXIT_DONE && !invocation->quiet) {
        note_lines(command, NULL, asked->runs.notices);
        fit_slowdown_warn(command, &given);
    }
    if (status == EXIT_DONE)
        status = fit_slowdown_print(command, invocation->format, &given);
    if (status == EXIT_DONE && plot_request_is_made(&s->plot))
        status = fit_slowdown_draw(&s->plot, invocation->format, &given);
    clump_slowdown_fit_free(&fit);
    return status;
}

/* One that is still to be made by --name has no times. */
static int open_database(const command_invocation *invocation, clump_store **store)
{
    const settings *s = invocation->settings;
    if (s->name == NULL || invocation->database == NULL || access(invocation->database, F_OK) == 0)
        return database_open(invocation, store);
    const clump_store_status status = clump_store_open(NULL, CLUMP_STORE_READ, store);
    return status == CLUMP_STORE_OK ? EXIT_DONE
                                    : error_store(invocation->arguments.command, *store, status);
}

static int run(const command_invocation *invocation)
{
    const settings *s = invocation->settings;
    fit_slowdown_question asked = {.file_sha256 = ""};
    clump_store *store = NULL;
    int status = s->application != NULL ? open_database(invocation, &store) : EXIT_DONE;
    if (status == EXIT_DONE)
        status = make_question(invocation, store, &asked);
    if (status == EXIT_DONE)
        status = answer(invocation, &asked);
    clump_slowdown_runs_free(&asked.runs);
    clump_store_close(store);
    return status;
}

const command_entry command_fit_slowdown = {
    .name = "fit slowdown",
    .summary = "Find an application's parameters from its times on several configurations",
    .text = "From the times of one application with different numbers of "
            "processors and NICs in a\n"
            "node, or mappings, finds its utilization U (share of its time "
            "that a processor\n"
            "communicates where it has its own NIC), gang size s (processors "
            "that communicate\n"
            "together), loss of efficiency e, memory penalty and more. They "
            "come with intervals by\n"
            "profile likelihood, and with the correlations of parameters "
            "that trade off. A run of 1\n"
            "processor with 1 NIC is the reference, the NOW. Times come from "
            "the database\n"
            "(--application), a CSV file (--file) or the command line (--run).",
    .examples = "clumpmodel fit slowdown --run 1,1,10.0 --run 8,4,10.5 --run 8,2,15.9 --free U,s\n"
                "clumpmodel fit slowdown --file runs.csv --free U,s,penalty\n"
                "clumpmodel fit slowdown --application SAMPLE --free U,s,penalty",
    .tables = tables,
    .settings_size = sizeof(settings),
    .initial = &initial,
    .creates_database = true,
    .run = run,
};
