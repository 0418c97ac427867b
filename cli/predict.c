/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * `predict` and `simulate`: a scenario is run, its results are printed and perhaps drawn.
 */
#include "cli/command.h"
#include "cli/database.h"
#include "cli/memory_limit.h"
#include "cli/output/errors.h"
#include "cli/output/escape.h"
#include "cli/output/interrupt.h"
#include "cli/output/progress.h"
#include "cli/output/results.h"
#include "cli/recording/recording_open.h"
#include "cli/recording/schedule_source.h"
#include "cli/result_show.h"
#include "cli/result_tables.h"
#include "cli/scenario_files.h"
#include "cli/scenario_options.h"
#include "cli/shipped_scenarios.h"
#include "exploring/shifted.h"
#include "model/simulation/simulation.h"

#include <math.h>
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>

typedef struct settings {
    clump_scenario_options scenario;
    clump_simulation_options simulation;
    show_options show;
    bool simulate; /* --engine simulation, or the command `simulate` */
    bool explain;  /* bounds and networks, too */
    /* File in GOAL, or recording, that takes the place of applications; or NULL. */
    const char *schedule;
    clump_schedule_rules rules;
    int nic_choice;
    clump_inputs_choice choice;
    result_inputs inputs; /* what intervals make of them */
    recorded_choices recorded;
} settings;

/* ---- while it runs */

typedef struct listener {
    progress_bar progress;
    bool quiet;
    bool computes; /* the script is through */
} listener;

static void begin_rows(listener *l)
{
    if (!l->computes)
        progress_restart(&l->progress);
    l->computes = true;
}

static void show_progress(size_t done, size_t total, void *context)
{
    listener *l = context;
    begin_rows(l);
    progress_update(&l->progress, done, total);
}

/* The row that is being simulated. */
static void show_simulation(const clump_simulation_progress *progress, size_t done, size_t total,
                            void *context)
{
    listener *l = context;
    begin_rows(l);
    simulation_progress(&l->progress, progress, done, total);
}

static void show_line(const char *line, void *context)
{
    listener *l = context;
    if (l->quiet)
        return;
    progress_clear(&l->progress);
    for (const char *c = line; *c != '\0'; c++) /* print() puts tabs between what it prints */
        if (*c == '\t')
            fputc('\t', stderr);
        else
            c += escape_print_one(c, stderr) - 1;
    fputc('\n', stderr);
}

/* ---- results */

/* Rows without results. */
static void tell_left_out(const char *command, const clump_scenario_results *results)
{
    size_t empty = 0;
    for (size_t i = 0; i < results->count; i++)
        empty += results->rows[i].replications == 0 && results->rows[i].refused == NULL;
    if (empty > 0)
        note_print(command,
                   "%zu of %zu rows are left empty: scheduled demand is the best of all "
                   "schedules, which only the exact engine computes",
                   empty, results->count);
}

/* Rows whose interval stayed wider than wanted, because the events were used up. */
static int check_reached(const char *command, const clump_scenario_results *results)
{
    size_t missed = 0, empty = 0;
    double widest = 0;
    for (size_t i = 0; i < results->count; i++) {
        const clump_result *r = &results->rows[i];
        if (r->replications == 0 || r->reached)
            continue;
        missed++;
        empty += isnan(r->slowdown);
        if (isfinite(r->slowdown))
            widest = fmax(widest, r->half_width / r->slowdown);
    }
    if (missed == 0)
        return EXIT_DONE;
    if (empty > 0)
        return error_failed(command,
                            "%zu of %zu rows are left empty, as the events allowed are "
                            "too few to say anything; raise --max-events",
                            empty, results->count);
    return error_failed(command,
                        "%zu of %zu rows did not reach the precision wanted within the "
                        "events allowed (the widest interval is +-%.3g%%); raise "
                        "--max-events or --precision",
                        missed, results->count, 100 * widest);
}

