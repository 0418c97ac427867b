/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/scenario_command.h"

enum { MESSAGES = SCENARIO_OPTIONS, SCHEDULE, OPTION_COUNT };

static const option_entry options[OPTION_COUNT] = {
    SCENARIO_ROWS,
    [MESSAGES] = {.name = "messages",
                  .help = "simulate every message instead of the model of chapter 8;\nneeds "
                          "applications described by their traffic"},
    [SCHEDULE] = {.name = "schedule",
                  .argument = "FILE",
                  .help = "simulate this GOAL schedule in place of applications"},
};

static int run(const command_invocation *invocation)
{
    const command_line *arguments = &invocation->arguments;
    const scenario_engine engine = {
        .simulation = true,
        .by_message = option_given(arguments, MESSAGES),
        .schedule = option_value(arguments, SCHEDULE),
    };
    return scenario_run(invocation, &engine);
}

const command_entry command_simulate = {
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
