/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "reproductions/command/run_emulated.h"

#include "cli/output/errors.h"
#include "cli/output/interrupt.h"
#include "cli/output/output.h"
#include "cli/output/progress.h"
#include "model/prediction.h"
#include "model/workload/traffic.h"
#include "reproductions/command/run_model.h"
#include "reproductions/runs/application_slowdowns.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- what runs */

typedef struct course {
    progress_bar bar;
    clump_application_result expected;
} course;

static bool watch(double share, const char *what, void *context)
{
    progress_note(&((course *)context)->bar, share, what);
    return interrupt_wanted();
}

static bool is_right(const clump_application_run *run, void *context,
                     char message[CLUMP_CALIBRATION_MESSAGE_BYTES])
{
    const clump_application_result *e = &((course *)context)->expected;
    if (run->result.digest == e->digest && run->result.items == e->items)
        return true;
    snprintf(message, CLUMP_CALIBRATION_MESSAGE_BYTES,
             "found %llu items with digest %016llx, expected %llu with %016llx as a sequential run "
             "has them: please report this",
             (unsigned long long)run->result.items, (unsigned long long)run->result.digest,
             (unsigned long long)e->items, (unsigned long long)e->digest);
    return false;
}

/* A message takes this machine some 50 us, a wake-up as long: half a microsecond each in time that passes
 * a hundred times slower, where a NIC of 100 Mbit/s needs eight for a short message. */
static double dilation_for(uint32_t workers)
{
    const double processors = (double)sysconf(_SC_NPROCESSORS_ONLN);
    return fmax(50, ceil(25 * workers / fmax(processors, 1)));
}

/* ---- what the model says */

typedef struct forecast {
    double slowdown;
    double computation; /* share of the time on the NOW */
    double utilization; /* the rest */
    double waiting;     /* share of that in which no NIC works */
    double remote;      /* share of the traffic that leaves the node */
} forecast;

/* Messages in time of NICs: each costs what is left of the bytes that the NOW's NICs sent, with
 * headers and acknowledgements, when bulk data is taken off. */
static clump_loggp network_of(const clump_application_comparison *c, const clump_traffic *remote,
                              const clump_traffic *local)
{
    const double us_per_byte = 8 / c->machine.rate_mbit,
                 bulk = remote->bulk_messages + local->bulk_messages,
                 messages = remote->short_messages + local->short_messages + bulk,
                 bytes = c->now.worst.bytes / c->run->input->workers,
                 others = bytes - (remote->bulk_bytes + local->bulk_bytes - bulk);
    return (clump_loggp){.latency_us = 20 / c->machine.dilation,
                         .gap_us = fmax(us_per_byte * others / fmax(messages, 1), 1e-9),
                         .gap_us_per_byte = us_per_byte};
}

/* Within a node they cost what they cost on this machine, a few microseconds in time that passes
 * slower. */
static clump_loggp memory_of(const clump_application_machine *machine)
{
    return (clump_loggp){.latency_us = 20 / machine->dilation,
                         .gap_us = 2 / machine->dilation,
                         .gap_us_per_byte = 2e-4 / machine->dilation};
}

/* Computation is a phase in which nobody uses a NIC; all else is one of communication, in which
 * whoever does not use its NIC waits for others (MODEL.md, section 36). */
static clump_status ask_model(const clump_application_comparison *c, unsigned nics, forecast *f,
                              clump_error *error)
{
    const clump_application_run *now = c->run;
    const uint32_t workers = now->input->workers;
    const clump_workload workload = {.remote = run_traffic(now, true),
                                     .local = run_traffic(now, false),
                                     .memory_penalty = 1,
                                     .time_us = now->time_us};
    const clump_loggp network = network_of(c, &workload.remote, &workload.local),
                      memory = memory_of(&c->machine);
    clump_demand_profile profile;
    clump_prediction prediction;
    clump_status status = clump_traffic_profile(&workload, &network, &memory, &profile, error);
    if (status != CLUMP_OK)
        return status;
    *f = (forecast){.remote = profile.coupling.remote_fraction};
    for (uint32_t r = 0; r < workers; r++) /* the others wait for who computes most */
        f->computation = fmax(f->computation, now->workers[r].parts.compute_us / now->time_us);
    f->computation = fmin(f->computation, 1 - profile.utilization); /* the rest overlaps with it */
    f->utilization = 1 - f->computation;
    f->waiting = f->utilization > 0 ? 1 - profile.utilization / f->utilization : 0;
    static const double none = 0, all = 1;
    clump_coupling coupling = profile.coupling;
    coupling.waiting_fraction = fmin(fmax(f->waiting, 0), 1);
    coupling.cost_ratio *= 1 - coupling.waiting_fraction;
    const clump_phase phases[] = {{.load = {.utilizations = &all,
                                            .utilization_count = 1,
                                            .demand = CLUMP_DEMAND_INDEPENDENT,
                                            .coupling = coupling},
                                   .time = f->utilization},
                                  {.load = {.utilizations = &none,
                                            .utilization_count = 1,
                                            .demand = CLUMP_DEMAND_INDEPENDENT,
                                            .coupling = CLUMP_COUPLING_NONE},
                                   .time = f->computation}};
    const clump_node node = {
        .processors = now->input->per_node, .nics = nics, .mapping = CLUMP_MAPPING_POOLED};
    /* A phase that takes no time is none. */
    const bool talks = f->utilization > 0, computes = f->computation > 0;
    status = clump_predict_phases(&node, talks ? phases : phases + 1, 1 + (talks && computes),
                                  &prediction, NULL, error);
    if (status == CLUMP_OK)
        f->slowdown = prediction.slowdown;
    return status;
}

