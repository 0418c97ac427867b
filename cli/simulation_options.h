/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef SIMULATION_OPTIONS_H
#define SIMULATION_OPTIONS_H

/* The options of simulations, for every command that has some: they stand together in its table. */

#include "cli/command.h"
#include "cli/output/progress.h"
#include "model/simulation/simulation.h"

enum {
    SIMULATION_PRECISION,
    SIMULATION_CONFIDENCE,
    SIMULATION_SEED,
    SIMULATION_THREADS,
    SIMULATION_MAX_EVENTS,
    SIMULATION_OPTION_COUNT
};

#define SIMULATION_OPTIONS(first)                                                                  \
    [(first) +                                                                                     \
        SIMULATION_PRECISION] = {.name = "precision",                                              \
                                 .argument = "SHARE",                                              \
                                 .help = "simulate until the interval is +- "                      \
                                         "this share of the\nslowdown, such as "                   \
                                         "0.5% (default: 1%)"},                                    \
        [(first) + SIMULATION_CONFIDENCE] = {.name = "confidence",                                 \
                                             .argument = "SHARE",                                  \
                                             .help = "of the interval (default: 95%)"},            \
        [(first) + SIMULATION_SEED] = {.name = "seed",                                             \
                                       .argument = "NUMBER",                                       \
                                       .help = "of the random numbers; the same seed gives "       \
                                               "the same\nresults (default: 1)"},                  \
        [(first) + SIMULATION_THREADS] = {.name = "threads",                                       \
                                          .argument = "NUMBER",                                    \
                                          .help = "that simulate; results do not depend on "       \
                                                  "it (default:\none a processor)"},               \
        [(first) + SIMULATION_MAX_EVENTS] = {                                                      \
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
int simulation_options_read(const command_line *arguments, size_t first, bool simulate,
                            clump_simulation_options *options);

/** Read --engine exact|simulation, option `option` of the table; exact if it is not given. */
int engine_read(const command_line *arguments, size_t option, bool *simulate);

/** "0.9987 ± 0.0123" beside the bar: what is being simulated, `done` of `total` being finished. */
void simulation_progress(progress_bar *bar, const clump_simulation_progress *progress, size_t done,
                         size_t total);

#endif
