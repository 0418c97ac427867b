/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/calibration_plot.h"
#include "cli/calibration_results.h"
#include "cli/calibration_store.h"
#include "cli/command.h"
#include "cli/database.h"
#include "cli/errors.h"
#include "cli/machine.h"
#include "cli/platform_name.h"
#include "cli/progress.h"
#include "data/suggest.h"
#include "protocols/calibration.h"
#include "protocols/endpoint.h"

#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { QUEUE, PROCESSES, QUICK, FULL, STAGES, PLATFORM, COMPARE, PLOT, PLOT_SCRIPT, OPTION_COUNT };

static const clump_cli_option options[OPTION_COUNT] = {
    [QUEUE] = {.name = "queue",
               .argument = "NAME",
               .help = "queue algorithm, or all of them (default lock-free)"},
    [PROCESSES] = {.name = "processes",
                   .argument = "NUMBER",
                   .help = "the most that take part, 2 to 64\n(default: one a processor)"},
    [QUICK] = {.name = "quick", .help = "10 short runs of everything: seconds, wide intervals"},
    [FULL] = {.name = "full", .help = "100 long runs, and all stages: minutes for each queue"},
    [STAGES] = {.name = "stages",
                .argument = "LIST",
                .help = "of loggp, sizes, breakdown, stress, lengths, backoff, jobs\n"
                        "(default: the first four; with --full all)"},
    [PLATFORM] = {.name = "platform",
                  .argument = "NAME",
                  .help = "name for this machine in the data base\n"
                          "(default: from its processors, such as amd-epyc-2)"},
    [COMPARE] = {.name = "compare",
                 .argument = "thesis",
                 .help = "show the thesis's figures beside those of this machine"},
    [PLOT] = CLUMP_CLI_PLOT_OPTION,
    [PLOT_SCRIPT] = CLUMP_CLI_PLOT_SCRIPT_OPTION,
};

typedef struct calibration {
    const clump_cli_invocation *invocation;
    const char *command;
    clump_cli_machine machine;
    clump_cli_progress progress;
    clump_calibration_plan plan;
    bool stages[CLUMP_CALIBRATION_STAGES];
    const char *queues[32];
    size_t queue_count;
    const char *queue;             /* that is being measured */
    double estimate, done, weight; /* seconds: all, before this stage, this stage */
    clump_cli_calibration_samples samples;
    clump_cli_calibration_store store;
    char shown[400]; /* the command as one could type it */
    size_t stages_done, stages_all;
    clump_cli_plot_request plot;
    bool no_memory, store_failed;
} calibration;

static volatile sig_atomic_t stop_wanted;

static void on_signal(int number)
{
    (void)number;
    stop_wanted = 1;
}

/* ---- what the user wants */

static int read_queues(calibration *c)
{
    const char *wanted = clump_cli_option_value(&c->invocation->arguments, QUEUE), *name;
    char hint[CLUMP_SUGGEST_TEXT], all[300] = "all";
    const bool every = wanted != NULL && strcmp(wanted, "all") == 0;
    clump_suggestion suggestion =
        clump_suggest_start(CLUMP_SUGGEST_WORD, wanted != NULL ? wanted : "");
    clump_suggest_offer(&suggestion, "all");
    for (unsigned i = 0; (name = clump_endpoint_algorithm(i)) != NULL && i < 32; i++) {
        if (every || (wanted == NULL ? i == 0 : strcmp(name, wanted) == 0))
            c->queues[c->queue_count++] = name;
        clump_suggest_offer(&suggestion, name);
        const size_t used = strlen(all);
        (void)snprintf(all + used, sizeof all - used, ", %s", name);
    }
    if (c->queue_count > 0)
        return CLUMP_CLI_DONE;
    return clump_cli_error_usage(c->command, "--queue: found '%.60s', expected one of %s%s", wanted,
                                 all, clump_suggest_text(&suggestion, "", hint));
}

static int read_stages(calibration *c)
{
    const char *list = clump_cli_option_value(&c->invocation->arguments, STAGES);
    const bool full = clump_cli_option_given(&c->invocation->arguments, FULL);
    if (list == NULL) {
        for (unsigned s = 0; s < CLUMP_CALIBRATION_STAGES; s++)
            c->stages[s] = full || s <= CLUMP_CALIBRATION_STRESS;
        return CLUMP_CLI_DONE;
    }
    for (const char *at = list;; at++) {
        const size_t size = strcspn(at, ",");
        unsigned s = 0;
        const char *name;
        while ((name = clump_calibration_stage_name(s)) != NULL &&
               (strlen(name) != size || strncmp(name, at, size) != 0))
            s++;
        if (name == NULL)
            return clump_cli_error_usage(c->command,
                                         "--stages: found '%.*s', expected a list of loggp, sizes, "
                                         "breakdown, stress, lengths, backoff, jobs with commas",
                                         (int)(size < 60 ? size : 60), at);
        c->stages[s] = true;
        at += size;
        if (*at == '\0')
            return CLUMP_CLI_DONE;
    }
}