static int print_results(const command_invocation *invocation, const settings *s,
                         const clump_scenario_results *results, bool stopped)
{
    if (invocation->format == FORMAT_TABLE) {
        const int status = result_tables_print(invocation->arguments.command, results->rows,
                                               results->count, &s->inputs, s->explain);
        if (status == EXIT_DONE && stopped)
            interrupt_mark_table("rows", results->count, results->expected);
        return status;
    }
    const table_rows rows = result_rows(results->rows, results->count);
    output_field fields[4 + ORIGIN_FIELDS] = {
        field_text("title", results->title),
        field_real("mean_absolute_error", result_mean_error(results->rows, results->count)),
        field_text("incomplete", "interrupted"), field_size("rows_expected", results->expected)};
    const size_t count = stopped ? 4 : 2;
    result_origin origin;
    int status = origin_make(&invocation->arguments, &s->scenario, &origin);
    if (status == EXIT_DONE)
        status = output_print(invocation->format, &rows, fields,
                              count + origin_fields(&origin, fields + count));
    free(origin.command);
    return status;
}

/* All that is said about results. */
static int report_results(const command_invocation *invocation, const settings *s,
                          const clump_scenario_results *results, bool stopped)
{
    const char *command = invocation->arguments.command;
    int status = print_results(invocation, s, results, stopped);
    if (status == EXIT_DONE && s->explain)
        status = result_networks_print(results->rows, results->count);
    memory_limit_end(); /* gnuplot is another program */
    if (status == EXIT_DONE && !stopped)
        status = show_results(&s->show, (result_page){.title = results->title,
                                                      .results = results->rows,
                                                      .count = results->count,
                                                      .store = s->scenario.store,
                                                      .scenario = &s->scenario,
                                                      .arguments = &invocation->arguments});
    if (s->simulate && !invocation->quiet)
        tell_left_out(command, results);
    if (status == EXIT_DONE && s->simulate && !stopped)
        status = check_reached(command, results);
    return status;
}

/* After ^C: what there is, without pictures. */
static int report_stopped_results(const command_invocation *invocation, const settings *s,
                                  const clump_scenario_results *results)
{
    const char *command = invocation->arguments.command;
    const int status =
        results->count > 0 ? report_results(invocation, s, results, true) : EXIT_DONE;
    if (status != EXIT_DONE)
        return status;
    if (results->expected == 0)
        return interrupt_told(command, "the script was running, and there are no results yet");
    return interrupt_told_part(command, "rows", results->count, results->expected);
}

/* ---- the walk: options, files, the scenario, its results */

static const option_entry schedule_options[] = {
    {.name = "conventions",
     .argument = "clumpmodel|loggopsim",
     .help = "of a schedule: who pays for what, when (default: {})",
     OPTION_AS(CHOICE, settings, rules.conventions),
     .preset = "clumpmodel"},
    {.name = "nic-choice",
     .argument = "auto|free|openmpi",
     .help = "of a schedule: a message takes the NIC that is free first, or\n"
             "those of its sender and receiver take turns, as with Open\n"
             "MPI's TCP (default {}: what was recorded)",
     OPTION_AS(CHOICE, settings, nic_choice),
     .preset = "auto"},
    {.name = "window",
     .argument = "SIZE",
     .help = "of a schedule: bytes of a connection that wait at a NIC at a\n"
             "time; the rest comes behind what others have queued\n"
             "meanwhile. 0: all of it (default: 20K, as TCP has them,\n"
             "for a recording, else 0)",
     OPTION_AS(BYTES, settings, rules.window_bytes)},
    {.name = "rendezvous",
     .argument = "SIZE",
     .help = "of a schedule: sends of more bytes than this end when their\n"
             "message has met its receive (LogGOPSim's S; default: none, and\n"
             "for a recording the steps of its MPI library)",
     OPTION_AS(BYTES, settings, rules.rendezvous_above)},
    {.name = "overhead-per-byte",
     .argument = "US",
     .help = "of a schedule: processor time for each byte but the first,\n"
             "microseconds (LogGOPSim's O; default: {})",
     OPTION_OF(settings, rules.overhead_us_per_byte),
     .most = 1e6,
     .preset = "0"},
    {.name = "rank-order",
     .argument = CLUMP_RANK_ORDER_WORDS,
     .help = "of a schedule: ranks 0 to P-1 are on the first node, or one is\n"
             "on each node in turn (default: {})",
     OPTION_AS(CHOICE, settings, recorded.rank_order),
     .preset = "blocks"},
    {.name = "gaps",
     .argument = "processor|wall",
     .help = "of a recording: what ranks do between calls of MPI is their\n"
             "processor time, or all of the time (default: {})",
     OPTION_AS(CHOICE, settings, recorded.gaps),
     .preset = "processor"},
    {.name = "collectives",
     .argument = "recorded|openmpi|mpich",
     .help = "of a recording: whose algorithms make messages of\n"
             "collectives; recorded: those of the library that was\n"
             "recorded (default: {})",
     OPTION_AS(CHOICE, settings, recorded.collectives),
     .preset = "recorded"},
    {0},
};

