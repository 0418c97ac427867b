/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/output/errors.h"
#include "cli/scenario_command.h"

enum { ENGINE = SCENARIO_OPTIONS, EXPLAIN, OPTION_COUNT };

static const option_entry options[OPTION_COUNT] = {
    SCENARIO_ROWS,
    [ENGINE] = {.name = "engine",
                .argument = "exact|simulation",
                .help = "how results are found (default: exact)"},
    [EXPLAIN] = {.name = "explain",
                 .help = "also show what lost packets make of the LogGP parameters of\n"
                         "networks whose protocol the scenario names"},
};

static int run(const command_invocation *invocation)
{
    scenario_engine chosen = {.explain = option_given(&invocation->arguments, EXPLAIN)};
    const int status = engine_read(&invocation->arguments, ENGINE, &chosen.simulation);
    if (status == EXIT_DONE && chosen.explain && invocation->format != FORMAT_TABLE)
        return error_usage(invocation->arguments.command,
                           "--explain: found with --format json or csv, expected tables");
    return status == EXIT_DONE ? scenario_run(invocation, &chosen) : status;
}

const command_entry command_predict = {
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
