/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Fields in the words of the model: efficiency, placement, distributions of service times. */
#include "scenarios/field.h"

#include <lauxlib.h>

#include <math.h>

/* ---- service efficiency E(q), given as a list or as a function of the script */

/* A script's function is asked once for every number of active processors up to this. */
static const double longest = 1e6;

/* What the engine accepts. */
static const scenario_range efficiency_range = {1e-50, 1e50, false, false, NULL};

static void check_first(lua_State *L, const char *what, double first)
{
    if (!(fabs(first - 1) <= 1e-12)) {
        lua_pushnumber(L, first);
        scenario_fail(L,
                      "%s: efficiency of 1 active processor is %s, expected 1 (the unit is one NIC "
                      "that serves one processor)",
                      what, scenario_describe(L, -1));
    }
}

scenario_efficiency scenario_efficiency_call(lua_State *L, const char *what, double processors)
{
    if (processors > longest)
        scenario_fail(L,
                      "%s: efficiency is a function, with which a node has at most %d processors; "
                      "expected a list, of which the last value holds from there on",
                      what, (int)longest);
    const size_t count = (size_t)processors;
    double *table = scenario_allocate(L, count, sizeof *table);
    const int function = lua_gettop(L);
    for (size_t q = 1; q <= count; q++) {
        lua_pushvalue(L, function);
        lua_pushinteger(L, (lua_Integer)q);
        lua_call(L, 1, 1);
        table[q - 1] =
            scenario_number_at(L, what, "what the efficiency function returned", &efficiency_range);
        lua_pop(L, 1);
    }
    check_first(L, what, table[0]);
    return (scenario_efficiency){table, count};
}

scenario_efficiency scenario_efficiency_field(scenario_table table, const char *key,
                                              double processors)
{
    lua_State *L = table.L;
    scenario_efficiency efficiency = {NULL, 0};
    const int type = scenario_get(table, key);
    if (type == LUA_TFUNCTION) {
        efficiency = scenario_efficiency_call(L, table.what, processors);
    } else if (type == LUA_TTABLE) {
        const scenario_numbers list = scenario_number_list(table, key, &efficiency_range);
        check_first(L, table.what, list.values[0]);
        efficiency = (scenario_efficiency){list.values, list.count};
    } else if (type != LUA_TNIL) {
        scenario_fail(L, "%s: %s is %s, expected a list of numbers or a function", table.what, key,
                      scenario_describe(L, -1));
    }
    lua_pop(L, 1);
    return efficiency;
}

/* ---- placement */

bool scenario_placement_field(scenario_table outer, const char *key, clump_placement *placement)
{
    static const scenario_range count = {1, 1024, false, true, NULL};
    static const scenario_range fraction = {1e-6, 1, false, false, NULL};
    scenario_table table;
    if (!scenario_table_open(outer, key, "domains near far ports_per_slot slot_bandwidth packed",
                             &table))
        return false;
    *placement = (clump_placement){
        .domains = (size_t)scenario_number(table, "domains", &count, 1),
        .near = scenario_number(table, "near", &fraction, 1),
        .far = scenario_number(table, "far", &fraction, 1),
        .slots = {.ports = (size_t)scenario_number(table, "ports_per_slot", &count, 1),
                  .bandwidth = scenario_number(table, "slot_bandwidth", &scenario_positive, 0)},
    };
    placement->slots.packed = scenario_truth(table, "packed");
    clump_error error;
    if (clump_placement_check(placement, &error) != CLUMP_OK)
        scenario_fail(table.L, "%s: %s", table.what, error.message);
    lua_pop(table.L, 2);
    return true;
}

/* ---- distributions of computations and communications, for simulations */

static const char expected[] = "\"exponential\", \"constant\", \"erlang:K\" with K stages, "
                               "\"hyperexponential:C\" with the squared "
                               "coefficient of variation C, or { samples = { ... } }";

/* { samples = { ... } } at the top of the stack. */
static void read_samples(lua_State *L, const char *key, scenario_service_time *found)
{
    static const char keys[] = "samples";
    clump_error error;
    const scenario_table table = scenario_table_check(L, lua_gettop(L), key, keys);
    const scenario_numbers samples = scenario_number_list(table, "samples", &scenario_not_negative);
    found->time = (clump_service_time){
        .kind = CLUMP_SERVICE_SAMPLES, .samples = samples.values, .sample_count = samples.count};
    found->name = "samples";
    if (clump_service_time_check(&found->time, key, &error) != CLUMP_OK)
        scenario_fail(L, "scenario: %s", error.message);
}

static void read_one(scenario_table table, const char *key, scenario_service_time *found)
{
    static const char names[] = "exponential constant erlang:2 hyperexponential:4";
    lua_State *L = table.L;
    char text[CLUMP_SERVICE_TIME_NAME_SIZE];
    if (lua_istable(L, -1)) {
        read_samples(L, key, found);
        return;
    }
    const char *name = scenario_name_at(L, -1);
    if (name == NULL || !clump_service_time_parse(name, &found->time))
        scenario_fail_name(table, key, expected, names);
    clump_service_time_name(&found->time, text);
    found->name = scenario_copy_quietly(L, text);
    if (found->name == NULL)
        scenario_fail_memory(L);
}

scenario_service_times scenario_service_time_list(scenario_table table, const char *key)
{
    lua_State *L = table.L;
    const int top = lua_gettop(L);
    bool single = false; /* a table, but not a list */
    if (scenario_get(table, key) == LUA_TTABLE) {
        lua_pushliteral(L, "samples");
        single = lua_rawget(L, -2) != LUA_TNIL;
    }
    lua_settop(L, top);
    scenario_list list = {.L = L, .count = 1, .index = top + 1, .single = true};
    if (single)
        scenario_get(table, key);
    else
        list = scenario_list_open(table, key, expected);
    scenario_service_time *values =
        scenario_allocate(L, list.count > 0 ? list.count : 1, sizeof *values);
    if (list.count == 0) { /* chapter 8 */
        values[0] = (scenario_service_time){.name = "exponential"};
        return (scenario_service_times){values, 1};
    }
    for (size_t i = 0; i < list.count; i++) {
        scenario_item(list, i);
        read_one(table, key, &values[i]);
        lua_pop(L, 1);
    }
    scenario_list_close(list);
    return (scenario_service_times){values, list.count};
}
