/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "calibration/calibration.h"
#include "calibration/calibration_results.h"
#include "calibration/calibration_session.h"
#include "cli/calibration_plot.h"
#include "cli/command.h"
#include "cli/output/errors.h"
#include "cli/platform_name.h"
#include "data/suggest.h"
#include "protocols/endpoint/endpoint.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { QUEUE, PROCESSES, QUICK, FULL, STAGES, PLATFORM, COMPARE, PLOT, PLOT_SCRIPT, OPTION_COUNT };

static const option_entry options[OPTION_COUNT] = {
    [QUEUE] = {.name = "queue",
               .argument = "NAME",
               .help = "queue algorithm, or all of them (default lock-free)"},
    [PROCESSES] = {.name = "processes",
                   .argument = "NUMBER",
                   .help = "largest number of processes, 2 to 64\n"
                           "(default: one for each processor)"},
    [QUICK] = {.name = "quick",
               .help = "10 short runs of everything: takes seconds, wide intervals"},
    [FULL] = {.name = "full",
              .help = "100 long runs, and all stages: takes minutes for each queue"},
    [STAGES] = {.name = "stages",
                .argument = "LIST",
                .help = "what to measure: loggp, sizes, breakdown, stress, lengths,\n"
                        "backoff, jobs (default: the first four; with --full all)"},
    [PLATFORM] = {.name = "platform",
                  .argument = "NAME",
                  .help = "name for this machine in the database\n"
                          "(default: from its processors, such as amd-epyc-2)"},
    [COMPARE] = {.name = "compare",
                 .argument = "thesis",
                 .help = "show the thesis's figures beside those of this machine"},
    [PLOT] = PLOT_OPTION,
    [PLOT_SCRIPT] = PLOT_SCRIPT_OPTION,
};

typedef struct calibration {
    clump_calibration_session session;
    bool stages[CLUMP_CALIBRATION_STAGES];
    const char *queues[32];
    size_t queue_count;
    plot_request plot;
} calibration;

/* ---- what the user wants */

static int read_queues(calibration *c)
{
    const char *wanted = option_value(&c->session.invocation->arguments, QUEUE), *name;
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
        snprintf(all + used, sizeof all - used, ", %s", name);
    }
    if (c->queue_count > 0)
        return EXIT_DONE;
    return error_usage(c->session.command, "--queue: found '%.60s', expected one of %s%s", wanted,
                       all, clump_suggest_text(&suggestion, "", hint));
}

static int read_stages(calibration *c)
{
    const char *list = option_value(&c->session.invocation->arguments, STAGES);
    const bool full = option_given(&c->session.invocation->arguments, FULL);
    if (list == NULL) {
        for (unsigned s = 0; s < CLUMP_CALIBRATION_STAGES; s++)
            c->stages[s] = full || s <= CLUMP_CALIBRATION_STRESS;
        return EXIT_DONE;
    }
    for (const char *at = list;; at++) {
        const size_t size = strcspn(at, ",");
        unsigned s = 0;
        const char *name;
        while ((name = clump_calibration_stage_name(s)) != NULL &&
               (strlen(name) != size || strncmp(name, at, size) != 0))
            s++;
        if (name == NULL)
            return error_usage(c->session.command,
                               "--stages: found '%.*s', expected a list of loggp, sizes, "
                               "breakdown, stress, lengths, backoff, jobs with commas",
                               (int)(size < 60 ? size : 60), at);
        c->stages[s] = true;
        at += size;
        if (*at == '\0')
            return EXIT_DONE;
    }
}

static int read_options(calibration *c)
{
    const command_line *a = &c->session.invocation->arguments;
    const bool quick = option_given(a, QUICK), full = option_given(a, FULL);
    const char *compare = option_value(a, COMPARE);
    const unsigned processors = clump_calibration_processors();
    uint64_t processes = processors < 2 ? 2 : processors > 64 ? 64 : processors;
    if (quick && full)
        return error_usage(c->session.command, "found --quick and --full, expected one of them");
    if (compare != NULL && strcmp(compare, "thesis") != 0)
        return option_refuse(a, COMPARE, compare, "thesis");
    int status = option_whole(a, PROCESSES, 2, 64, "a whole number from 2 to 64", &processes);
    if (status == EXIT_DONE)
        status = plot_request_read(a, PLOT, PLOT_SCRIPT, &c->plot);
    if (status == EXIT_DONE)
        status = plot_request_try(&c->plot);
    if (status == EXIT_DONE)
        status = read_queues(c);
    if (status == EXIT_DONE)
        status = read_stages(c);
    if (status == EXIT_DONE)
        status = platform_name_check(c->session.command,
                                     option_value(&c->session.invocation->arguments, PLATFORM));
    c->session.plan.processes = (unsigned)processes;
    c->session.plan.runs = quick ? 10 : full ? 100 : 30;
    c->session.plan.effort = quick ? 1 : full ? 10 : 4;
    machine_look(&c->session.machine, processors);
    return status;
}

static bool is_of_no_matter(size_t option)
{
    return option == COMPARE || option == PLATFORM || option == PLOT || option == PLOT_SCRIPT;
}

/* ---- measuring */

/* What is measured of which queue. */
typedef struct stage {
    clump_calibration_stage stage;
    const char *queue;
} stage;

