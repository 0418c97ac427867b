/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef CLUMP_CLI_SIMULATION_OPTIONS_H
#define CLUMP_CLI_SIMULATION_OPTIONS_H

/* The options of simulations, for every command that has some: they stand together in its table. */

#include "cli/command.h"
#include "cli/progress.h"
#include "model/simulation/simulation.h"

enum {
    CLUMP_CLI_SIMULATION_PRECISION,
    CLUMP_CLI_SIMULATION_CONFIDENCE,
    CLUMP_CLI_SIMULATION_SEED,
    CLUMP_CLI_SIMULATION_THREADS,
    CLUMP_CLI_SIMULATION_MAX_EVENTS,
    CLUMP_CLI_SIMULATION_OPTION_COUNT
};

#define CLUMP_CLI_SIMULATION_OPTIONS(first)                                                        \
    [(first) +                                                                                     \
        CLUMP_CLI_SIMULATION_PRECISION] = {.name = "precision",                                    \
                                           .argument = "SHARE",                                    \
                                           .help = "simulate until the interval is +- "            \
                                                   "this share of the\nslowdown, such as "         \
                                                   "0.5% (default: 1%)"},                          \
        [(first) + CLUMP_CLI_SIMULATION_CONFIDENCE] = {.name = "confidence",                       \
                                                       .argument = "SHARE",                        \
                                                       .help = "of the interval (default: 95%)"},  \
        [(first) + CLUMP_CLI_SIMULATION_SEED] = {.name = "seed",                                   \
                                                 .argument = "NUMBER",                             \
                                                 .help =                                           \
                                                     "of the random numbers; the same seed gives " \
                                                     "the same\nresults (default: 1)"},            \
        [(first) + CLUMP_CLI_SIMULATION_THREADS] = {.name = "threads",                             \
                                                    .argument = "NUMBER",                          \
                                                    .help =                                        \
                                                        "that simulate; results do not depend on " \
                                                        "it (default:\none a processor)"},         \
        [(first) + CLUMP_CLI_SIMULATION_MAX_EVENTS] = {                                            \
            .name = "max-events",                                                                  \
            .argument = "EVENTS",                                                                  \
            .help = "that a row may take, precise or not (default: 4e9)"}

/**
 * Read them.
 *
 * @param first     where they begin in the command's table
 * @param simulate  false: none may be given
 * @param options   what is not given stays as it is
 * @return the exit code
 */
int clump_cli_simulation_options_read(const clump_cli_arguments *arguments, size_t first,
                                      bool simulate, clump_simulation_options *options);

/** Read --engine exact|simulation, option `option` of the table; exact if it is not given. */
int clump_cli_engine_read(const clump_cli_arguments *arguments, size_t option, bool *simulate);

/** "0.9987 ± 0.0123" beside the bar: what is being simulated, `done` of `total` being finished. */
void clump_cli_simulation_progress(clump_cli_progress *bar,
                                   const clump_simulation_progress *progress, size_t done,
                                   size_t total);

#endif
