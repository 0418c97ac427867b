/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "scenarios/point.h"

#include <math.h>

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

void scenario_plan_point_move(scenario_point *point, scenario_dimension d, size_t at)
{
    const scenario_plan *plan = point->plan;
    if (d == SCENARIO_PROFILES)
        point->profile = &plan->profiles[at];
    else if (d == SCENARIO_DEMAND)
        point->demand = plan->demands[at];
    else if (d == SCENARIO_COMPUTATION_TIMES)
        point->computation = &plan->computations[at];
    else if (d == SCENARIO_COMMUNICATION_TIMES)
        point->communication = &plan->communications[at];
    if (plan->values[d].values != NULL)
        point->values[d] = plan->values[d].values[at];
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