static int read_options(calibration *c)
{
    const clump_cli_arguments *a = &c->invocation->arguments;
    const bool quick = clump_cli_option_given(a, QUICK), full = clump_cli_option_given(a, FULL);
    const char *compare = clump_cli_option_value(a, COMPARE);
    const unsigned processors = clump_calibration_processors();
    uint64_t processes = processors < 2 ? 2 : processors > 64 ? 64 : processors;
    if (quick && full)
        return clump_cli_error_usage(c->command, "found --quick and --full, expected one of them");
    if (compare != NULL && strcmp(compare, "thesis") != 0)
        return clump_cli_option_refuse(a, COMPARE, compare, "thesis");
    int status =
        clump_cli_option_whole(a, PROCESSES, 2, 64, "a whole number from 2 to 64", &processes);
    if (status == CLUMP_CLI_DONE)
        status = clump_cli_plot_request_read(a, PLOT, PLOT_SCRIPT, &c->plot);
    if (status == CLUMP_CLI_DONE)
        status = read_queues(c);
    if (status == CLUMP_CLI_DONE)
        status = read_stages(c);
    if (status == CLUMP_CLI_DONE)
        status = clump_cli_platform_name_check(
            c->command, clump_cli_option_value(&c->invocation->arguments, PLATFORM));
    c->plan.processes = (unsigned)processes;
    c->plan.runs = quick ? 10 : full ? 100 : 30;
    c->plan.effort = quick ? 1 : full ? 10 : 4;
    clump_cli_machine_look(&c->machine, processors);
    return status;
}

/* The same again, for the provenance: only what matters for the figures. */
static void show_command(calibration *c)
{
    size_t used = (size_t)snprintf(c->shown, sizeof c->shown, "clumpmodel calibrate shm");
    const clump_cli_arguments *a = &c->invocation->arguments;
    for (size_t i = 0; i < a->given_count && used < sizeof c->shown; i++) {
        const clump_cli_given *given = &a->given[i];
        if (given->option == COMPARE || given->option == PLATFORM || given->option == PLOT ||
            given->option == PLOT_SCRIPT)
            continue;
        used += (size_t)snprintf(c->shown + used, sizeof c->shown - used, " --%s%s%.100s",
                                 options[given->option].name, given->value[0] != '\0' ? " " : "",
                                 given->value);
    }
}

/* ---- measuring */

static bool take_sample(const clump_calibration_sample *sample, void *context)
{
    calibration *c = context;
    clump_cli_calibration_sample own = {.variant = c->queue,
                                        .benchmark = sample->benchmark,
                                        .quantity = sample->quantity,
                                        .value = sample->value,
                                        .disturbed = sample->disturbed,
                                        .line_us = sample->line_us,
                                        .delay_us = sample->delay_us,
                                        .size_bytes = sample->size_bytes,
                                        .run = sample->run,
                                        .iterations = sample->iterations,
                                        .window = sample->window,
                                        .processes = sample->processes};
    (void)snprintf(own.setting, sizeof own.setting, "%s", sample->setting);
    c->no_memory = !clump_cli_calibration_add(&c->samples, &own);
    return c->no_memory;
}

static bool watch(double share, void *context)
{
    calibration *c = context;
    clump_cli_progress_update(&c->progress, (size_t)(1000 * (c->done + share * c->weight)),
                              (size_t)(1000 * c->estimate) + 1);
    return stop_wanted != 0;
}

static int store_stage(calibration *c, size_t first, clump_cli_calibration_speed *speed)
{
    clump_cli_calibration_doubt(&c->samples, first, speed);
    const clump_store_status status = clump_cli_calibration_write(&c->store, &c->samples, first);
    if (status == CLUMP_STORE_OK)
        return CLUMP_CLI_DONE;
    clump_cli_progress_clear(&c->progress);
    c->store_failed = true;
    return status == CLUMP_STORE_STOPPED
               ? clump_cli_error_memory(c->command)
               : clump_cli_error_store(c->command, c->store.store, status);
}

