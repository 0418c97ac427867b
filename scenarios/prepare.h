/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef CLUMP_SCENARIOS_PREPARE_H
#define CLUMP_SCENARIOS_PREPARE_H

#include "scenarios/arena.h"
#include "scenarios/plan.h"
#include "scenarios/prepared.h"

/** What is left of a script that has run. */
struct clump_scenario {
    scenario_arena *arena; /**< holds the plans and all that they point to */
    const scenario_plan *first_plan;
    uint64_t step_limit; /**< that one configuration may cost */
    size_t configurations, most_applications;
};

/** Run the script and fill in arena, first_plan and step_limit. */
clump_scenario_status scenario_prepare(const clump_scenario_options *options,
                                       struct clump_scenario *scenario, char *message,
                                       size_t message_size);

#endif
