/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef CLUMP_SCENARIOS_EVALUATE_H
#define CLUMP_SCENARIOS_EVALUATE_H

#include "scenarios/plan.h"
#include "scenarios/refusals.h"
#include "scenarios/sandbox.h"

/**
 * Compute the rows of all plans of the sandbox; Lua is not needed any more. The rows of `results`
 * are the caller's, to be freed, and set only on success, or if it was stopped. The message starts
 * with the place of the scenario.
 */
clump_scenario_status scenario_evaluate(scenario_sandbox *sandbox, clump_scenario_results *results,
                                        char *message, size_t message_size);

/** What one row may take. */
typedef struct scenario_bounds {
    const clump_watch *watch;    /**< may stop it; or NULL */
    double seconds;              /**< of processor time */
    scenario_refusals *refusals; /**< where reasons of refused rows are kept */
} scenario_bounds;

/* What became of it, as the status of a scenario. */
clump_scenario_status scenario_status_of(clump_status status);

/**
 * Compute one point as one row for the whole node; from any thread.
 *
 * @param row  set on success, and on CLUMP_SCENARIO_REFUSED, with the reason
 */
clump_scenario_status scenario_point_row(const scenario_point *point, const scenario_bounds *bounds,
                                         clump_result *row, char *message, size_t message_size);

#endif
