/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/command.h"
#include "cli/database.h"
#include "cli/output/errors.h"
#include "cli/output/interrupt.h"
#include "cli/scenario_options.h"
#include "cli/validation/validate_clusters.h"
#include "cli/validation/validation_frozen.h"
#include "cli/validation/validation_output.h"
#include "fitting/validation/validation_simulation.h"
#include "model/limit.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* Which constants are fitted. */
typedef struct constant_choice {
    bool given;
    bool fitted[CLUMP_RULE_CONSTANTS];
} constant_choice;

/* What the options say. */
typedef struct settings {
    const char *dataset; /* NULL: all */
    const char *freeze, *frozen;
    bool variants[CLUMP_VALIDATION_VARIANTS];
    constant_choice fit;
    double max_error, max_mean_error; /* percent; INFINITY: no limit */
    bool simulate;
    clump_simulation_options simulation;
    plot_request plot;
    cluster_settings clusters;
} settings;

static int read_variants(command_line *line, const option_entry *option, const char *text,
                         void *field)
{
    bool *wanted = field;
    char item[ITEM_SIZE];
    for (const char *next = text; next != NULL;) {
        next = list_next(next, item, sizeof item);
        const size_t found = clump_validation_variant_find(item);
        if (found < CLUMP_VALIDATION_VARIANTS)
            wanted[found] = true;
        else if (strcmp(item, "all") == 0)
            memset(wanted, true, CLUMP_VALIDATION_VARIANTS * sizeof *wanted);
        else
            return option_wrong(line, option->name, item, option->values);
    }
    return EXIT_DONE;
}

static int read_constants(command_line *line, const option_entry *option, const char *text,
                          void *field)
{
    constant_choice *choice = field;
    char item[ITEM_SIZE];
    choice->given = true;
    for (const char *next = text; next != NULL;) {
        next = list_next(next, item, sizeof item);
        const size_t found = clump_rule_constant_find(item);
        if (found < CLUMP_RULE_CONSTANTS)
            choice->fitted[found] = true;
        else if (strcmp(item, "none") != 0)
            return option_wrong(line, option->name, item, option->values);
    }
    return EXIT_DONE;
}

static const option_entry options[] = {
    {.name = "dataset",
     .help = "only times from this source: a table such as 7.8, the name of a\n"
             "source, or the beginning of names of sources, such as thesis",
     OPTION_OF(settings, dataset)},
    {.name = "variant",
     .argument = "A,B,...|all",
     .values = "all|full|no-waiting|no-answering|no-memory|no-bandwidth|no-computation|no-slowest|"
               "no-lockstep|bus|independent|chapter-8|chapter-8-independent",
     .help = "variants of the model whose predictions are listed\n"
             "(default: {})",
     OPTION_READ(read_variants, settings, variants),
     .preset = "full"},
    {.name = "fit",
     .argument = "A,B,...|none",
     .values = "none|memory|waiting|local",
     .help = "constants of the rules that are fitted to the times of all\n"
             "other data sets (default: those that have no source)",
     OPTION_READ(read_constants, settings, fit)},
    {.name = "freeze",
     .help = "predict what is not measured yet on your platforms, and keep\n"
             "the predictions in the database under this name",
     OPTION_OF(settings, freeze)},
    {.name = "frozen",
     .help = "judge the predictions that were kept under this name by what\n"
             "was measured since",
     OPTION_OF(settings, frozen)},
    {.name = "max-error",
     .argument = "PERCENT",
     .help = "fail, with exit status 1, if any prediction listed is off by\n"
             "more than this",
     OPTION_OF(settings, max_error),
     .most = 1e9,
     .expected = "a percentage, 0 or more"},
    {.name = "max-mean-error",
     .argument = "PERCENT",
     .help = "the same for the mean absolute error of a data set",
     OPTION_OF(settings, max_mean_error),
     .most = 1e9,
     .expected = "a percentage, 0 or more"},
    {.name = "engine",
     .argument = "exact|simulation",
     .help = "simulation: also simulate every run message by message, and\n"
             "show its errors beside the model's (default: {})",
     OPTION_AS(CHOICE, settings, simulate),
     .preset = "exact"},
    {0},
};

