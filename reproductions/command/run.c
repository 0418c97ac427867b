/* SPDX-License-Identifier: GPL-3.0-or-later */
/* `clumpmodel run`: the documents' programs, live and in virtual time. */
#include "cli/command.h"
#include "cli/companions.h"
#include "cli/database.h"
#include "cli/output/errors.h"
#include "cli/output/interrupt.h"
#include "cli/output/progress.h"
#include "protocols/calibration/team.h"
#include "protocols/emulation/nodes.h"
#include "reproductions/command/run_emulated.h"
#include "reproductions/command/run_fit.h"
#include "reproductions/command/run_list.h"
#include "reproductions/command/run_machine.h"
#include "reproductions/command/run_model.h"
#include "reproductions/command/run_options.h"
#include "reproductions/command/run_rows.h"
#include "reproductions/command/run_store.h"
#include "reproductions/runs/application_run.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- the input */

static int read_size(const command_line *line, const clump_application *a, const char *text,
                     clump_application_input *input)
{
    const char *equals = strchr(text, '=');
    const size_t length = equals != NULL ? (size_t)(equals - text) : strlen(text);
    double value = 0;
    for (size_t i = 0; a->sizes[i].name != NULL; i++) {
        const clump_application_size *s = &a->sizes[i];
        if (strlen(s->name) != length || strncmp(s->name, text, length) != 0)
            continue;
        if (equals == NULL || !real_parse(equals + 1, &value) || value < s->least ||
            value > s->most || (s->whole && value != (double)(uint64_t)value))
            return error_usage(
                line->command, "--set: found '%.80s', expected %s=NUMBER, %s from %.9g to %.9g",
                text, s->name, s->whole ? "a whole number" : "a number", s->least, s->most);
        input->sizes[i] = value;
        return EXIT_DONE;
    }
    return error_usage(line->command,
                       "--set: found '%.80s', expected a size of %s and a number: see "
                       "'clumpmodel run %s --describe'",
                       text, a->name, a->name);
}

static int read_input(const command_invocation *invocation, const clump_application *a,
                      uint32_t nodes, uint32_t processors, clump_application_input *input)
{
    const run_settings *s = invocation->settings;
    const command_line *line = &invocation->arguments;
    char message[CLUMP_APPLICATION_MESSAGE];
    if (processors > CLUMP_VIRTUAL_TEAM_MOST / nodes)
        return error_usage(line->command,
                           "found %u nodes of %u processors, expected at most %d processors in "
                           "all",
                           nodes, processors, CLUMP_VIRTUAL_TEAM_MOST);
    *input = clump_application_input_of(a, nodes * processors, processors);
    input->seed = s->seed;
    for (size_t i = 0; i < s->sizes.count; i++) {
        const int status = read_size(line, a, s->sizes.items[i], input);
        if (status != EXIT_DONE)
            return status;
    }
    if (a->check != NULL && !a->check(input, message))
        return error_usage(line->command, "%s: %s", a->name, message);
    return EXIT_DONE;
}

/* ---- running */

static bool watch(double share, void *context)
{
    progress_note(context, share, "");
    return interrupt_wanted();
}

/* Why it did not come to its end: the exit code. */
static int tell_failure(const command_line *line, clump_protocol_status status, const char *message)
{
    if (interrupt_wanted())
        return interrupt_status();
    return error_told(line->command, status == CLUMP_PROTOCOL_BAD_INPUT, message);
}

/* The result beside that of a sequential run. */
static int check_result(const command_line *line, const clump_application_run *run)
{
    clump_application_result expected;
    if (!run->input->application->expect(run->input, &expected))
        return error_memory(line->command);
    if (expected.digest != run->result.digest || expected.items != run->result.items)
        return error_failed(line->command,
                            "%s: found %llu items with digest %016llx, expected %llu with %016llx "
                            "as a sequential run has them: please report this",
                            run->input->application->name, (unsigned long long)run->result.items,
                            (unsigned long long)run->result.digest,
                            (unsigned long long)expected.items,
                            (unsigned long long)expected.digest);
    return EXIT_DONE;
}

