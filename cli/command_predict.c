/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/errors.h"
#include "cli/scenario_command.h"

enum { ENGINE = CLUMP_CLI_SCENARIO_OPTIONS, EXPLAIN, OPTION_COUNT };

static const clump_cli_option options[OPTION_COUNT] = {
    CLUMP_CLI_SCENARIO_ROWS,
    [ENGINE] = {.name = "engine",
                .argument = "exact|simulation",
                .help = "how results are found (default: exact)"},
    [EXPLAIN] = {.name = "explain",
                 .help = "also show what lost packets make of the LogGP parameters of\n"
                         "networks whose protocol the scenario names"},
};

static int run(const clump_cli_invocation *invocation)
{
    clump_cli_scenario_engine chosen = {
        .explain = clump_cli_option_given(&invocation->arguments, EXPLAIN)};
    const int status = clump_cli_engine_read(&invocation->arguments, ENGINE, &chosen.simulation);
    if (status == CLUMP_CLI_DONE && chosen.explain && invocation->format != CLUMP_CLI_TABLE)
        return clump_cli_error_usage(invocation->arguments.command,
                                     "--explain: found with --format json or csv, expected tables");
    return status == CLUMP_CLI_DONE ? clump_cli_scenario_run(invocation, &chosen) : status;
}

const clump_cli_command clump_cli_command_predict = {
    .name = "predict",
    .operands = "SCENARIO.lua",
    .summary = "Evaluate a scenario: predictions beside what was measured",
    .text = "SCENARIO.lua is a file, '-' for standard input, or the bare name of a scenario that\n"
            "ships with the program. clumpmodel-scenario(5) describes the language.",
    .examples = "clumpmodel predict clump-vs-now\n"

                "clumpmodel predict lossy-ethernet --explain\n"
                "clumpmodel predict figure-8.2 --plot -",
    .options = options,
    .option_count = OPTION_COUNT,
    .least_operands = 1,
    .most_operands = 1,
    .run = run,
};
