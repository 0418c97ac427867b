/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/command.h"
#include "cli/database.h"
#include "cli/fitting/fit_report.h"
#include "cli/fitting/fit_slowdown_question.h"
#include "cli/fitting/fit_slowdown_tables.h"
#include "cli/output/errors.h"
#include "cli/output/output.h"
#include "cli/pictures/plot_builder.h"
#include "clumpmodel.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

typedef fit_slowdown_settings settings;

static int read_form(command_line *line, const option_entry *option, const char *text, void *field)
{
    return clump_efficiency_form_parse(text, field)
               ? EXIT_DONE
               : option_wrong(line, option->name, text, "inverse, power or exponential");
}

static const option_entry options[] = {
    {.name = "application",
     .help = "take its execution times from the database, and its\n"
             "traffic where it is known",
     OPTION_OF(settings, selection.application)},
    {.name = "platform",
     .help = "only these platforms and their NOWs; may be repeated",
     .repeated = true,
     OPTION_OF(settings, platforms)},
    {.name = "variant",
     .help = "variant of the times (default: multi-protocol, or the only\n"
             "one)",
     OPTION_OF(settings, selection.variant)},
    {.name = "quantity",
     .help = "quantity that holds the times (default: execution_time)",
     OPTION_OF(settings, selection.quantity)},
    {.name = "file",
     .argument = "FILE",
     .help = "CSV with columns processors, nics, time and optionally\n"
             "mapping, std_dev, half_width, runs, now... ('-': standard\n"
             "input)",
     OPTION_OF(settings, file)},
    {.name = "run",
     .argument = "P,N,SECONDS[,...]",
     .help = "one time: processors and NICs of a node, seconds, and\n"
             "optionally static, sd=, hw=, runs=, f=, V=, h=, U=, m=,\n"
             "now=NAME; may be repeated",
     .repeated = true,
     OPTION_OF(settings, runs)},
    {.name = "free",
     .argument = "LIST",
     .help = "parameters to find: U (or computation,communication), s\n"
             "(gang size), e (efficiency), penalty (of memory), f (remote\n"
             "fraction), V (cost ratio), h (waiting); default: {}",
     OPTION_OF(settings, free),
     .preset = "U"},
    {.name = "fix",
     .argument = "NAME=VALUE",
     .help = "value of one of these that is known, or time=SECONDS on the\n"
             "NOW; may be repeated",
     .repeated = true,
     OPTION_OF(settings, fixed)},
    {.name = "demand",
     .argument = "KIND",
     .help = "independent, correlated or scheduled, unless s is free or\n"
             "fixed (default: independent)",
     OPTION_OF(settings, demand)},
    {.name = "efficiency",
     .argument = "FORM",
     .help = "form of E(q), the share of their speed that NICs keep while\n"
             "q processors communicate: inverse 1/(1+e(q-1)), power q^-e\n"
             "or exponential exp(-e(q-1)) (default: {})",
     OPTION_READ(read_form, settings, form),
     .preset = "inverse"},
    {.name = "mapping",
     .argument = "pooled|static",
     .help = "mapping of runs that do not say (default: {})",
     OPTION_AS(CHOICE, settings, selection.mapping),
     .preset = "pooled"},
    {.name = "name",
     .help = "store the result as an application of this name, such as\n"
             "SAMPLE/fitted, for use in scenarios",
     OPTION_OF(settings, name)},
    {0},
};

static const option_table tables[] = {{options, 0}, {plot_options, offsetof(settings, plot)}, {0}};

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

static int keep(const fit_slowdown_asked *a, const clump_slowdown_fit *fit)
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

/* "U = 0.1033, s = 2; U = 0.9": what else fits. @return text */
static const char *list_others(const clump_slowdown_fit *f, char *text, size_t size)
{
    size_t used = 0;
    text[0] = 0;
    for (size_t i = 0; i < f->other_optima; i++) {
        const char *before = i > 0 ? "; " : "";
        for (size_t k = 0; k < CLUMP_SLOWDOWN_PARAMETERS && used < size; k++) {
            if (!f->parameters[k].free)
                continue;
            used += (size_t)snprintf(text + used, size - used, "%s%s = %.4g", before,
                                     clump_slowdown_parameter_name(k), f->other_values[i][k]);
            before = ", ";
        }
    }
    return text;
}

enum { OTHERS_SIZE = 2000 };