static int run_stage(calibration *c, unsigned stage, clump_cli_calibration_speed *speed)
{
    char message[CLUMP_CALIBRATION_MESSAGE_BYTES];
    const size_t first = c->samples.count;
    c->weight = clump_calibration_estimate(&c->plan, (clump_calibration_stage)stage);
    const clump_protocol_status ran =
        clump_calibration_run(&c->plan, (clump_calibration_stage)stage, message);
    c->done += c->weight;
    if (c->no_memory)
        return clump_cli_error_memory(c->command);
    if (ran == CLUMP_PROTOCOL_OK) {
        c->stages_done++;
        return store_stage(c, first, speed);
    }
    c->samples.count = first;
    clump_cli_progress_clear(&c->progress);
    if (stop_wanted)
        return clump_cli_error_failed(
            c->command, "stopped in stage %s of queue %s; %zu of %zu stages are complete%s",
            clump_calibration_stage_name(stage), c->queue, c->stages_done, c->stages_all,
            c->stages_done > 0 ? " and stored" : "");
    return clump_cli_error_failed(c->command, "stage %s of queue %s: %s",
                                  clump_calibration_stage_name(stage), c->queue, message);
}

/* All stages of all queues, until one fails. */
static int measure(calibration *c, clump_cli_calibration_speed *speed)
{
    int status = CLUMP_CLI_DONE;
    for (unsigned s = 0; s < CLUMP_CALIBRATION_STAGES; s++)
        if (c->stages[s]) {
            c->stages_all += c->queue_count;
            c->estimate += (double)c->queue_count *
                           clump_calibration_estimate(&c->plan, (clump_calibration_stage)s);
        }
    clump_cli_progress_start(&c->progress, c->invocation->quiet);
    for (size_t q = 0; q < c->queue_count && status == CLUMP_CLI_DONE; q++) {
        c->queue = c->plan.algorithm = c->queues[q];
        for (unsigned s = 0; s < CLUMP_CALIBRATION_STAGES && status == CLUMP_CLI_DONE; s++)
            if (c->stages[s])
                status = run_stage(c, s, speed);
    }
    clump_cli_progress_clear(&c->progress);
    return status;
}

/* ^C and the like end a stage in order; what is complete is kept. */
static int measure_guarded(calibration *c, clump_cli_calibration_speed *speed)
{
    static const int signals[] = {SIGINT, SIGTERM, SIGHUP};
    struct sigaction old[3], now = {.sa_handler = on_signal};
    (void)sigemptyset(&now.sa_mask);
    for (size_t i = 0; i < 3; i++)
        (void)sigaction(signals[i], &now, &old[i]);
    const int status = measure(c, speed);
    for (size_t i = 0; i < 3; i++)
        (void)sigaction(signals[i], &old[i], NULL);
    return status;
}

/* ---- the answer */

static void warn_about_speed(const calibration *c, const clump_cli_calibration_speed *speed)
{
    if (c->invocation->quiet)
        return;
    if (speed->disturbed > 0)
        (void)clump_cli_error_failed(
            c->command,
            "warning: other programs took a processor away from %zu of %zu "
            "samples, each time they were tried; they are stored as "
            "doubtful",
            speed->disturbed, c->samples.count);
    if (speed->other == 0)
        return;
    (void)clump_cli_error_failed(
        c->command,
        "warning: in %zu of %zu runs a bare cache line took %.0f ns instead of %.0f: the machine "
        "changed its speed or was busy; those runs are stored as doubtful and not in the means",
        speed->other, speed->runs, 1000 * speed->other_us, 1000 * speed->usual_us);
}

