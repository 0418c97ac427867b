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
    double others = 1, rows = 0; /* where there may be too many for a whole number */
    for (int d = SCENARIO_PROFILES + 1; d < SCENARIO_DIMENSIONS; d++)
        others *= (double)plan->values[d].count;
    for (size_t i = 0; i < plan->values[SCENARIO_PROFILES].count; i++) {
        const size_t mixed = scenario_plan_mix(plan, &plan->profiles[i]).count;
        rows += others * (mixed > 0 ? (double)mixed : 1);
    }
    return rows;
}

size_t scenario_plan_variants(const scenario_plan *plan)
{
    size_t count = 1;
    for (int d = SCENARIO_PROFILES + 1; d < SCENARIO_DIMENSIONS; d++)
        count *= plan->values[d].count;
    return count;
}

scenario_point scenario_plan_point(const scenario_plan *plan, size_t index)
{
    scenario_point point = {.plan = plan};
    size_t at[SCENARIO_DIMENSIONS];
    for (int d = SCENARIO_DIMENSIONS - 1; d >= 0; d--) {
        const scenario_numbers *list = &plan->values[d];
        at[d] = index % list->count;
        index /= list->count;
        point.values[d] = list->values != NULL ? list->values[at[d]] : NAN;
    }
    point.profile = &plan->profiles[at[SCENARIO_PROFILES]];
    point.demand = plan->demands[at[SCENARIO_DEMAND]];
    point.computation = &plan->computations[at[SCENARIO_COMPUTATION_TIMES]];
    point.communication = &plan->communications[at[SCENARIO_COMMUNICATION_TIMES]];
    return point;
}