static const option_table tables[] = {
    {options, 0},
    {simulation_options, offsetof(settings, simulation)},
    {plot_options, offsetof(settings, plot)},
    {cluster_options, offsetof(settings, clusters)},
    {0},
};

static const settings initial = {
    .max_error = INFINITY, .max_mean_error = INFINITY, .simulation = {.confidence = 0.95}};

static int check_limits(const char *command, const settings *s, const clump_validation *validation)
{
    validation_limits limits = {command, s->max_error, s->max_mean_error, EXIT_DONE, 0, ""};
    for (size_t v = 0; v < CLUMP_VALIDATION_VARIANTS; v++) {
        for (size_t i = 0; i < validation->count && s->variants[v]; i++) {
            const clump_validation_run *run = &validation->runs[i];
            validation_limits_error(&limits, run->outcomes[v].error, "'%.80s' on '%.80s' (%.80s)",
                                    run->application, run->platform, run->dataset);
            if (i == 0 || strcmp(run->dataset, run[-1].dataset) != 0)
                validation_limits_mean(
                    &limits, clump_validation_summarize(validation, run->dataset, v).mean_absolute,
                    "data set %.80s, variant %s: ", run->dataset,
                    clump_validation_variants[v].name);
        }
    }
    return validation_limits_end(&limits);
}

static void show_progress(const clump_simulation_progress *progress, size_t done, size_t total,
                          void *context)
{
    simulation_progress(context, progress, done, total);
}

/* Signals are caught by now. `stopped` after ^C: what there is so far is worth showing. */
static int simulate(const command_invocation *invocation, const settings *s,
                    clump_validation *validation, bool *stopped)
{
    const char *command = invocation->arguments.command;
    progress_bar progress;
    clump_error error;
    clump_validation_simulation how = CLUMP_VALIDATION_SIMULATION_DEFAULTS;
    progress_start(&progress, invocation->quiet);
    how.options = s->simulation;
    how.progress = show_progress;
    how.context = &progress;
    const clump_watch guard = progress_watch(&progress);
    how.watch = &guard;
    const clump_status status = clump_validation_simulate(validation, &how, &error);
    progress_clear(&progress);
    *stopped = status == CLUMP_STOPPED;
    return status == CLUMP_OK || *stopped ? EXIT_DONE : error_failed(command, "%s", error.message);
}

/* The exit code of what was interrupted: which runs are simulated the table has said. */
static int tell_stopped(const command_invocation *invocation, const clump_validation *validation)
{
    size_t done = 0, all = 0;
    for (size_t i = 0; i < validation->count; i++) {
        all += validation->runs[i].problem == NULL;
        done += validation->runs[i].simulation.replications > 0;
    }
    if (invocation->format == FORMAT_TABLE)
        interrupt_mark_table("rows", done, all);
    return interrupt_told_part(invocation->arguments.command, "rows", done, all);
}

/* Runs whose interval stayed wider than wanted. */
static int check_reached(const char *command, const clump_validation *validation)
{
    size_t missed = 0, all = 0;
    for (size_t i = 0; i < validation->count; i++) {
        const clump_validation_simulated *s = &validation->runs[i].simulation;
        all += s->replications > 0 || s->gave_up;
        missed += s->gave_up || (s->replications > 0 && !s->reached);
    }
    if (missed == 0)
        return EXIT_DONE;
    return error_failed(command,
                        "%zu of %zu simulations did not reach the precision wanted "
                        "within the events allowed; raise --max-events or --precision",
                        missed, all);
}

