/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef CLUMP_CLI_SCENARIO_OPTIONS_H
#define CLUMP_CLI_SCENARIO_OPTIONS_H

/*
 * Options of commands that run scenarios, and of those that simulate.
 */

#include "cli/options/options.h"
#include "cli/output/progress.h"
#include "exploring/inputs.h"
#include "model/simulation/simulation.h"
#include "scenarios/scenario.h"

/** -D NAME=VALUE, into clump_scenario_options. */
extern const option_entry definition_options[];

/** --max-seconds, --max-memory and --max-rows, into clump_scenario_options. */
extern const option_entry limit_options[];

/** --inputs, into clump_inputs_choice. */
extern const option_entry inputs_options[];

/** --precision to --max-events, into clump_simulation_options. */
extern const option_entry simulation_options[];

/** Complain if one of simulation_options is given; for the exact engine. Returns the exit code. */
int simulation_options_refuse(const command_line *line);

/** "0.9987 ± 0.0123" beside the bar: what is being simulated, `done` of `total` being finished. */
void simulation_progress(progress_bar *bar, const clump_simulation_progress *progress, size_t done,
                         size_t total);

#endif