/* A run in virtual time, but for the cost of its operations. */
typedef struct virtual_run {
    clump_application_run *run;
    const run_machine *machine;
} virtual_run;

static clump_protocol_status run_virtually(double operation_us, void *context,
                                           char message[CLUMP_CALIBRATION_MESSAGE_BYTES])
{
    const virtual_run *v = context;
    return v->machine->packets
               ? clump_application_run_cluster(v->run, &v->machine->cluster, operation_us, message)
               : clump_application_run_virtual(v->run, &v->machine->options, operation_us, message);
}

/* `fit_s` above 0: with the cost that gives this time, which `operation_us` receives. */
static int run_program(const command_invocation *invocation, clump_application_run *run,
                       const run_machine *machine, double fit_s, double *operation_us)
{
    const run_settings *s = invocation->settings;
    const command_line *line = &invocation->arguments;
    char message[CLUMP_CALIBRATION_MESSAGE_BYTES] = "";
    virtual_run in_virtual_time = {run, machine};
    progress_bar bar;
    progress_start(&bar, invocation->quiet);
    interrupt_catch();
    run->watch = watch;
    run->context = &bar;
    const clump_protocol_status status =
        fit_s > 0 ? run_fit(run, run_virtually, &in_virtual_time, fit_s, operation_us, message)
        : s->platform != NULL ? run_virtually(*operation_us, &in_virtual_time, message)
                              : clump_application_run_live(run, message);
    progress_clear(&bar);
    const int code = status == CLUMP_PROTOCOL_OK ? EXIT_DONE : tell_failure(line, status, message);
    interrupt_release();
    return code == EXIT_DONE && !s->no_check ? check_result(line, run) : code;
}

/* Processes that share the processors of one node. */
static int share_processors(const char *command, const run_settings *s, clump_store *store,
                            run_machine *machine)
{
    if (machine->options.nodes > 1)
        return error_usage(command,
                           "found --jobs, --sequential or --yield with %u nodes, expected one "
                           "whose processors are shared (--virtual e5000-smp)",
                           machine->options.nodes);
    machine->sharing =
        (clump_virtual_sharing){.jobs = s->jobs > 0 ? s->jobs : 1,
                                .sequential = s->sequential,
                                .yield_us = s->yield_us > 0 ? s->yield_us : 255,
                                .slice_us = s->slice_ms > 0 ? s->slice_ms * 1e3 : 1e5};
    return run_machine_share(command, store, s->platform, machine);
}

/* The platform in virtual time, with what the options ask of the database. */
static int find_platform(const command_invocation *invocation, clump_store *store,
                         const clump_application *a, run_machine *machine)
{
    const run_settings *s = invocation->settings;
    const char *command = invocation->arguments.command;
    int status = run_cluster_find(command, store, a, s->platform, &s->protocol, machine);
    if (status == EXIT_DONE && !machine->packets)
        status = s->loss > 0 || s->protocol.name != NULL
                     ? run_cluster_refuse(command, a, s->platform)
                     : run_machine_read(command, store, s->platform, s->layer, machine);
    if (status == EXIT_DONE && machine->packets)
        status = run_settings_check_packets(&invocation->arguments, s);
    if (status == EXIT_DONE && s->memory.given)
        status =
            run_machine_read_misses(command, store, s->platform, s->memory.bytes_per_us, machine);
    if (status == EXIT_DONE && s->polling.given) {
        machine->options.polling = &s->polling.parameters;
        status = run_machine_read_polls(command, store, s->platform, machine);
    }
    if (status != EXIT_DONE)
        return status;
    machine->cluster.faults.loss = s->loss;
    machine->cluster.faults.seed = s->seed;
    if (machine->loggp_of[0] != '\0' && !invocation->quiet)
        note_print(command, "messages cost on %.60s what they do on %.60s", s->platform,
                   machine->loggp_of);
    return EXIT_DONE;
}

