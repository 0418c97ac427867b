/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef CLUMP_SCENARIOS_SIMULATE_MESSAGES_H
#define CLUMP_SCENARIOS_SIMULATE_MESSAGES_H

#include "scenarios/sandbox.h"
#include "scenarios/setup.h"

/** A point, simulated message by message on the platform and on its NOW. */
typedef struct scenario_message_result {
    clump_ratio slowdown;
    clump_message_result clump, now;
    double now_time; /**< s, of the whole run; the simulated one unless it was given */
} scenario_message_result;

/** The platform of a point, with nodes of its processors and NICs; it must have LogGP parameters.
 */
clump_status scenario_machine_make(const scenario_point *point, const scenario_setup *setup,
                                   clump_cluster *machine, clump_error *error);

/** `options` are those of the simulation, with the stream of the row. */
clump_status scenario_simulate_messages(const scenario_point *point, const scenario_setup *setup,
                                        const clump_simulation_options *options,
                                        scenario_message_result *result, clump_error *error);

#endif
