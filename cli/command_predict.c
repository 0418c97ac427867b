/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/command.h"
#include "cli/database.h"
#include "cli/definitions.h"
#include "cli/errors.h"
#include "cli/escape.h"
#include "cli/progress.h"
#include "cli/result_rows.h"
#include "cli/result_show.h"
#include "cli/result_tables.h"
#include "cli/scenario_path.h"
#include "scenarios/scenario.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { DEFINE, MAX_STEPS, MAX_MEMORY, MAX_ROWS, CLUMP_CLI_SHOW_NAMES, OPTION_COUNT };

static const clump_cli_option options[OPTION_COUNT] = {
    [DEFINE] = {.name = "define",
                .letter = 'D',
                .argument = "NAME=VALUE",
                .help = "set a global variable of the scenario; may be repeated",
                .repeated = true},
    [MAX_STEPS] = {.name = "max-steps",
                   .argument = "STEPS",
                   .help = "instructions that the scenario may take (default: 1e9)"},
    [MAX_MEMORY] = {.name = "max-memory",
                    .argument = "SIZE",
                    .help = "memory that it may use, such as 64M (default: 256M)"},
    [MAX_ROWS] = {.name = "max-rows",
                  .argument = "ROWS",
                  .help = "results that it may ask for (default: 1e7)"},
    CLUMP_CLI_SHOW_OPTIONS,
};

typedef struct listener {
    clump_cli_progress progress;
    bool quiet;
} listener;

static void show_progress(size_t done, size_t total, void *context)
{
    clump_cli_progress_update(&((listener *)context)->progress, done, total);
}

static void show_line(const char *line, void *context)
{
    listener *l = context;
    if (l->quiet)
        return;
    clump_cli_progress_clear(&l->progress);
    for (const char *c = line; *c != '\0'; c++) /* print() puts tabs between what it prints */
        if (*c == '\t')
            (void)fputc('\t', stderr);
        else
            c += clump_cli_escape_print_one(c, stderr) - 1;
    (void)fputc('\n', stderr);
}

static int read_limits(const clump_cli_arguments *arguments, clump_scenario_options *scenario)
{
    uint64_t steps = 0, memory = 0, rows = 0;
    int status = clump_cli_option_whole(arguments, MAX_STEPS, 1, UINT64_MAX,
                                        "a whole number of steps, at least 1", &steps);
    if (status == CLUMP_CLI_DONE)
        status = clump_cli_option_bytes(arguments, MAX_MEMORY, 1, SIZE_MAX,
                                        "a number of bytes, such as 64M", &memory);
    if (status == CLUMP_CLI_DONE)
        status = clump_cli_option_whole(arguments, MAX_ROWS, 1, SIZE_MAX,
                                        "a whole number of rows, at least 1", &rows);
    scenario->step_limit = steps;
    scenario->memory_limit = (size_t)memory;
    scenario->result_limit = (size_t)rows;
    return status;
}

static int print(const clump_cli_invocation *invocation, const clump_scenario_results *results)
{
    if (invocation->format == CLUMP_CLI_TABLE)
        return clump_cli_result_tables_print(results->rows, results->count);
    const clump_cli_rows rows = clump_cli_result_rows(results->rows, results->count);
    clump_cli_field fields[] = {{.key = "title"}, {.key = "mean_absolute_error"}};
    clump_cli_cell_text(&fields[0].value, results->title);
    clump_cli_cell_real(&fields[1].value,
                        clump_cli_result_mean_error(results->rows, results->count));
    return clump_cli_output_print(invocation->format, &rows, fields, 2);
}

static int evaluate(const clump_cli_invocation *invocation, clump_scenario_options *scenario,
                    const clump_cli_show *show)
{
    const char *command = invocation->arguments.command;
    listener l = {.quiet = invocation->quiet};
    clump_scenario_results results;
    char message[2048] = "";
    clump_cli_progress_start(&l.progress, invocation->quiet);
    scenario->progress = show_progress;
    scenario->print = show_line;
    scenario->context = &l;
    const clump_scenario_status run =
        clump_scenario_run(scenario, &results, message, sizeof message);
    clump_cli_progress_clear(&l.progress);
    if (run == CLUMP_SCENARIO_BAD_INPUT)
        return clump_cli_error_input(command, "%s", message);
    if (run != CLUMP_SCENARIO_OK)
        return clump_cli_error_failed(command, "%s", message);
    int status = print(invocation, &results);
    if (status == CLUMP_CLI_DONE)
        status =
            clump_cli_show_results(show, invocation->format,
                                   (clump_cli_result_page){.title = results.title,
                                                           .results = results.rows,
                                                           .count = results.count,
                                                           .store = scenario->store,
                                                           .scenario = scenario,
                                                           .arguments = &invocation->arguments});
    clump_scenario_results_free(&results);
    return status;
}

static int run(const clump_cli_invocation *invocation)
{
    const clump_cli_arguments *arguments = &invocation->arguments;
    clump_scenario_options scenario = {.path = NULL};
    clump_scenario_definition *definitions = NULL;
    clump_store *store = NULL;
    char *path = NULL;
    clump_cli_show show;
    int status =
        clump_cli_definitions_read(arguments, DEFINE, &definitions, &scenario.definition_count);
    if (status == CLUMP_CLI_DONE)
        status = read_limits(arguments, &scenario);
    if (status == CLUMP_CLI_DONE)
        status = clump_cli_show_read(arguments, PLOT, &show);
    if (status == CLUMP_CLI_DONE)
        status = clump_cli_scenario_find(arguments->command, arguments->operands[0], &path);
    if (status == CLUMP_CLI_DONE)
        status = clump_cli_database_open(invocation, &store);
    if (status == CLUMP_CLI_DONE) {
        scenario.path = path;
        scenario.store = store;
        scenario.definitions = definitions;
        status = evaluate(invocation, &scenario, &show);
    }
    clump_store_close(store);
    free(path);
    free(definitions);
    return status;
}

const clump_cli_command clump_cli_command_predict = {
    .name = "predict",
    .operands = "SCENARIO.lua",
    .summary = "Evaluate a scenario: predictions beside what was measured",
    .text = "SCENARIO.lua is a file, '-' for standard input, or the bare name of a scenario that\n"
            "ships with the program. clumpmodel-scenario(5) describes the language.",
    .examples = "clumpmodel predict clump-vs-now\n"
                "clumpmodel predict my-cluster.lua -D nics=2 --format csv\n"
                "clumpmodel predict figure-8.2 --plot -",
    .options = options,
    .option_count = OPTION_COUNT,
    .least_operands = 1,
    .most_operands = 1,
    .run = run,
};