/* ---- the answer */

typedef struct row {
    const clump_emulated_result *result;
    const clump_application_comparison *comparison;
    forecast model;
    double error;
} row;

static const void *result_of(const void *record)
{
    return ((const row *)record)->result;
}

static const void *comparison_of(const void *record)
{
    return ((const row *)record)->comparison;
}

static void make_processors(const void *record, table_cell *cell)
{
    const clump_application_comparison *c = record;
    cell_whole(cell, c->run->input->per_node);
}

static void make_nodes(const void *record, table_cell *cell)
{
    const clump_application_comparison *c = record;
    cell_whole(cell, c->run->input->workers / c->run->input->per_node);
}

static void make_program(const void *record, table_cell *cell)
{
    const clump_application_comparison *c = record;
    cell_text(cell, c->run->input->application->name);
}

#define RESULT(member) FIELD(clump_emulated_result, member), .of = result_of
#define OF_ALL(member) FIELD(clump_application_comparison, member), .of = comparison_of

static const table_column columns[] = {
    {"program", "Program", .make = make_program, .of = comparison_of, .folding = FOLD_ALWAYS,
     .layout = COLUMN_LEFT},
    {"nodes", "Nodes", .make = make_nodes, .of = comparison_of, .folding = FOLD_ALWAYS},
    {"processors", "Processors a node", .make = make_processors, .of = comparison_of,
     .folding = FOLD_ALWAYS},
    {"rate_mbit", "Mbit/s of a NIC", OF_ALL(machine.rate_mbit), .folding = FOLD_ALWAYS},
    {"dilation", "Time dilated by", OF_ALL(machine.dilation), .folding = FOLD_ALWAYS},
    {"repetitions", "Repetitions", OF_ALL(repetitions), .folding = FOLD_ALWAYS},
    {"utilization", "Utilization", FIELD(row, model.utilization), .folding = FOLD_ALWAYS},
    {"waiting_fraction", "Waiting", FIELD(row, model.waiting), .folding = FOLD_ALWAYS},
    {"remote_fraction", "Remote", FIELD(row, model.remote), .folding = FOLD_ALWAYS},
    {"nics", "NICs", RESULT(nics)},
    {"clump_s", "Clump s", RESULT(clump.mean)},
    {"now_s", "NOW s", OF_ALL(now.mean)},
    {"slowdown", "Slowdown", NUMBER_RATIO, RESULT(slowdown)},
    {"half_width", "95%", NUMBER_RATIO, RESULT(half_width)},
    {"predicted", "Predicted", NUMBER_RATIO, FIELD(row, model.slowdown)},
    {"error", "Error", NUMBER_SIGNED, FIELD(row, error)},
    {"nic_use", "NICs busy", NUMBER_PERCENT, RESULT(clump.worst.nic_use)},
    {"busiest_nic", "Busiest", NUMBER_PERCENT, RESULT(clump.worst.busiest_nic)},
    {"now_nic_use", "NOW's busy", NUMBER_PERCENT, OF_ALL(now.worst.nic_use)},
    {"late", "Late", NUMBER_PERCENT, RESULT(clump.worst.late)},
    {"now_late", NULL, OF_ALL(now.worst.late)},
    {"latest_s", NULL, RESULT(clump.worst.latest)},
    {"processor_use", "Processors used", RESULT(clump.worst.processor_use)},
    {"now_processor_use", NULL, OF_ALL(now.worst.processor_use)},
    {"bytes", NULL, RESULT(clump.worst.bytes)},
    {"packets", NULL, RESULT(clump.worst.packets)},
    {"now_bytes", NULL, OF_ALL(now.worst.bytes)},
    {"now_packets", NULL, OF_ALL(now.worst.packets)},
    {"resent", NULL, RESULT(clump.worst.again)},
    {"real_time", NULL, RESULT(clump.worst.real_time)},
    {"machine_busy", "Machine busy", NUMBER_PERCENT, RESULT(clump.worst.machine_busy)},
    {"machine_taken", NULL, RESULT(clump.worst.machine_taken)},
    {"doubt", NULL, FIELD_ARRAY(clump_emulated_result, doubt), .of = result_of},
};