static int validate(const command_invocation *invocation, const settings *s, clump_store *store)
{
    const char *command = invocation->arguments.command;
    clump_validation validation;
    clump_error error;
    const clump_validation_request request = {.dataset = s->dataset,
                                              .fitted = s->fit.given ? s->fit.fitted : NULL};
    if (s->simulate) /* what comes before the first simulation takes time, too */
        interrupt_catch();
    const clump_status made = clump_validation_make(store, &request, &validation, &error);
    if (made != CLUMP_OK && s->simulate)
        interrupt_release();
    if (made != CLUMP_OK)
        return error_told(command, made == CLUMP_BAD_ARGUMENT, error.message);
    bool stopped = false;
    int status = clusters_add_judged(command, store, &validation);
    if (status == EXIT_DONE && s->simulate)
        status = simulate(invocation, s, &validation, &stopped);
    if (s->simulate)
        interrupt_release();
    if (status == EXIT_DONE)
        status = validation_print(invocation->format, &validation, s->variants, s->simulate,
                                  s->dataset != NULL);
    if (status == EXIT_DONE && stopped)
        status = tell_stopped(invocation, &validation);
    if (status == EXIT_DONE && plot_request_is_made(&s->plot))
        status = validation_draw(&s->plot, &validation, s->variants);
    if (status == EXIT_DONE)
        status = check_limits(command, s, &validation);
    if (status == EXIT_DONE && s->simulate)
        status = check_reached(command, &validation);
    clump_validation_free(&validation);
    return status;
}

/* What of the other options has nothing to do with it. */
static int run_frozen(const command_invocation *invocation, const settings *s)
{
    /* Limits are of errors, and nothing is measured when predictions are kept. */
    static const char *const others[] = {"dataset", "variant",   "engine",
                                         "plot",    "max-error", "max-mean-error"};
    enum { ALL = sizeof others / sizeof *others, LIMITS = 2 };
    const command_line *line = &invocation->arguments;
    const bool *fitted = s->fit.given ? s->fit.fitted : NULL;
    const char *name = s->freeze != NULL ? "freeze" : "frozen";
    if (s->freeze != NULL && s->frozen != NULL)
        return error_usage(line->command, "found --freeze and --frozen, expected one of them");
    for (size_t i = 0; i < (s->freeze != NULL ? ALL : ALL - LIMITS); i++)
        if (option_is_given(line, others[i]))
            return error_usage(line->command, "found --%s with --%s, expected one of them", name,
                               others[i]);
    const int status = simulation_options_refuse(line);
    if (status != EXIT_DONE)
        return status;
    return s->freeze != NULL ? validation_freeze(invocation, s->freeze, fitted)
                             : validation_judge_frozen(invocation, s->frozen, fitted, s->max_error,
                                                       s->max_mean_error);
}

static int run(const command_invocation *invocation)
{
    const settings *s = invocation->settings;
    clump_store *store = NULL;
    int status = cluster_options_check(&invocation->arguments, &s->clusters);
    if (status == EXIT_DONE && (s->freeze != NULL || s->frozen != NULL))
        return run_frozen(invocation, s);
    if (status == EXIT_DONE && !s->simulate)
        status = simulation_options_refuse(&invocation->arguments);
    if (status == EXIT_DONE)
        status = database_open(invocation, &store);
    if (status == EXIT_DONE)
        status = s->clusters.kind == 0 ? validate(invocation, s, store)
                                       : validate_clusters(invocation, &s->clusters, store,
                                                           s->max_error, s->max_mean_error);
    clump_store_close(store);
    return status;
}

const command_entry command_validate = {
    .name = "validate",
    .summary = "Predict every measured time, and show the errors",
    .text =
        "Predicts the execution times in the database on platforms that name a NOW to compare\n"
        "with (a platform with a NIC for each processor). Nothing is fitted to the times that\n"
        "are predicted. The second table has the errors with one term of the model left out at\n"
        "a time. The terms were chosen with the reference data in view: docs/validation.md says\n"
        "how far the errors can be trusted.",
    .examples = "clumpmodel validate --dataset thesis\n"
                "clumpmodel validate --dataset 7.9 --engine simulation --precision 5%\n"
                "clumpmodel validate --dataset 7.8 --max-mean-error 6 --quiet",
    .tables = tables,
    .settings_size = sizeof(settings),
    .initial = &initial,
    .run = run,
};