static int answer(calibration *c, const clump_cli_calibration_speed *speed)
{
    clump_cli_calibration_results results;
    clump_cli_calibration_parameter parameters[32 * 8];
    clump_cli_calibration_summarize(&c->samples, &results);
    int status = results.failed ? clump_cli_error_memory(c->command) : CLUMP_CLI_DONE;
    if (status == CLUMP_CLI_DONE) {
        const size_t count = clump_cli_calibration_parameters(
            &results, parameters, sizeof parameters / sizeof *parameters);
        clump_store_status stored =
            clump_cli_calibration_write_parameters(&c->store, parameters, count);
        if (stored == CLUMP_STORE_OK && clump_cli_option_given(&c->invocation->arguments, COMPARE))
            stored = clump_cli_calibration_compare(c->store.store, &results);
        if (stored != CLUMP_STORE_OK)
            status = clump_cli_error_store(c->command, c->store.store, stored);
    }
    if (status == CLUMP_CLI_DONE && results.count > 0) {
        clump_cli_field fields[] = {{.key = "platform"},      {.key = "source"},
                                    {.key = "machine"},       {.key = "samples"},
                                    {.key = "doubtful_runs"}, {.key = "line_transfer_us"}};
        clump_cli_cell_text(&fields[0].value, c->store.source.platform);
        clump_cli_cell_text(&fields[1].value, c->store.name);
        clump_cli_cell_text(&fields[2].value, c->machine.facts);
        clump_cli_cell_size(&fields[3].value, c->samples.count);
        clump_cli_cell_size(&fields[4].value, speed->other);
        clump_cli_cell_real(&fields[5].value, speed->usual_us);
        status = clump_cli_calibration_print(c->invocation->format, &results, fields,
                                             sizeof fields / sizeof *fields);
        if (status == CLUMP_CLI_DONE && c->invocation->format == CLUMP_CLI_TABLE)
            (void)printf("\n%zu samples are stored as platform '%s', source '%s'.\n",
                         c->samples.count, c->store.source.platform, c->store.name);
        if (status == CLUMP_CLI_DONE && clump_cli_plot_request_is_made(&c->plot))
            status = clump_cli_calibration_draw(&c->plot, c->invocation->format, &results,
                                                c->store.source.platform);
    }
    clump_cli_calibration_results_free(&results);
    return status;
}

static int run(const clump_cli_invocation *invocation)
{
    calibration c = {.invocation = invocation, .command = invocation->arguments.command};
    clump_cli_calibration_speed speed = {.usual_us = NAN, .other_us = NAN};
    char title[200], platform_title[160];
    int status = read_options(&c);
    if (status == CLUMP_CLI_DONE)
        status = clump_cli_database_create(invocation, &c.store.store);
    if (status == CLUMP_CLI_DONE) {
        const char *platform = clump_cli_option_value(&invocation->arguments, PLATFORM);
        show_command(&c);
        (void)snprintf(title, sizeof title, "Shared-memory protocol on %s", c.machine.slug);
        (void)snprintf(platform_title, sizeof platform_title, "%.100s, %u processors",
                       c.machine.model[0] != '\0' ? c.machine.model : "One machine",
                       c.machine.processors);
        c.store.source =
            (clump_cli_calibration_source){.platform = platform != NULL ? platform : c.machine.slug,
                                           .platform_title = platform_title,
                                           .processors = c.machine.processors,
                                           .transport = "shared-memory",
                                           .title = title,
                                           .command = c.shown,
                                           .note = c.machine.facts,
                                           .kind = "calibrate shm"};
        c.plan.sample = take_sample;
        c.plan.watch = watch;
        c.plan.context = &c;
        if (!invocation->quiet)
            clump_cli_machine_warn(&c.machine, c.command, c.plan.processes);
        stop_wanted = 0;
        status = measure_guarded(&c, &speed);
        warn_about_speed(&c, &speed);
        const int answered = c.samples.count > 0 && c.store.name[0] != '\0' && !c.store_failed
                                 ? answer(&c, &speed)
                                 : CLUMP_CLI_DONE;
        status = status != CLUMP_CLI_DONE ? status : answered;
    }
    clump_store_close(c.store.store);
    free(c.store.series);
    clump_cli_calibration_free(&c.samples);
    return status;
}

const clump_cli_command clump_cli_command_calibrate_shm = {
    .name = "calibrate shm",
    .operands = "",
    .summary = "Measure the shared-memory protocol between processes of this machine",
    .text =
        "Starts pinned processes that send each other Active Messages through queues in shared\n"
        "memory, and derives LogGP as the thesis does: round trips in both directions, bursts\n"
        "for o_s with the receiver held back, o_r through a known delay, the gap over long\n"
        "bursts, G from 512 kB in pieces of 8 kB. Then bandwidth over message sizes, the\n"
        "components of a send, and a stress test with up to N-1 writers. Every sample goes to\n"
        "the data base of --db, or else to your own. ^C keeps the stages that are complete.",
    .examples = "clumpmodel calibrate shm\n"
                "clumpmodel calibrate shm --queue all --quick --compare thesis\n"
                "clumpmodel calibrate shm --full --platform lab --db lab.db --format json",
    .options = options,
    .option_count = OPTION_COUNT,
    .creates_database = true,
    .run = run,
};
