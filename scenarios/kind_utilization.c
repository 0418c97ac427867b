/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Applications by their utilization: a number, or one for each processor of a node. */
#include "scenarios/kind.h"
#include "scenarios/setup.h"

static void read_utilizations(scenario_table table, scenario_application *a)
{
    a->utilizations = scenario_number_list(table, "utilization", &scenario_share);
    if (a->utilizations.count == 0)
        scenario_fail(table.L,
                      "%s: found no utilization, expected a number from 0 to 1, or one for "
                      "each processor",
                      table.what);
}

static void take_utilizations(lua_State *L, scenario_profile *p)
{
    (void)L;
    p->utilizations = p->application->utilizations;
    p->remote_fraction = p->application->remote_fraction;
    p->cost_ratio = p->application->cost_ratio;
    p->waiting_fraction = p->application->waiting_fraction;
}

const scenario_kind scenario_by_utilization = {
    .fields = "utilization remote_fraction cost_ratio waiting_fraction",
    .losses = SCENARIO_LOSSES_OF_FULL_PACKETS,
    .read = read_utilizations,
    .profile = take_utilizations,
};