static int schedule_options_refuse(const command_line *line, const settings *s)
{
    const option_entry *given = option_any_given(line, schedule_options);
    return given == NULL || s->schedule != NULL
               ? EXIT_DONE
               : error_usage(line->command,
                             "--%s: it is about schedules; expected it with --schedule only",
                             given->name);
}

static int check_options(const command_invocation *invocation, const settings *s)
{
    const command_line *line = &invocation->arguments;
    if (s->explain && invocation->format != FORMAT_TABLE)
        return error_usage(line->command,
                           "--explain: found with --format json or csv, expected tables");
    int status = s->simulate ? EXIT_DONE : simulation_options_refuse(line);
    if (status == EXIT_DONE)
        status = schedule_options_refuse(line, s);
    return status == EXIT_DONE ? show_check(line) : status;
}

/* What the uncertainty of inputs does to the rows. */
static clump_scenario_status add_inputs(settings *s, clump_scenario_results *results)
{
    s->inputs.exact = s->choice == CLUMP_INPUTS_NONE;
    if (s->inputs.exact)
        return CLUMP_SCENARIO_OK;
    clump_scenario_options draws = s->scenario;
    draws.provenance = NULL; /* they read what the results were made from */
    const clump_scenario_status status =
        clump_inputs_propagate(&draws, s->choice == CLUMP_INPUTS_ALL, results, &s->inputs.told);
    s->inputs.told.limited |= status != CLUMP_SCENARIO_OK;
    return status;
}

static int evaluate_scenario(const command_invocation *invocation, settings *s)
{
    const char *command = invocation->arguments.command;
    clump_scenario_options *scenario = &s->scenario;
    clump_scenario_results results;
    listener l = {.quiet = invocation->quiet};
    char message[2048] = "";
    scenario->simulation = s->simulate ? &s->simulation : NULL;
    const clump_watch guard = progress_watch(&l.progress);
    scenario->watch = &guard;
    scenario->progress = show_progress;
    scenario->simulating = show_simulation;
    scenario->print = show_line;
    scenario->context = &l;
    interrupt_catch();
    progress_start(&l.progress, invocation->quiet);
    const clump_scenario_status run =
        clump_scenario_run(scenario, &results, message, sizeof message);
    const clump_scenario_status shares =
        run == CLUMP_SCENARIO_OK && !s->simulate ? add_inputs(s, &results) : CLUMP_SCENARIO_OK;
    interrupt_release();
    progress_clear(&l.progress);
    if (run != CLUMP_SCENARIO_OK && run != CLUMP_SCENARIO_STOPPED)
        return run == CLUMP_SCENARIO_BAD_INPUT
                   ? error_input(command, "%s", message)
                   : memory_limit_told(command, run == CLUMP_SCENARIO_NO_MEMORY, message);
    int status = run == CLUMP_SCENARIO_STOPPED ? report_stopped_results(invocation, s, &results)
                                               : report_results(invocation, s, &results, false);
    if (status == EXIT_DONE && run == CLUMP_SCENARIO_OK && shares == CLUMP_SCENARIO_STOPPED)
        status = interrupt_told(command, "intervals are without the uncertainty of the inputs");
    clump_scenario_results_free(&results);
    return status;
}

