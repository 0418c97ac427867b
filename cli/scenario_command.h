/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef CLUMP_CLI_SCENARIO_COMMAND_H
#define CLUMP_CLI_SCENARIO_COMMAND_H

/*
 * What `predict` and `simulate` share: a scenario on the command line, its options, its results.
 */

#include "cli/command.h"
#include "cli/result_show.h"
#include "cli/simulation_options.h"
#include "scenarios/scenario.h"

/** The options of a scenario come first in the table of a command. */
enum {
    CLUMP_CLI_SCENARIO_DEFINE,
    CLUMP_CLI_SCENARIO_MAX_STEPS,
    CLUMP_CLI_SCENARIO_MAX_MEMORY,
    CLUMP_CLI_SCENARIO_MAX_ROWS,
    CLUMP_CLI_SCENARIO_SIMULATION, /* the first of simulation_options.h */
    CLUMP_CLI_SCENARIO_SIMULATION_LAST =
        CLUMP_CLI_SCENARIO_SIMULATION + CLUMP_CLI_SIMULATION_OPTION_COUNT - 1,
    CLUMP_CLI_SHOW_NAMES,
    CLUMP_CLI_SCENARIO_OPTIONS
};

#define CLUMP_CLI_SCENARIO_ROWS                                                                    \
    [CLUMP_CLI_SCENARIO_DEFINE] = {.name = "define",                                               \
                                   .letter = 'D',                                                  \
                                   .argument = "NAME=VALUE",                                       \
                                   .help = "set a global variable of the scenario; may be "        \
                                           "repeated",                                             \
                                   .repeated = true},                                              \
    [CLUMP_CLI_SCENARIO_MAX_STEPS] = {.name = "max-steps",                                         \
                                      .argument = "STEPS",                                         \
                                      .help = "instructions that the scenario may take (default: " \
                                              "1e9)"},                                             \
    [CLUMP_CLI_SCENARIO_MAX_MEMORY] = {.name = "max-memory",                                       \
                                       .argument = "SIZE",                                         \
                                       .help = "memory that it may use, such as 64M (default: "    \
                                               "256M)"},                                           \
    [CLUMP_CLI_SCENARIO_MAX_ROWS] = {.name = "max-rows",                                           \
                                     .argument = "ROWS",                                           \
                                     .help = "results that it may ask for (default: 1e7)"},        \
    CLUMP_CLI_SIMULATION_OPTIONS(CLUMP_CLI_SCENARIO_SIMULATION), CLUMP_CLI_SHOW_OPTIONS

/** How a scenario is evaluated. */
typedef struct clump_cli_scenario_engine {
    bool simulation;      /**< otherwise the options of simulations are refused */
    bool by_message;      /**< message by message */
    bool explain;         /**< the networks, too */
    const char *schedule; /**< file in GOAL that takes the place of applications, or NULL */
} clump_cli_scenario_engine;

/**
 * Run the scenario that the operand names, print its results.
 *
 * @return exit code
 */
int clump_cli_scenario_run(const clump_cli_invocation *invocation,
                           const clump_cli_scenario_engine *engine);

#endif
