/* SPDX-License-Identifier: GPL-3.0-or-later */
/* uncertain and clump.slowdown, described in clumpmodel-scenario(5). */
#include "scenarios/objects.h"

#include "scenarios/setup.h"

#include <lauxlib.h>

#include <math.h>

/* ---- clump.slowdown */

static const char what[] = "clump.slowdown";

static clump_node read_node(scenario_table table)
{
    lua_State *L = table.L;
    clump_node node = {0};
    static const scenario_range nics = {1, (double)CLUMP_MAX_PROCESSORS, false, true, NULL};
    node.processors =
        (size_t)scenario_number_needed(table, "processors", &scenario_processor_count);
    node.nics = (size_t)scenario_number_needed(table, "nics", &nics);
    const scenario_numbers mapping = scenario_mapping_list(table, "mapping");
    if (mapping.count > 1)
        scenario_fail(L, "%s: mapping is a list, expected one", what);
    node.mapping = mapping.count > 0 ? (clump_mapping)mapping.values[0] : CLUMP_MAPPING_POOLED;
    node.max_nics_per_processor =
        scenario_number(table, "max_nics_per_processor", &scenario_nics_per_processor, 0);
    const scenario_numbers sizes = scenario_number_list(table, "group_sizes", &scenario_nic_count);
    if (sizes.count > 0) {
        if (sizes.count != node.nics)
            scenario_fail(L, "%s: group_sizes has %d entries, expected one for each NIC", what,
                          (int)sizes.count);
        size_t *groups = scenario_allocate(L, sizes.count, sizeof *groups);
        for (size_t i = 0; i < sizes.count; i++)
            groups[i] = (size_t)sizes.values[i];
        node.group_sizes = groups;
    }
    const size_t largest = scenario_largest_group(&node);
    const scenario_efficiency e = scenario_efficiency_field(table, "efficiency", (double)largest);
    node.efficiency.table = e.table;
    node.efficiency.table_length = e.length < largest ? e.length : largest;
    return node;
}

static clump_load read_load(scenario_table table)
{
    const scenario_numbers U = scenario_number_list(table, "utilization", &scenario_share);
    if (U.count == 0)
        scenario_fail(table.L, "%s: found no utilization, expected a number from 0 to 1, or a list",
                      what);
    const scenario_demands demands = scenario_demand_list(table, "demand");
    if (demands.count > 1)
        scenario_fail(table.L, "%s: demand is a list, expected one", what);
    return (clump_load){
        .utilizations = U.values,
        .utilization_count = U.count,
        .demand = demands.count > 0 ? demands.values[0].demand : CLUMP_DEMAND_INDEPENDENT,
        .gang_size = demands.count > 0 ? demands.values[0].gang_size : 1,
        .coupling =
            {
                .remote_fraction = scenario_number(table, "remote_fraction", &scenario_share, 1),
                .cost_ratio = scenario_number(table, "cost_ratio", &scenario_not_negative, 1),
                .memory_penalty = scenario_number(table, "memory_penalty", &scenario_positive, 1),
                .waiting_fraction = scenario_number(table, "waiting_fraction", &scenario_share, 0),
            },
        .phase_cycles = scenario_number(table, "phase_cycles", &scenario_positive, 0),
    };
}

static void set_number(lua_State *L, const char *key, double value)
{
    if (isnan(value)) /* what a transient does not have is absent */
        return;
    lua_pushnumber(L, value);
    lua_setfield(L, -2, key);
}