/* The machine that it runs on: a platform in virtual time, or this one, live. */
static int find_machine(const command_invocation *invocation, clump_store *store,
                        const clump_application *a, run_machine *machine)
{
    const run_settings *s = invocation->settings;
    const char *command = invocation->arguments.command;
    clump_virtual_team_options *o = &machine->options;
    int status = EXIT_DONE;
    *machine = (run_machine){.options = {.nodes = 1, .processors = clump_team_processors()}};
    if (s->platform != NULL)
        status = find_platform(invocation, store, a, machine);
    else if (o->processors < 2)
        o->processors = 2;
    else if (o->processors > CLUMP_TEAM_MOST)
        o->processors = CLUMP_TEAM_MOST;
    if (status != EXIT_DONE)
        return status;
    o->nodes = s->nodes > 0 ? s->nodes : o->nodes;
    if (machine->no_network && (o->nodes > 1 || s->predict))
        return error_usage(command,
                           "found --nodes or --predict with --layer %.60s, which has no network, "
                           "expected one node without a NOW to compare it with",
                           s->layer);
    if (run_settings_share(s)) {
        status = share_processors(command, s, store, machine);
        if (status != EXIT_DONE)
            return status;
    }
    o->processors = s->processors > 0 ? s->processors : o->processors;
    o->nics = s->nics.count > 0 ? (uint32_t)s->nics.values[0] : o->nics;
    o->pooled = s->mapping != NULL ? strcmp(s->mapping, "pooled") == 0 : o->pooled;
    o->half_duplex = s->half_duplex;
    o->queue_length = s->queue;
    return EXIT_DONE;
}

/* The time to which the cost is fitted: 0 if it is not. */
static int find_fitted_time(const command_invocation *invocation, clump_store *store,
                            const clump_application_run *run, const run_circumstances *c,
                            double *seconds)
{
    const run_settings *s = invocation->settings;
    const char *command = invocation->arguments.command;
    *seconds = s->fit_s;
    if (s->fit_s >= 0)
        return EXIT_DONE;
    const int status = run_rows_documents_time(command, store, run, c, seconds);
    if (status == EXIT_DONE && !(*seconds > 0))
        return error_usage(command,
                           "--fit document: found no time of %s on %s as this run has it, expected "
                           "one in the database, or --fit SECONDS",
                           run->input->application->run, s->platform);
    return status;
}

/* ---- what is done with a run besides showing it */

static int check_extras(const command_invocation *invocation, clump_store *store,
                        const clump_application_run *run, const run_circumstances *c)
{
    const run_settings *s = invocation->settings;
    const char *command = invocation->arguments.command;
    if ((s->predict || s->name != NULL) && c->machine->packets)
        return error_usage(command,
                           "found --predict or --name with a run whose packets an LCI protocol "
                           "carries, expected one whose messages cost what LogGP says");
    if (s->name != NULL && !run_rows_on_platform(store, run, c))
        return error_usage(command,
                           "--name: found a run with other nodes, processors, NICs or mapping than "
                           "platform '%.80s' has, expected a platform that is as the run",
                           s->platform);
    return EXIT_DONE;
}

/* The same on a NOW, for the model, and what that says. */
typedef struct on_a_now {
    clump_application_input input;
    clump_application_run run;
    run_model model;
} on_a_now;

static int ask_model(const command_invocation *invocation, const clump_application_run *run,
                     const run_machine *machine, double operation_us, on_a_now *now)
{
    run_machine flat = {.options = run_now_machine(&machine->options)};
    now->input = *run->input;
    now->input.per_node = 1;
    now->run = (clump_application_run){
        .input = &now->input, .workers = calloc(run->input->workers, sizeof *run->workers)};
    if (now->run.workers == NULL)
        return error_memory(invocation->arguments.command);
    const int status = run_program(invocation, &now->run, &flat, 0, &operation_us);
    return status == EXIT_DONE ? run_model_predict(invocation->arguments.command, run,
                                                   &machine->options, &now->run, &now->model)
                               : status;
}

