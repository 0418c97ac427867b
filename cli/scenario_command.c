/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/scenario_command.h"

#include "cli/database.h"
#include "cli/options/definitions.h"
#include "cli/options/numbers.h"
#include "cli/output/cells.h"
#include "cli/output/errors.h"
#include "cli/output/escape.h"
#include "cli/output/progress.h"
#include "cli/result_networks.h"
#include "cli/result_rows.h"
#include "cli/result_show.h"
#include "cli/result_tables.h"
#include "cli/scenario_path.h"
#include "cli/schedule_file.h"
#include "cli/simulation_options.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct listener {
    progress_bar progress;
    bool quiet;
} listener;

static void show_progress(size_t done, size_t total, void *context)
{
    progress_update(&((listener *)context)->progress, done, total);
}

/* The row that is being simulated. */
static void show_simulation(const clump_simulation_progress *progress, size_t done, size_t total,
                            void *context)
{
    simulation_progress(&((listener *)context)->progress, progress, done, total);
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

static int read_limits(const command_line *arguments, clump_scenario_options *scenario)
{
    uint64_t steps = 0, memory = 0, rows = 0;
    int status = option_whole(arguments, SCENARIO_MAX_STEPS, 1, UINT64_MAX,
                              "a whole number of steps, at least 1", &steps);
    if (status == EXIT_DONE)
        status = option_bytes(arguments, SCENARIO_MAX_MEMORY, 1, SIZE_MAX,
                              "a number of bytes, such as 64M", &memory);
    if (status == EXIT_DONE)
        status = option_whole(arguments, SCENARIO_MAX_ROWS, 1, SIZE_MAX,
                              "a whole number of rows, at least 1", &rows);
    scenario->step_limit = steps;
    scenario->memory_limit = (size_t)memory;
    scenario->result_limit = (size_t)rows;
    return status;
}

/* Rows without results. */
static void tell_left_out(const char *command, const clump_scenario_results *results)
{
    size_t empty = 0;
    for (size_t i = 0; i < results->count; i++)
        empty += results->rows[i].replications == 0;
    if (empty > 0)
        note_print(command,
                   "%zu of %zu rows are left empty: scheduled demand is a bound on all "
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

static int print(const command_invocation *invocation, const clump_scenario_results *results)
{
    if (invocation->format == FORMAT_TABLE)
        return result_tables_print(results->rows, results->count);
    const table_rows rows = result_rows(results->rows, results->count);
    output_field fields[] = {{.key = "title"}, {.key = "mean_absolute_error"}};
    cell_text(&fields[0].value, results->title);
    cell_real(&fields[1].value, result_mean_error(results->rows, results->count));
    return output_print(invocation->format, &rows, fields, 2);
}

static int evaluate(const command_invocation *invocation, clump_scenario_options *scenario,
                    bool explain, const show_options *show)
{
    const char *command = invocation->arguments.command;
    listener l = {.quiet = invocation->quiet};
    clump_scenario_results results;
    char message[2048] = "";
    progress_start(&l.progress, invocation->quiet);
    scenario->progress = show_progress;
    scenario->simulating = show_simulation;
    scenario->print = show_line;
    scenario->context = &l;
    const clump_scenario_status run =
        clump_scenario_run(scenario, &results, message, sizeof message);
    progress_clear(&l.progress);
    if (run == CLUMP_SCENARIO_BAD_INPUT)
        return error_input(command, "%s", message);
    if (run != CLUMP_SCENARIO_OK)
        return error_failed(command, "%s", message);
    int status = EXIT_DONE;
    if (explain)
        status = result_networks_check(command, results.rows, results.count);
    if (status == EXIT_DONE)
        status = print(invocation, &results);
    if (status == EXIT_DONE && explain)
        status = result_networks_print(results.rows, results.count);
    if (status == EXIT_DONE)
        status = show_results(show, invocation->format,
                              (result_page){.title = results.title,
                                            .results = results.rows,
                                            .count = results.count,
                                            .store = scenario->store,
                                            .scenario = scenario,
                                            .arguments = &invocation->arguments});
    if (scenario->simulation != NULL && !invocation->quiet)
        tell_left_out(command, &results);
    if (status == EXIT_DONE && scenario->simulation != NULL)
        status = check_reached(command, &results);
    clump_scenario_results_free(&results);
    return status;
}

int scenario_run(const command_invocation *invocation, const scenario_engine *engine)
{
    const command_line *arguments = &invocation->arguments;
    clump_scenario_options scenario = {.path = NULL};
    clump_scenario_definition *definitions = NULL;
    clump_store *store = NULL;
    char *path = NULL;
    clump_simulation_options simulation = CLUMP_SIMULATION_DEFAULTS;
    clump_schedule *schedule = NULL;
    show_options show;
    int status =
        read_definitions(arguments, SCENARIO_DEFINE, &definitions, &scenario.definition_count);
    if (status == EXIT_DONE)
        status = read_limits(arguments, &scenario);
    if (status == EXIT_DONE)
        status = simulation_options_read(arguments, SCENARIO_SIMULATION, engine->simulation,
                                         &simulation);
    if (status == EXIT_DONE && engine->schedule != NULL)
        status = schedule_read(arguments->command, engine->schedule, &schedule);
    if (engine->simulation)
        scenario.simulation = &simulation;
    scenario.by_message = engine->by_message || engine->schedule != NULL;
    scenario.schedule = schedule;
    scenario.schedule_name = engine->schedule;
    if (status == EXIT_DONE)
        status = show_read(arguments, PLOT, &show);
    if (status == EXIT_DONE)
        status = scenario_find(arguments->command, arguments->operands[0], &path);
    if (status == EXIT_DONE)
        status = database_open(invocation, &store);
    if (status == EXIT_DONE) {
        scenario.path = path;
        scenario.store = store;
        scenario.definitions = definitions;
        status = evaluate(invocation, &scenario, engine->explain, &show);
    }
    clump_schedule_free(schedule);
    clump_store_close(store);
    free(path);
    free(definitions);
    return status;
}
