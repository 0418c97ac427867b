/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/scenario_command.h"

enum { MESSAGES = CLUMP_CLI_SCENARIO_OPTIONS, SCHEDULE, OPTION_COUNT };

static const clump_cli_option options[OPTION_COUNT] = {
    CLUMP_CLI_SCENARIO_ROWS,
    [MESSAGES] = {.name = "messages",
                  .help = "simulate every message instead of the model of chapter 8;\nneeds "
                          "applications described by their traffic"},
    [SCHEDULE] = {.name = "schedule",
                  .argument = "FILE",
                  .help = "simulate this GOAL schedule in place of applications"},
};

static int run(const clump_cli_invocation *invocation)
{
    const clump_cli_arguments *arguments = &invocation->arguments;
    const clump_cli_scenario_engine engine = {
        .simulation = true,
        .by_message = clump_cli_option_given(arguments, MESSAGES),
        .schedule = clump_cli_option_value(arguments, SCHEDULE),
    };
    return clump_cli_scenario_run(invocation, &engine);
}

const clump_cli_command clump_cli_command_simulate = {
    .name = "simulate",
    .operands = "SCENARIO.lua",
    .summary = "Evaluate a scenario by simulation, with intervals",
    .text =
        "The scenarios of 'predict', simulated event by event instead of solved. Replications\n"
        "run in parallel until the interval of each slowdown is as narrow as wanted. There are\n"
        "distributions other than the exponential (computation_times, communication_times in\n"
        "clumpmodel-scenario(5)).",
    .examples = "clumpmodel simulate figure-8.3 --precision 1%\n"
                "clumpmodel simulate my-cluster.lua -D nics=2 --seed 7 --format csv\n"
                "clumpmodel simulate nics-per-node -D most=2 --messages --precision 5%",
    .options = options,
    .option_count = OPTION_COUNT,
    .least_operands = 1,
    .most_operands = 1,
    .run = run,
};
