/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "calibration/multi_calibration.h"
#include "calibration/multi_results.h"
#include "cli/command.h"
#include "cli/output/errors.h"
#include "cli/platform_name.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { PARTS, PROCESSES, STRATEGY, NO_BELL, RUNS, QUICK, FULL, PLATFORM, OPTION_COUNT };

static const option_entry options[OPTION_COUNT] = {
    [PARTS] = {.name = "parts",
               .argument = "LIST",
               .help = "what to measure: polls, scans, loggp (default: all). The\n"
                       "settings that scans recommend are measured by loggp, and\n"
                       "predicted from polls"},
    [PROCESSES] = {.name = "processes",
                   .argument = "NUMBER",
                   .help = "number of processes that exchange messages in scans, 2 to\n"
                           "64 (default: one for each processor)"},
    [STRATEGY] = {.name = "strategy",
                  .argument = "TEXT",
                  .help = "one more strategy to measure: always, fractional:K, or\n"
                          "adaptive with settings: adaptive:s_max=1024,d=4096,a=65536"},
    [NO_BELL] = {.name = "no-bell",
                 .help = "look at the network by system calls only, as on machines\n"
                         "where io_uring is not allowed"},
    [RUNS] = {.name = "runs",
              .argument = "NUMBER",
              .help = "number of samples of each kind, 2 to 1000 (default 30; 8\n"
                      "with --quick, 100 with --full)"},
    [QUICK] = {.name = "quick",
               .help = "every second value, short runs: takes seconds, wide\n"
                       "intervals"},
    [FULL] = {.name = "full", .help = "100 long runs: takes minutes"},
    [PLATFORM] = {.name = "platform",
                  .argument = "NAME",
                  .help = "name for this machine in the database\n"
                          "(default: from its processors, such as amd-epyc-2)"},
};

static const char *const part_names[CLUMP_MULTI_PARTS] = {"polls", "scans", "loggp"};

typedef struct clump_multi_calibration calibration;

/* ---- what the user wants */

static int read_parts(calibration *c)
{
    const char *list = option_value(&c->session.invocation->arguments, PARTS);
    for (const char *at = list;; at++) {
        const size_t size = at != NULL ? strcspn(at, ",") : 0;
        unsigned part = 0;
        for (; part < CLUMP_MULTI_PARTS; part++)
            if (at == NULL)
                c->parts[part] = true;
            else if (strlen(part_names[part]) == size && strncmp(part_names[part], at, size) == 0)
                break;
        if (at == NULL)
            return EXIT_DONE;
        if (part == CLUMP_MULTI_PARTS)
            return error_usage(c->session.command,
                               "--parts: found '%.*s', expected a list of polls, scans, "
                               "loggp with commas",
                               (int)(size < 60 ? size : 60), at);
        c->parts[part] = true;
        at += size;
        if (*at == '\0')
            return EXIT_DONE;
    }
}

static int read_strategies(calibration *c)
{
    static const char *const usual[] = {"always", "fractional:64", "adaptive"};
    const char *wanted = option_value(&c->session.invocation->arguments, STRATEGY);
    for (size_t i = 0; i < 3; i++) {
        clump_polling_parameters p = clump_polling_defaults();
        clump_polling_parse(usual[i], &p);
        clump_multi_add_strategy(c, usual[i], &p);
    }
    if (wanted == NULL)
        return EXIT_DONE;
    clump_polling_parameters p = clump_polling_defaults();
    if (clump_polling_parse(wanted, &p) != CLUMP_PROTOCOL_OK)
        return error_usage(c->session.command,
                           "--strategy: found '%.80s', expected always, fractional:K with "
                           "K from 1 to 256, or adaptive:NAME=NUMBER,... with acceptance, "
                           "a, d, k, s_min or s_max",
                           wanted);
    const char *wrong = clump_polling_check(&p);
    if (wrong != NULL)
        return error_usage(c->session.command, "--strategy: found '%.80s': %s", wanted, wrong);
    for (unsigned i = 0; i < c->strategy_count; i++)
        if (memcmp(&c->strategies[i].parameters, &p, sizeof p) == 0)
            return EXIT_DONE; /* it is measured anyway */
    clump_multi_add_strategy(c, wanted, &p);
    return EXIT_DONE;
}

static int read_options(calibration *c)
{
    const command_line *a = &c->session.invocation->arguments;
    const bool quick = option_given(a, QUICK), full = option_given(a, FULL);
    const unsigned processors = clump_calibration_processors();
    uint64_t processes = processors < 2 ? 2 : processors > 64 ? 64 : processors;
    uint64_t runs = quick ? 8 : full ? 100 : 30;
    if (quick && full)
        return error_usage(c->session.command, "found --quick and --full, expected one of them");
    int status = option_whole(a, PROCESSES, 2, 64, "a whole number from 2 to 64", &processes);
    if (status == EXIT_DONE)
        status = option_whole(a, RUNS, 2, 1000, "a whole number from 2 to 1000", &runs);
    if (status == EXIT_DONE)
        status = read_parts(c);
    if (status == EXIT_DONE)
        status = read_strategies(c);
    if (status == EXIT_DONE)
        status = platform_name_check(c->session.command, option_value(a, PLATFORM));
    c->few = quick;
    c->session.plan.processes = (unsigned)processes;
    c->session.plan.no_bell = option_given(a, NO_BELL);
    c->session.plan.runs = (unsigned)runs;
    c->session.plan.effort = full ? 4 : 1;
    machine_look(&c->session.machine, processors);
    return status;
}

