/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 *   placement = {
 *       domains         sockets or PCIe switches over which processors and NICs are spread
 *       near, far       fraction of its speed at which a NIC serves its own domain, and others
 *       ports_per_slot  NICs that share the bandwidth of a slot
 *       slot_bandwidth  what it carries, in NICs
 *       packed          while not all NICs are in use, those of one slot are used first
 *   }
 */
#include "scenarios/field.h"

bool scenario_placement_field(scenario_table outer, const char *key, clump_placement *placement)
{
    static const char *const keys[] = {"domains",        "near",   "far", "ports_per_slot",
                                       "slot_bandwidth", "packed", NULL};
    static const scenario_range count = {1, 1024, false, true, NULL};
    static const scenario_range fraction = {1e-6, 1, false, false, NULL};
    lua_State *L = outer.L;
    if (scenario_get(outer, key) == LUA_TNIL) {
        lua_pop(L, 1);
        return false;
    }
    const char *what = lua_pushfstring(L, "%s: %s", outer.what, key);
    const scenario_table table = scenario_table_check(L, -2, what, keys);
    *placement = (clump_placement){
        .domains = (size_t)scenario_number(table, "domains", &count, 1),
        .near = scenario_number(table, "near", &fraction, 1),
        .far = scenario_number(table, "far", &fraction, 1),
        .slots = {.ports = (size_t)scenario_number(table, "ports_per_slot", &count, 1),
                  .bandwidth = scenario_number(table, "slot_bandwidth", &scenario_positive, 0)},
    };
    const int type = scenario_get(table, "packed");
    if (type != LUA_TNIL && type != LUA_TBOOLEAN)
        scenario_fail(L, "%s: packed is %s, expected true or false", what,
                      scenario_describe(L, -1));
    placement->slots.packed = lua_toboolean(L, -1);
    lua_pop(L, 1);
    clump_error error;
    if (clump_placement_check(placement, &error) != CLUMP_OK)
        scenario_fail(L, "%s: %s", what, error.message);
    lua_pop(L, 2);
    return true;
}