static int show(const command_invocation *invocation, const clump_application_comparison *c,
                bool checked)
{
    row list[RUN_EMULATED_MOST_CLUMPS];
    double sum = 0;
    for (size_t r = 0; r < c->result_count; r++) {
        list[r] = (row){.result = &c->results[r], .comparison = c};
        clump_error error = {CLUMP_OK, ""};
        const clump_status status = ask_model(c, c->results[r].nics, &list[r].model, &error);
        if (status == CLUMP_NO_MEMORY)
            return error_memory(invocation->arguments.command);
        if (status != CLUMP_OK)
            return error_failed(invocation->arguments.command, "no prediction: %s", error.message);
        list[r].error = list[r].model.slowdown / c->results[r].slowdown - 1;
        sum += fabs(list[r].error);
    }
    const double mean = sum / (double)c->result_count;
    const table_rows rows = {.key = "results", COLUMNS(columns), RECORDS(list, c->result_count)};
    const output_field fields[] = {field_text("run", c->run->input->application->run),
                                   field_real("operation_us", c->machine.operation_us),
                                   field_real("mean_absolute_error", mean)};
    const int status =
        output_print(invocation->format, &rows, fields, sizeof fields / sizeof *fields);
    if (status == EXIT_DONE && invocation->format == FORMAT_TABLE)
        printf("\nMean absolute error of %zu prediction%s: %.1f%%. Results: %s.\n", c->result_count,
               c->result_count == 1 ? "" : "s", 100 * mean,
               checked ? "those of a sequential run" : "not checked");
    for (size_t r = 0; r < c->result_count; r++)
        if (c->results[r].doubt[0] != '\0')
            note_print(invocation->arguments.command, "N=%u is doubtful: %s", c->results[r].nics,
                       c->results[r].doubt);
    return status;
}

static int compare(const command_invocation *invocation, clump_application_comparison *c)
{
    const char *command = invocation->arguments.command;
    char message[CLUMP_CALIBRATION_MESSAGE_BYTES] = "";
    course *of = c->context;
    progress_start(&of->bar, invocation->quiet);
    interrupt_catch();
    const clump_protocol_status status = clump_application_compare(c, message);
    progress_clear(&of->bar);
    const int code = status == CLUMP_PROTOCOL_OK ? EXIT_DONE
                     : interrupt_wanted()
                         ? interrupt_status()
                         : error_told(command, status == CLUMP_PROTOCOL_BAD_INPUT, message);
    interrupt_release();
    return code;
}

int run_emulated_show(const command_invocation *invocation, const clump_application_input *input,
                      const run_emulated *how)
{
    const char *command = invocation->arguments.command;
    clump_emulated_result results[RUN_EMULATED_MOST_CLUMPS] = {{.nics = 0}};
    course of = {.expected = {.items = 0}};
    clump_application_run run = {.input = input,
                                 .workers = calloc(input->workers, sizeof *run.workers)};
    clump_application_comparison c = {.run = &run,
                                      .machine = how->machine,
                                      .repetitions = how->repetitions,
                                      .results = results,
                                      .result_count = how->nic_count,
                                      .check = how->checked ? is_right : NULL,
                                      .watch = watch,
                                      .context = &of};
    for (size_t r = 0; r < how->nic_count; r++)
        results[r].nics = (unsigned)how->nics[r];
    if (!(c.machine.dilation > 0))
        c.machine.dilation = dilation_for(input->workers);
    int status = run.workers != NULL ? EXIT_DONE : error_memory(command);
    if (status == EXIT_DONE && how->checked && !input->application->expect(input, &of.expected))
        status = error_memory(command);
    if (status == EXIT_DONE)
        status = compare(invocation, &c);
    if (status == EXIT_DONE)
        status = show(invocation, &c, how->checked);
    free(run.workers);
    return status;
}