static clump_protocol_status run_stage(const clump_calibration_plan *plan, const void *context,
                                       char *message)
{
    const stage *s = context;
    clump_calibration_plan own = *plan;
    own.algorithm = s->queue;
    return clump_calibration_run(&own, s->stage, message);
}

/* All stages of all queues, until one fails. */
static int measure(calibration *c)
{
    clump_calibration_session *s = &c->session;
    int status = EXIT_DONE;
    for (unsigned i = 0; i < CLUMP_CALIBRATION_STAGES; i++)
        if (c->stages[i]) {
            s->stages_all += c->queue_count;
            s->estimate += (double)c->queue_count *
                           clump_calibration_estimate(&s->plan, (clump_calibration_stage)i);
        }
    clump_calibration_begin(s);
    for (size_t q = 0; q < c->queue_count; q++)
        for (unsigned i = 0; i < CLUMP_CALIBRATION_STAGES && status == EXIT_DONE; i++) {
            const stage one = {(clump_calibration_stage)i, c->queues[q]};
            char name[80];
            snprintf(name, sizeof name, "%s of queue %s", clump_calibration_stage_name(i),
                     one.queue);
            s->variant = one.queue;
            if (c->stages[i])
                status = clump_calibration_session_stage(
                    s, name, clump_calibration_estimate(&s->plan, one.stage), run_stage, &one);
        }
    clump_calibration_end(s);
    return status;
}

/* ---- the answer */

static int answer(calibration *c)
{
    clump_calibration_results results;
    clump_calibration_parameter parameters[32 * 8];
    clump_calibration_summarize(&c->session.samples, &results);
    int status = results.failed ? error_memory(c->session.command) : EXIT_DONE;
    if (status == EXIT_DONE) {
        const size_t count = clump_calibration_parameters(&results, parameters,
                                                          sizeof parameters / sizeof *parameters);
        clump_store_status stored =
            clump_calibration_write_parameters(&c->session.store, parameters, count);
        if (stored == CLUMP_STORE_OK && option_given(&c->session.invocation->arguments, COMPARE))
            stored = clump_calibration_compare(c->session.store.store, &results);
        if (stored != CLUMP_STORE_OK)
            status = error_store(c->session.command, c->session.store.store, stored);
    }
    if (status == EXIT_DONE && results.count > 0) {
        output_field fields[] = {{.key = "platform"},      {.key = "source"},
                                 {.key = "machine"},       {.key = "samples"},
                                 {.key = "doubtful_runs"}, {.key = "line_transfer_us"}};
        cell_text(&fields[0].value, c->session.store.source.platform);
        cell_text(&fields[1].value, c->session.store.name);
        cell_text(&fields[2].value, c->session.machine.facts);
        cell_size(&fields[3].value, c->session.samples.count);
        cell_size(&fields[4].value, c->session.speed.other);
        cell_real(&fields[5].value, c->session.speed.usual_us);
        status = calibration_print(c->session.invocation->format, &results, fields,
                                   sizeof fields / sizeof *fields);
        if (status == EXIT_DONE && c->session.invocation->format == FORMAT_TABLE)
            printf("\n%zu samples are stored as platform '%s', source '%s'.\n",
                   c->session.samples.count, c->session.store.source.platform,
                   c->session.store.name);
        if (status == EXIT_DONE && plot_request_is_made(&c->plot))
            status = calibration_draw(&c->plot, c->session.invocation->format, &results,
                                      c->session.store.source.platform);
    }
    clump_calibration_results_free(&results);
    return status;
}

static int run(const command_invocation *invocation)
{
    calibration c = {.session = {.invocation = invocation,
                                 .command = invocation->arguments.command,
                                 .speed = {.usual_us = NAN, .other_us = NAN}}};
    clump_calibration_session *s = &c.session;
    int status = read_options(&c);
    if (status == EXIT_DONE)
        status = clump_calibration_open(s, option_value(&invocation->arguments, PLATFORM),
                                        "Shared-memory protocol", "calibrate shm", is_of_no_matter);
    if (status == EXIT_DONE) {
        status = measure(&c);
        const int answered = s->samples.count > 0 && s->store.name[0] != '\0' && !s->store_failed
                                 ? answer(&c)
                                 : EXIT_DONE;
        status = status != EXIT_DONE ? status : answered;
    }
    clump_calibration_finish(s);
    return status;
}

const command_entry command_calibrate_shm = {
    .name = "calibrate shm",
    .operands = "",
    .summary = "Measure the shared-memory protocol between processes of this machine",
    .text = "Starts pinned processes that send each other Active Messages "
            "(which name their handler)\n"
            "through queues in shared memory. Measures LogGP by the method "
            "of S. S. Lumetta's thesis\n"
            "(1998): latency L from round trips in both directions, overhead "
            "o_s from bursts with the\n"
            "receiver held back, o_r through a known delay, gap g over long "
            "bursts, gap per byte G\n"
            "from 512 kB in pieces of 8 kB. Then bandwidth against message "
            "size, the components of a\n"
            "send, and a stress test with up to N-1 writers. Every sample "
            "goes to the database of\n"
            "--db, or else to your own. ^C keeps the stages that are complete.",
    .examples = "clumpmodel calibrate shm\n"
                "clumpmodel calibrate shm --queue all --quick --compare thesis\n"
                "clumpmodel calibrate shm --full --platform lab --db lab.db --format json",
    .options = options,
    .option_count = OPTION_COUNT,
    .creates_database = true,
    .run = run,
};