int scenario_model_slowdown(lua_State *L)
{
    static const char keys[] =
        "processors nics utilization demand mapping remote_fraction cost_ratio "
        "waiting_fraction memory_penalty phase_cycles max_nics_per_processor efficiency "
        "group_sizes";
    lua_settop(L, 1);
    const scenario_table table = scenario_table_check(L, 1, what, keys);
    clump_node node = read_node(table);
    const clump_load load = read_load(table);
    const bool mixed = load.utilization_count > 1;
    clump_prediction prediction;
    clump_prediction_details details = {NULL, NULL};
    clump_error error;
    scenario_sandbox *sandbox = scenario_sandbox_of(L);
    node.watch = &sandbox->deadline.watch;
    if (mixed && load.utilization_count == node.processors)
        details.slowdowns = scenario_allocate(L, node.processors, sizeof(double));
    const clump_status status =
        clump_predict(&node, &load, &prediction, mixed ? &details : NULL, &error);
    if (status == CLUMP_STOPPED)
        scenario_check_time(L);
    if (status == CLUMP_BAD_ARGUMENT)
        scenario_fail(L, "%s: %s", what, error.message);
    if (status != CLUMP_OK)
        scenario_fail_hard(L, error.status == CLUMP_NO_MEMORY, error.message);
    lua_pushnumber(L, prediction.slowdown);
    lua_createtable(L, 0, 8);
    set_number(L, "slowdown", prediction.slowdown);
    set_number(L, "slowest", prediction.slowest);
    set_number(L, "slowest_processor", (double)prediction.slowest_processor + 1);
    set_number(L, "adjusted_utilization", prediction.adjusted_utilization);
    set_number(L, "mean_active", prediction.mean_active);
    set_number(L, "nic_utilization", prediction.nic_utilization);
    if (mixed) {
        lua_createtable(L, (int)node.processors, 0);
        for (size_t i = 0; i < node.processors; i++) {
            lua_pushnumber(L, details.slowdowns[i]);
            lua_rawseti(L, -2, (lua_Integer)i + 1);
        }
        lua_setfield(L, -2, "slowdowns");
    }
    return 2;
}

/* ---- uncertain */

static double draw_uncertain(lua_State *L, const char *name, const clump_uncertain *distribution)
{
    const clump_scenario_options *options = scenario_sandbox_of(L)->options;
    scenario_sandbox_of(L)->uncertain = true;
    if (options->draw == NULL)
        return clump_uncertain_quantile(distribution, 0.5);
    return options->draw(name, distribution, options->draw_context);
}

static const scenario_range any = {-HUGE_VAL, HUGE_VAL, false, false, NULL};

static clump_uncertain read_between(scenario_table table)
{
    const double likely = scenario_number(table, "most_likely", &any, NAN);
    return (clump_uncertain){
        .kind = isnan(likely) ? CLUMP_UNCERTAIN_UNIFORM : CLUMP_UNCERTAIN_TRIANGULAR,
        .a = scenario_number(table, "from", &any, NAN),
        .b = scenario_number(table, "to", &any, NAN),
        .c = likely,
    };
}

static clump_uncertain read_around(scenario_table table)
{
    const double value = scenario_number(table, "value", &any, NAN);
    const double half_width = scenario_number(table, "half_width", &scenario_positive, NAN);
    const double std_dev = scenario_number(table, "std_dev", &scenario_positive, NAN);
    const double factor = scenario_number(table, "factor", &scenario_positive, NAN);
    if (isnan(half_width) + isnan(std_dev) + isnan(factor) != 2)
        scenario_fail(table.L, "uncertain: expected value with one of half_width, std_dev, factor");
    if (!isnan(factor))
        return (clump_uncertain){.kind = CLUMP_UNCERTAIN_LOGNORMAL,
                                 .a = value,
                                 .b = fabs(log(factor)) / CLUMP_UNCERTAIN_95};
    return (clump_uncertain){
        .kind = CLUMP_UNCERTAIN_NORMAL,
        .a = value,
        .b = isnan(std_dev) ? half_width / CLUMP_UNCERTAIN_95 : std_dev,
        .least = scenario_number(table, "least", &any, -HUGE_VAL),
        .most = scenario_number(table, "most", &any, HUGE_VAL),
    };
}

int scenario_uncertain_new(lua_State *L)
{
    static const char keys[] =
        "name from to most_likely value half_width std_dev factor least most";
    lua_settop(L, 1);
    const scenario_table table = scenario_table_check(L, 1, "uncertain", keys);
    const char *name = scenario_text(table, "name");
    if (name == NULL)
        scenario_fail(L, "uncertain: name is missing, expected text");
    const bool range = scenario_has(table, "from") || scenario_has(table, "to");
    if (range == scenario_has(table, "value"))
        scenario_fail(L, "uncertain: expected from and to, or value with half_width, std_dev or "
                         "factor");
    const clump_uncertain distribution = range ? read_between(table) : read_around(table);
    clump_error error;
    if (clump_uncertain_check(&distribution, &error) != CLUMP_OK)
        scenario_fail(L, "uncertain: %s", error.message);
    lua_pushnumber(L, draw_uncertain(L, name, &distribution));
    return 1;
}