static void warn(const char *command, const fit_slowdown_answer *a)
{
    char others[OTHERS_SIZE];
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
        note_print(command, "other values fit as well within the errors: %s",
                   list_others(f, others, sizeof others));
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

static int print_for_eyes(const void *fit, const fit_tables *all)
{
    const fit_slowdown_answer *a = fit;
    if (a->application != NULL)
        printf("Application: %s\n\n", a->application);
    const int status = fit_print_tables(all, 0, all->count, false);
    if (status == EXIT_DONE)
        print_goodness(a);
    return status;
}

static int print(const command_invocation *invocation, const fit_slowdown_answer *a)
{
    char others[OTHERS_SIZE];
    fit_tables all = fit_slowdown_tables_make(a);
    const clump_slowdown_fit *f = a->fit;
    const output_field fields[] = {
        field_real("chi_square", f->chi_square),
        field_real("degrees_of_freedom", f->freedom),
        field_real("p_value", f->p_value),
        field_real("rms_error", f->rms_error),
        field_real("widening", f->widening),
        field_real("confidence", a->question->confidence),
        field_real("other_optima", (double)f->other_optima),
        field_text("other_estimates", list_others(f, others, sizeof others))};
    return fit_print(invocation, &all, fields, sizeof fields / sizeof *fields, print_for_eyes, a);
}

/* ---- drawn: measured and fitted times of the configurations */

/* Half of the 95% interval of a time whose error is known; 0: it is not. */
static double half_width(const clump_slowdown_run *run)
{
    const double normal = 1.959963984540054;
    return isfinite(run->relative_error) ? normal * run->relative_error * run->time_s : 0;
}

static int draw(const plot_request *request, const fit_slowdown_answer *answer)
{
    enum { MOST_RUNS = 60 };
    const clump_slowdown_question *q = answer->question;
    const char *names[MOST_RUNS];
    if (q->run_count > MOST_RUNS)
        return error_input(request->command,
                           "no picture: found %zu configurations, expected %d at most",
                           q->run_count, (int)MOST_RUNS);
    plot_builder b = plot_builder_start();
    plot_builder_series(&b, &(plot_series){.name = "fitted", .mark = PLOT_POINTS});
    for (size_t i = 0; i < q->run_count; i++) {
        const clump_slowdown_run *run = &q->runs[i];
        names[i] = plot_builder_text(
            &b, "%zu on %zu NIC%s%s", run->processors, run->nics, run->nics == 1 ? "" : "s",
            run->mapping == CLUMP_MAPPING_STATIC && run->nics > 1 ? ", static" : "");
        plot_builder_add(&b, (double)i - 0.06, answer->fit->fitted_s[i]);
    }
    plot_builder_series(&b, &(plot_series){.name = "measured, 95% interval",
                                           .mark = PLOT_POINTS,
                                           .measured = true,
                                           .colour = PLOT_BLACK});
    for (size_t i = 0; i < q->run_count; i++) {
        const clump_slowdown_run *run = &q->runs[i];
        plot_builder_add_interval(&b, (double)i + 0.06, run->time_s, run->time_s - half_width(run),
                                  run->time_s + half_width(run));
    }
    const plot_picture plot = {.title = answer->application != NULL ? answer->application
                                                                    : "Fitted to measured times",
                               .x = {.label = "Processors on NICs"},
                               .y = {.label = answer->runs->slowdowns ? "Slowdown X" : "Time (s)"},
                               .categories = names,
                               .category_count = q->run_count,
                               .series = b.series,
                               .series_count = b.count};
    return plot_builder_draw(&b, request, &plot, 1);
}

/* ---- the command */

static int answer(const fit_slowdown_asked *a)
{
    const command_invocation *invocation = a->invocation;
    const plot_request *plot = &a->settings->plot;
    clump_slowdown_fit fit;
    clump_error error = {CLUMP_OK, ""};
    int status =
        fit_slowdown_complain(a, clump_slowdown_fit_compute(&a->question, &fit, &error), &error);
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
        status = draw(plot, &given);
    clump_slowdown_fit_free(&fit);
    return status;
}

/* One that is still to be made by --name has no times. */
static int open_database(const fit_slowdown_asked *a, clump_store **store)
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
    fit_slowdown_asked a = {.invocation = invocation, .settings = invocation->settings};
    clump_store *store = NULL;
    int status = EXIT_DONE;
    if (a.settings->selection.application != NULL)
        status = open_database(&a, &store);
    if (status == EXIT_DONE)
        status = fit_slowdown_read_question(&a, store);
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