static int threads_of(const settings *s)
{
    return !s->simulate                ? 1
           : s->simulation.threads > 0 ? s->simulation.threads
                                       : omp_get_max_threads();
}

enum { NIC_CHOICE_AUTO, NIC_CHOICE_FREE, NIC_CHOICE_OPEN_MPI };

static void choose_nics(settings *s, const command_line *line, const recorded_schedules *recorded)
{
    if (recorded->kept != NULL && !option_is_given(line, "window") &&
        s->rules.conventions == CLUMP_SCHEDULE_QUEUED)
        s->rules.window_bytes = recorded->transports.remote.window;
    if (recorded->kept != NULL && s->rules.conventions == CLUMP_SCHEDULE_QUEUED)
        clump_schedule_as_library(&s->rules, &recorded->transports,
                                  s->nic_choice == NIC_CHOICE_AUTO && recorded->transports.known,
                                  true);
    if (s->nic_choice == NIC_CHOICE_OPEN_MPI) {
        const clump_mpi_transports open_mpi = clump_mpi_transports_of(NULL);
        clump_schedule_as_library(&s->rules, &open_mpi, true, false);
    }
}

/* A file in GOAL, or the folder of a recording. */
static int read_schedule(const command_invocation *invocation, const settings *s,
                         clump_schedule **schedule, recorded_schedules *recorded)
{
    const char *command = invocation->arguments.command;
    if (!recording_is_folder(s->schedule))
        return schedule_read(command, s->schedule, &s->scenario, schedule);
    const int status = recorded_schedules_open(command, s->schedule, &s->recorded, recorded);
    if (status == EXIT_DONE && recorded->kept->run->sha256 != NULL)
        clump_provenance_add_known(s->scenario.provenance, "recording",
                                   recorded->kept->run->sha256);
    if (status == EXIT_DONE && !invocation->quiet)
        recorded_schedules_tell(command, s->schedule, recorded);
    return status;
}

/* In place of the scenario's applications. */
static void use_schedule(settings *s, const command_line *line, const clump_schedule *schedule,
                         recorded_schedules *recorded)
{
    clump_scenario_options *scenario = &s->scenario;
    scenario->schedule = schedule;
    if (recorded->kept != NULL) {
        scenario->schedule = recorded->now->schedule;
        scenario->schedule_for = recorded_schedules_for;
        scenario->schedule_context = recorded;
    }
    scenario->schedule_name = s->schedule;
    choose_nics(s, line, recorded);
    s->rules.order = (clump_rank_order)s->recorded.rank_order;
    scenario->schedule_rules = &s->rules;
    scenario->by_message = true;
}

static int run_predict(const command_invocation *invocation)
{
    const command_line *line = &invocation->arguments;
    settings *s = invocation->settings;
    clump_schedule *schedule = NULL;
    recorded_schedules recorded = {.kept = NULL};
    scenario_file file = {.path = NULL};
    if (line->operand_count == 0)
        return shipped_scenarios_answer(invocation);
    int status = check_options(invocation, s);
    if (status == EXIT_DONE)
        status = origin_begin(line->command, &s->scenario);
    if (status == EXIT_DONE)
        memory_limit_begin(s->scenario.memory_limit, threads_of(s));
    if (status == EXIT_DONE && s->schedule != NULL)
        status = read_schedule(invocation, s, &schedule, &recorded);
    if (status == EXIT_DONE)
        status = scenario_open(line->command, line->operands[0], &s->scenario, &file);
    if (status == EXIT_DONE)
        status = database_open(invocation, &s->scenario.store);
    if (status == EXIT_DONE) {
        if (s->schedule != NULL)
            use_schedule(s, line, schedule, &recorded);
        status = evaluate_scenario(invocation, s);
    }
    memory_limit_end();
    if (s->schedule != NULL) {
        clump_schedule_free(schedule);
        recorded_schedules_close(&recorded);
    }
    clump_store_close(s->scenario.store);
    clump_provenance_free(s->scenario.provenance);
    scenario_close(&file);
    return status;
}

