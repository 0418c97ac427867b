/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef CLUMP_CLI_SCENARIO_COMMAND_H
#define CLUMP_CLI_SCENARIO_COMMAND_H

/*
 * What `predict` and `simulate` share: a scenario on the command line, its options, its results.
 */

#include "cli/command.h"
#include "cli/result_show.h"
#include "scenarios/scenario.h"

/** The options of a scenario come first in the table of a command. */
enum {
    CLUMP_CLI_SCENARIO_DEFINE,
    CLUMP_CLI_SCENARIO_MAX_STEPS,
    CLUMP_CLI_SCENARIO_MAX_MEMORY,
    CLUMP_CLI_SCENARIO_MAX_ROWS,
    CLUMP_CLI_SCENARIO_PRECISION, /* from here to MAX_EVENTS: of simulations */
    CLUMP_CLI_SCENARIO_CONFIDENCE,
    CLUMP_CLI_SCENARIO_SEED,
    CLUMP_CLI_SCENARIO_THREADS,
    CLUMP_CLI_SCENARIO_MAX_EVENTS,
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
    [CLUMP_CLI_SCENARIO_PRECISION] = {.name = "precision",                                         \
                                      .argument = "SHARE",                                         \
                                      .help = "simulate until the interval is +- this share of "   \
                                              "the\nslowdown, such as 0.5% (default: 1%)"},        \
    [CLUMP_CLI_SCENARIO_CONFIDENCE] = {.name = "confidence",                                       \
                                       .argument = "SHARE",                                        \
                                       .help = "of the interval (default: 95%)"},                  \
    [CLUMP_CLI_SCENARIO_SEED] = {.name = "seed",                                                   \
                                 .argument = "NUMBER",                                             \
                                 .help = "of the random numbers; the same seed gives the same\n"   \
                                         "results (default: 1)"},                                  \
    [CLUMP_CLI_SCENARIO_THREADS] = {.name = "threads",                                             \
                                    .argument = "NUMBER",                                          \
                                    .help = "that simulate; results do not depend on it "          \
                                            "(default:\none a processor)"},                        \
    [CLUMP_CLI_SCENARIO_MAX_EVENTS] = {.name = "max-events",                                       \
                                       .argument = "EVENTS",                                       \
                                       .help = "that a row may take, precise or not (default: "    \
                                               "4e9)"},                                            \
    CLUMP_CLI_SHOW_OPTIONS

/** How a scenario is evaluated. */
typedef struct clump_cli_scenario_engine {
    bool simulation;      /**< otherwise the options of simulations are refused */
    bool by_message;      /**< message by message */
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