/* Whether the platform's counterpart is this NOW: as large, and messages cost the same there. */
static int find_counterpart(const char *command, clump_store *store, const char *platform,
                            const on_a_now *now, const run_machine *machine, char name[80])
{
    clump_store_platform *found = NULL;
    run_machine other;
    name[0] = '\0';
    if (now->run.workers == NULL ||
        clump_store_find_platform(store, platform, &found) != CLUMP_STORE_OK)
        return EXIT_DONE;
    if (found->counterpart != NULL)
        snprintf(name, 80, "%s", found->counterpart);
    clump_store_free(found);
    if (name[0] == '\0')
        return EXIT_DONE;
    const int status = run_machine_read(command, store, name, NULL, &other);
    if (status != EXIT_DONE)
        return status;
    const clump_message_costs *a = &machine->options.network, *b = &other.options.network;
    if (other.options.nodes != now->input.workers || other.options.processors != 1 ||
        a->latency_us != b->latency_us || a->send_us != b->send_us ||
        a->receive_us != b->receive_us || a->gap_us != b->gap_us ||
        a->gap_us_per_byte != b->gap_us_per_byte)
        name[0] = '\0';
    return EXIT_DONE;
}

static int store_runs(const command_invocation *invocation, clump_store *store,
                      const clump_application_run *run, const run_machine *machine,
                      double operation_us, const on_a_now *now)
{
    const run_settings *s = invocation->settings;
    char counterpart[80];
    const int status = find_counterpart(invocation->arguments.command, store, s->platform, now,
                                        machine, counterpart);
    const run_stored runs[] = {{s->platform, run}, {counterpart, &now->run}};
    return status == EXIT_DONE ? run_store(invocation, store, s->name, operation_us, runs,
                                           counterpart[0] != '\0' ? 2 : 1)
                               : status;
}

/* What an operation costs: beside cache misses, if they are charged. */
static double price_of(const clump_application *a, const run_settings *s)
{
    return s->memory.given && s->operation_us == 0 && a->beside_memory_us > 0
               ? a->beside_memory_us
               : run_price(a, s->platform, s->operation_us);
}

static int run_on(const command_invocation *invocation, clump_store *store,
                  const clump_application *a)
{
    const run_settings *s = invocation->settings;
    run_machine machine;
    clump_application_input input;
    int status = find_machine(invocation, store, a, &machine);
    if (status == EXIT_DONE)
        status =
            read_input(invocation, a, machine.options.nodes, machine.options.processors, &input);
    if (status != EXIT_DONE)
        return status;
    clump_application_run run = {.input = &input,
                                 .workers = NULL,
                                 .cache_bytes = machine.cache_bytes,
                                 .jobs =
                                     machine.options.sharing != NULL ? machine.sharing.jobs : 1};
    if (input.workers > CLUMP_VIRTUAL_TEAM_MOST / run.jobs)
        return error_usage(invocation->arguments.command,
                           "found %u jobs of %u processes, expected at most %d processes in all",
                           run.jobs, input.workers, CLUMP_VIRTUAL_TEAM_MOST);
    run.workers = calloc((size_t)input.workers * run.jobs, sizeof *run.workers);
    if (run.workers == NULL)
        return error_memory(invocation->arguments.command);
    double fit_s = 0, operation_us = s->platform != NULL ? price_of(a, s) : 0;
    run_circumstances circumstances = {.platform = s->platform,
                                       .machine = &machine,
                                       .protocol = s->protocol.name,
                                       .layer = s->layer,
                                       .checked = !s->no_check,
                                       .usual = s->sizes.count == 0 && s->operation_us == 0};
    on_a_now now = {.run = {.workers = NULL}};
    status = check_extras(invocation, store, &run, &circumstances);
    if (status == EXIT_DONE)
        status = find_fitted_time(invocation, store, &run, &circumstances, &fit_s);
    if (status == EXIT_DONE)
        status = run_program(invocation, &run, &machine, fit_s, &operation_us);
    if (status == EXIT_DONE && s->predict) {
        status = ask_model(invocation, &run, &machine, operation_us, &now);
        circumstances.model = &now.model;
    }
    if (status == EXIT_DONE && s->name != NULL)
        status = store_runs(invocation, store, &run, &machine, operation_us, &now);
    if (status == EXIT_DONE)
        status = run_rows_show(invocation, store, &run, &circumstances, operation_us);
    free(now.run.workers);
    free(run.workers);
    return status;
}

