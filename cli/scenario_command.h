/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef SCENARIO_COMMAND_H
#define SCENARIO_COMMAND_H

/*
 * What `predict` and `simulate` share: a scenario on the command line, its options, its results.
 */

#include "cli/command.h"
#include "cli/result_show.h"
#include "cli/simulation_options.h"
#include "scenarios/scenario.h"

/** The options of a scenario come first in the table of a command. */
enum {
    SCENARIO_DEFINE,
    SCENARIO_MAX_STEPS,
    SCENARIO_MAX_MEMORY,
    SCENARIO_MAX_ROWS,
    SCENARIO_SIMULATION, /* the first of simulation_options.h */
    SCENARIO_SIMULATION_LAST = SCENARIO_SIMULATION + SIMULATION_OPTION_COUNT - 1,
    SHOW_NAMES,
    SCENARIO_OPTIONS
};

#define SCENARIO_ROWS                                                                              \
    [SCENARIO_DEFINE] = {.name = "define",                                                         \
                         .letter = 'D',                                                            \
                         .argument = "NAME=VALUE",                                                 \
                         .help = "set a global variable of the scenario; may be "                  \
                                 "repeated",                                                       \
                         .repeated = true},                                                        \
    [SCENARIO_MAX_STEPS] = {.name = "max-steps",                                                   \
                            .argument = "STEPS",                                                   \
                            .help = "instructions that the scenario may take (default: "           \
                                    "1e9)"},                                                       \
    [SCENARIO_MAX_MEMORY] = {.name = "max-memory",                                                 \
                             .argument = "SIZE",                                                   \
                             .help = "memory that it may use, such as 64M (default: "              \
                                     "256M)"},                                                     \
    [SCENARIO_MAX_ROWS] = {.name = "max-rows",                                                     \
                           .argument = "ROWS",                                                     \
                           .help = "results that it may ask for (default: 1e7)"},                  \
    SIMULATION_OPTIONS(SCENARIO_SIMULATION), SHOW_OPTIONS

/** How a scenario is evaluated. */
typedef struct scenario_engine {
    bool simulation;      /**< otherwise the options of simulations are refused */
    bool by_message;      /**< message by message */
    bool explain;         /**< the networks, too */
    const char *schedule; /**< file in GOAL that takes the place of applications, or NULL */
} scenario_engine;

/**
 * Run the scenario that the operand names, print its results.
 *
 * @return exit code
 */
int scenario_run(const command_invocation *invocation, const scenario_engine *engine);

#endif