/* ---- */

static const option_entry predict_options[] = {
    {.name = "engine",
     .argument = "exact|simulation",
     .help = "how results are computed (default: {})",
     OPTION_AS(CHOICE, settings, simulate),
     .preset = "exact"},
    {.name = "explain",
     .help = "show all columns, also between what slowdowns any\n"
             "schedule lies, and the LogGP parameters (latency,\n"
             "overheads, gaps) with lost packets, for networks whose\n"
             "protocol is named",
     OPTION_OF(settings, explain)},
    {0},
};

static const option_entry simulate_options[] = {
    {.name = "messages",
     .help = "simulate every message instead of the model; needs\n"
             "applications described by their traffic",
     OPTION_OF(settings, scenario.by_message)},
    {.name = "schedule",
     .argument = "FILE",
     .help = "simulate this schedule instead of applications, in GOAL:\n"
             "what each process computes, sends and receives, and what\n"
             "waits for what; or the folder of a recording",
     OPTION_OF(settings, schedule)},
    {0},
};

const command_entry command_predict = {
    .name = "predict",
    .operands = "[SCENARIO.lua]",
    .summary = "Evaluate a scenario: predictions beside measurements",
    .text = "SCENARIO.lua is a file, '-' for standard input, or the bare name of a scenario that\n"
            "ships with the program. Without it the shipped ones are listed.\n"
            "clumpmodel-scenario(5) describes the language.",
    .examples = "clumpmodel predict clump-vs-now\n"
                "clumpmodel predict lossy-ethernet --explain\n"
                "clumpmodel predict figure-8.2 --plot figure.svg",
    .tables =
        (const option_table[]){
            {definition_options, offsetof(settings, scenario)},
            {limit_options, offsetof(settings, scenario)},
            {inputs_options, offsetof(settings, choice)},
            {simulation_options, offsetof(settings, simulation)},
            {result_show_options, offsetof(settings, show)},
            {predict_options, 0},
            {0},
        },
    .settings_size = sizeof(settings),
    .initial = &(const settings){.simulation = {.confidence = 0.95}},
    .most_operands = 1,
    .run = run_predict,
};

const command_entry command_simulate = {
    .name = "simulate",
    .operands = "[SCENARIO.lua]",
    .summary = "Evaluate a scenario by simulation, with intervals",
    .text = "Simulates the scenarios of 'predict' event by event instead of solving equations.\n"
            "Replications run in parallel until the interval of each slowdown is narrow enough.\n"
            "Other distributions than the exponential are possible (computation_times and\n"
            "communication_times in clumpmodel-scenario(5)).",
    .examples = "clumpmodel simulate figure-8.3 --precision 1%\n"
                "clumpmodel simulate my-cluster.lua -D nics=2 --seed 7 --format csv\n"
                "clumpmodel simulate nics-per-node -D most=2 --messages --precision 5%",
    .tables =
        (const option_table[]){
            {definition_options, offsetof(settings, scenario)},
            {limit_options, offsetof(settings, scenario)},
            {simulation_options, offsetof(settings, simulation)},
            {result_show_options, offsetof(settings, show)},
            {simulate_options, 0},
            {schedule_options, 0},
            {0},
        },
    .settings_size = sizeof(settings),
    .initial = &(const settings){.simulate = true,
                                 .simulation = {.confidence = 0.95},
                                 .rules = {.rendezvous_above = UINT64_MAX}},
    .most_operands = 1,
    .run = run_predict,
};
