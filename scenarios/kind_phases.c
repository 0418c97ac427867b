/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Applications by phases, each with a utilization of its own: the time on the node is the sum of theirs. */
#include "scenarios/kind.h"
#include "scenarios/setup.h"

#include "model/least_nics.h"

#include <math.h>
#include <stdlib.h>

static void read_phase(lua_State *L, scenario_phase *phase)
{
    static const char keys[] =
        "time utilization remote_fraction cost_ratio waiting_fraction demand phase_cycles";
    const scenario_table table = scenario_table_check(L, -1, "phase", keys);
    phase->time = scenario_number_needed(table, "time", &scenario_positive);
    phase->utilization = scenario_number_needed(table, "utilization", &scenario_share);
    phase->remote_fraction = scenario_number(table, "remote_fraction", &scenario_share, 1);
    phase->cost_ratio = scenario_number(table, "cost_ratio", &scenario_not_negative, 1);
    phase->waiting_fraction = scenario_number(table, "waiting_fraction", &scenario_share, 0);
    phase->phase_cycles = scenario_number(table, "phase_cycles", &scenario_positive, NAN);
    const scenario_demands demands = scenario_demand_list(table, "demand");
    if (demands.count > 1)
        scenario_fail(L, "phase: demand is a list, expected one demand");
    phase->has_demand = demands.count == 1;
    if (phase->has_demand)
        phase->demand = demands.values[0];
}

static void read_phases(scenario_table table, scenario_application *a)
{
    if (scenario_get(table, "phases") != LUA_TTABLE)
        scenario_fail(table.L, "%s: phases is %s, expected a list of tables", table.what,
                      scenario_describe(table.L, -1));
    lua_pop(table.L, 1);
    const scenario_list list = scenario_list_open(table, "phases", "a table");
    scenario_phase *phases = scenario_allocate(table.L, list.count, sizeof *phases);
    for (size_t i = 0; i < list.count; i++) {
        scenario_item(list, i);
        read_phase(table.L, &phases[i]);
        lua_pop(table.L, 1);
    }
    scenario_list_close(list);
    a->phases = phases;
    a->phase_count = list.count;
}

static clump_status set_up_phases(const scenario_point *point, scenario_setup *s,
                                  clump_error *error)
{
    double *const remote = &s->load.coupling.remote_fraction;
    (void)error;
    s->phased = point->profile->application;
    *remote = 0; /* what leaves the node in any of them */
    for (size_t i = 0; i < s->phased->phase_count; i++)
        *remote = fmax(*remote, s->phased->phases[i].remote_fraction);
    return CLUMP_OK;
}

clump_load scenario_setup_phase(const scenario_setup *setup, const scenario_point *point, size_t i)
{
    const scenario_phase *phase = &setup->phased->phases[i];
    clump_load load = setup->load;
    load.utilizations = &phase->utilization;
    load.utilization_count = 1;
    if (phase->has_demand) {
        load.demand = phase->demand.demand;
        load.gang_size = phase->demand.gang_size;
    }
    load.coupling.remote_fraction = phase->remote_fraction;
    load.coupling.cost_ratio = phase->cost_ratio;
    load.coupling.waiting_fraction = phase->waiting_fraction;
    if (isnan(point->values[SCENARIO_PHASE_CYCLES]))
        load.phase_cycles = isnan(phase->phase_cycles) ? load.phase_cycles : phase->phase_cycles;
    return load;
}

clump_phase *scenario_setup_phases(const scenario_setup *setup, const scenario_point *point)
{
    const size_t count = setup->phased->phase_count;
    clump_phase *phases = calloc(count, sizeof *phases);
    for (size_t i = 0; i < count && phases != NULL; i++)
        phases[i] =
            (clump_phase){scenario_setup_phase(setup, point, i), setup->phased->phases[i].time};
    return phases;
}

static clump_status predict_phases(const scenario_setup *setup, const scenario_point *point,
                                   clump_prediction *prediction, clump_error *error)
{
    clump_phase *phases = scenario_setup_phases(setup, point);
    if (phases == NULL)
        return clump_fail_memory(error, "the phases");
    const clump_status status = clump_predict_phases(
        &setup->node, phases, setup->phased->phase_count, prediction, NULL, error);
    free(phases);
    return status;
}

static double phases_utilization(const scenario_application *a)
{
    double time = 0, communication = 0;
    for (size_t i = 0; i < a->phase_count; i++) {
        time += a->phases[i].time;
        communication += a->phases[i].time * a->phases[i].utilization;
    }
    return communication / time;
}

static void describe_phases(const scenario_setup *setup, const scenario_point *point,
                            clump_result *row)
{
    (void)point;
    row->utilization = phases_utilization(setup->phased);
    row->remote_fraction = row->cost_ratio = row->waiting_fraction = CLUMP_RESULT_NONE;
    row->memory_feeds = row->memory_utilization = CLUMP_RESULT_NONE;
}

static bool are_phases_monotonic(const scenario_setup *setup, const scenario_point *point)
{
    for (size_t i = 0; i < setup->phased->phase_count; i++) {
        const clump_load load = scenario_setup_phase(setup, point, i);
        if (!clump_least_nics_is_monotonic(&setup->node, &load))
            return false;
    }
    return true;
}

const scenario_kind scenario_by_phases = {
    .fields = "phases",
    .own = SCENARIO_OWN(SCENARIO_UTILIZATION) | SCENARIO_OWN(SCENARIO_REMOTE_FRACTION) |
           SCENARIO_OWN(SCENARIO_COST_RATIO) | SCENARIO_OWN(SCENARIO_WAITING_FRACTION),
    .own_words = "each phase of application \"%s\" has its own",
    .read = read_phases,
    .set_up = set_up_phases,
    .predict = predict_phases,
    .describe = describe_phases,
    .is_monotonic = are_phases_monotonic,
};