static bool is_of_no_matter(size_t option)
{
    return option == PLATFORM;
}

/* ---- the answer */

/* The settings, as table 4.1 is stored in the reference data. */
static clump_store_status store_settings(calibration *c)
{
    const clump_polling_parameters *p = &c->tuned;
    const struct {
        const char *quantity;
        uint32_t value;
    } all[] = {{"poll_acceptance", p->acceptance},     {"poll_accuracy", p->accuracy},
               {"poll_damping", p->damping},           {"poll_equality", p->equality},
               {"poll_minimum_skip", p->minimum_skip}, {"poll_maximum_skip", p->maximum_skip}};
    enum { COUNT = sizeof all / sizeof *all };
    clump_calibration_parameter parameters[COUNT];
    for (size_t i = 0; i < COUNT; i++)
        parameters[i] = (clump_calibration_parameter){.variant = "recommended",
                                                      .quantity = all[i].quantity,
                                                      .value = all[i].value,
                                                      .half_width = NAN};
    return clump_multi_is_tuned(c)
               ? clump_calibration_write_parameters(&c->session.store, parameters, COUNT)
               : CLUMP_STORE_OK;
}

static int print(calibration *c, const clump_multi_results *results)
{
    const clump_calibration_session *s = &c->session;
    const output_format format = s->invocation->format;
    char settings[CLUMP_POLLING_TEXT] = "";
    output_field fields[] = {{.key = "platform"},      {.key = "source"},
                             {.key = "machine"},       {.key = "samples"},
                             {.key = "doubtful_runs"}, {.key = "line_transfer_us"},
                             {.key = "recommended"}};
    if (clump_multi_is_tuned(c))
        clump_polling_write(&c->tuned, settings);
    cell_text(&fields[0].value, s->store.source.platform);
    cell_text(&fields[1].value, s->store.name);
    cell_text(&fields[2].value, s->machine.facts);
    cell_size(&fields[3].value, s->samples.count);
    cell_size(&fields[4].value, s->speed.other);
    cell_real(&fields[5].value, s->speed.usual_us);
    cell_text(&fields[6].value, settings);
    const int status = multi_print(format, results, fields, sizeof fields / sizeof *fields);
    if (status != EXIT_DONE || format != FORMAT_TABLE)
        return status;
    if (clump_multi_is_tuned(c))
        printf("\nFor endpoints on this machine: .polling = \"%s\"\n", settings);
    printf("\n%zu samples are stored as platform '%s', source '%s'.\n", s->samples.count,
           s->store.source.platform, s->store.name);
    return status;
}

static int answer(calibration *c)
{
    clump_multi_results results;
    const clump_multi_measured measured = {.samples = &c->session.samples,
                                           .scans = c->scans,
                                           .scan_count = c->scan_count,
                                           .strategies = c->strategies,
                                           .labels = c->labels,
                                           .strategy_count = c->strategy_count,
                                           .patience_us = CLUMP_MULTI_PATIENCE_US,
                                           .loggp_first = c->loggp_first};
    clump_multi_summarize(&measured, &results);
    int status = results.failed ? error_memory(c->session.command) : EXIT_DONE;
    if (status == EXIT_DONE) {
        const clump_store_status stored = store_settings(c);
        if (stored != CLUMP_STORE_OK)
            status = error_store(c->session.command, c->session.store.store, stored);
    }
    if (status == EXIT_DONE)
        status = print(c, &results);
    clump_multi_results_free(&results);
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
        status =
            clump_calibration_open(s, option_value(&invocation->arguments, PLATFORM),
                                   "Shared memory beside UDP", "calibrate multi", is_of_no_matter);
    if (status == EXIT_DONE) {
        status = clump_multi_measure(&c);
        const int answered = s->samples.count > 0 && s->store.name[0] != '\0' && !s->store_failed
                                 ? answer(&c)
                                 : EXIT_DONE;
        status = status != EXIT_DONE ? status : answered;
    }
    clump_calibration_finish(s);
    return status;
}

const command_entry command_calibrate_multi = {
    .name = "calibrate multi",
    .operands = "",
    .summary = "Measure what shared memory and the network cost each other, and tune the polling",
    .text = "An endpoint with two protocols looks at shared memory in each "
            "poll, and at the network,\n"
            "which is dear, in every s-th poll only. This command joins each "
            "pair of processes by\n"
            "shared memory and by UDP over loopback. It measures the cost of "
            "a poll (table 7.1 of\n"
            "S. S. Lumetta's thesis, 1998); four patterns of traffic and "
            "each protocol by itself\n"
            "while s_max, s_min, k and d vary (tables 7.2 to 7.5), and "
            "recommends settings; and LogGP\n"
            "of each protocol alone and beside the other (table 7.6), with "
            "the model's predictions.\n"
            "Every sample goes to the database of --db, or else to your own. "
            "^C keeps the stages that\n"
            "are complete.",
    .examples =
        "clumpmodel calibrate multi\n"
        "clumpmodel calibrate multi --quick --parts polls,loggp\n"
        "clumpmodel calibrate multi --parts loggp --strategy adaptive:s_max=256 --db lab.db",
    .options = options,
    .option_count = OPTION_COUNT,
    .creates_database = true,
    .run = run,
};