static int emulate(const command_invocation *invocation, const clump_application *a)
{
    static const size_t usual_nics[] = {1, 2, 4};
    const run_settings *s = invocation->settings;
    const command_line *line = &invocation->arguments;
    const bool usual = s->nics.count == 0;
    clump_application_input input;
    const run_emulated how = {
        .machine = {.rate_mbit = s->rate_mbit > 0 ? s->rate_mbit : 100,
                    .dilation = s->dilation,
                    .operation_us = s->operation_us > 0 ? s->operation_us : a->operation_us,
                    .limit_seconds = s->limit_seconds > 0 ? s->limit_seconds : 600,
                    .real_time = true},
        .nics = usual ? usual_nics : s->nics.values,
        .nic_count = usual ? sizeof usual_nics / sizeof *usual_nics : s->nics.count,
        .repetitions = s->repetitions > 0 ? s->repetitions : 3,
        .checked = !s->no_check};
    const int status = read_input(invocation, a, s->nodes > 0 ? s->nodes : 2,
                                  s->processors > 0 ? s->processors : 4, &input);
    if (status != EXIT_DONE)
        return status;
    if (input.workers > CLUMP_NODES_MOST)
        return error_usage(
            line->command,
            "found %u processors in all, expected at most %d: each has a node of the "
            "NOW",
            input.workers, (int)CLUMP_NODES_MOST);
    return run_emulated_show(invocation, &input, &how);
}

static int run(const command_invocation *invocation)
{
    const run_settings *s = invocation->settings;
    const command_line *line = &invocation->arguments;
    if (line->operand_count == 0)
        return run_list_show(invocation);
    const clump_application *a = clump_application_find(line->operands[0]);
    if (a == NULL)
        return run_list_refuse(line, line->operands[0]);
    if (s->describe)
        return run_list_describe(invocation, a);
    clump_store *store = NULL;
    int status = run_settings_check(line, s);
    if (status == EXIT_DONE && s->emulate)
        return emulate(invocation, a);
    if (status == EXIT_DONE)
        status = s->name != NULL ? database_create(invocation, &store)
                                 : database_open(invocation, &store);
    if (status == EXIT_DONE)
        status = run_on(invocation, store, a);
    if (s->name != NULL)
        database_close(invocation, store, status);
    else
        clump_store_close(store);
    return status;
}

const command_entry command_run = {
    .name = "run",
    .operands = "[PROGRAM]",
    .summary = RUN_SUMMARY,
    .text =
        "The programs that the documents measured, written once over a global address space,\n"
        "MPI or Orca: run by processes of this machine, or by processors in virtual time, where\n"
        "they really compute their result while clocks advance by modelled costs. Prints the time "
        "and its\n"
        "parts, and the messages of each class, beside what the document has for the same\n"
        "input; and compares the result with that of a sequential run. Without PROGRAM: which\n"
        "there are.",
    .examples = "clumpmodel run em3d --virtual e5000-smp\n"
                "clumpmodel run em3d --processors 4 --set steps=2\n"
                "clumpmodel run qr --virtual p3-myrinet --protocol l-hrx --nodes 16",
    .tables = run_option_tables,
    .settings_size = sizeof(run_settings),
    .most_operands = 1,
    .creates_database = true,
    .run = run,
};
