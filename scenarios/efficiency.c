/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Service efficiency E(q), given as a list or as a function of the script. */
#include "scenarios/field.h"

#include <lauxlib.h>

#include <math.h>

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
        scenario_charge(L, 10);
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
