/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef CLUMP_SCENARIOS_SIMULATE_H
#define CLUMP_SCENARIOS_SIMULATE_H

#include "scenarios/sandbox.h"
#include "scenarios/setup.h"

/** Where a row stands among all, for the progress and for random numbers of its own. */
typedef struct scenario_row_place {
    scenario_sandbox *sandbox;
    size_t row, total;
} scenario_row_place;

/**
 * Simulate a point instead of solving it. Scheduled demand, the best of all schedules, is not
 * simulated: its numbers are CLUMP_RESULT_NONE.
 *
 * @param details   slowdowns and intervals of the processors of a mix, or NULL
 * @param messages  filled in if messages are simulated
 */
clump_status scenario_simulate(const scenario_row_place *place, const scenario_point *point,
                               const scenario_setup *setup, clump_simulation *simulation,
                               const clump_simulation_details *details,
                               clump_message_result *messages, clump_error *error);

/** What the rows of a simulated point have in common. */
void scenario_simulated_row(const scenario_row_place *place, const scenario_point *point,
                            const clump_simulation *simulation,
                            const clump_message_result *messages, clump_result *row);

#endif
