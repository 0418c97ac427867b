/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The points of a plan: the Cartesian product of its lists. And how many there may be. */
#include "scenarios/plan.h"

#include <math.h>
#include <stddef.h>
#include <stdio.h>

scenario_numbers scenario_plan_mix(const scenario_plan *plan, const scenario_profile *profile)
{
    const scenario_numbers none = {NULL, 0};
    if (plan->mix.count > 0)
        return plan->mix;
    if (plan->values[SCENARIO_UTILIZATION].values != NULL)
        return none;
    return profile->utilizations.count > 1 ? profile->utilizations : none;
}

double scenario_plan_rows(const scenario_plan *plan)
{
    double others = 1, rows = 0;
    for (int d = SCENARIO_PROFILES + 1; d < SCENARIO_DIMENSIONS; d++)
        others *= (double)plan->values[d].count;
    for (size_t i = 0; i < plan->values[SCENARIO_PROFILES].count; i++) {
        const size_t mixed = scenario_plan_mix(plan, &plan->profiles[i]).count;
        rows += others * (mixed > 0 ? (double)mixed : 1);
    }
    return rows;
}

void scenario_check_rows(lua_State *L, double rows)
{
    const size_t limit = scenario_sandbox_of(L)->result_limit;
    char text[160];
    if (rows <= (double)limit)
        return;
    snprintf(text, sizeof text, "%.14g rows, more than the %zu allowed", rows, limit);
    scenario_fail(L, "scenario: asks for %s; ask for fewer, or raise the limit with --max-rows",
                  text);
}

scenario_point scenario_plan_point(const scenario_plan *plan, const scenario_position *position)
{
    scenario_point point = {
        .plan = plan,
        .profile = &plan->profiles[position->at[SCENARIO_PROFILES]],
        .demand = plan->demands[position->at[SCENARIO_DEMAND]],
        .computation = &plan->computations[position->at[SCENARIO_COMPUTATION_TIMES]],
        .communication = &plan->communications[position->at[SCENARIO_COMMUNICATION_TIMES]],
    };
    for (int d = 0; d < SCENARIO_DIMENSIONS; d++) {
        const double *values = plan->values[d].values;
        point.values[d] = values != NULL ? values[position->at[d]] : NAN;
    }
    return point;
}

bool scenario_plan_advance(const scenario_plan *plan, scenario_position *position)
{
    for (int d = SCENARIO_DIMENSIONS - 1; d >= 0; d--) {
        if (++position->at[d] < plan->values[d].count)
            return true;
        position->at[d] = 0;
    }
    return false;
}
