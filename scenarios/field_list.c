/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Fields that hold one value or a list. */
#include "scenarios/field.h"

#include "data/suggest.h"

#include <lauxlib.h>

#include <math.h>
#include <string.h>

/* Elements of a plain list at the top of the stack. */
static size_t count_elements(lua_State *L, const char *what, const char *key, const char *expected)
{
    const size_t length = lua_rawlen(L, -1);
    size_t elements = 0;
    lua_pushnil(L);
    while (lua_next(L, -2) != 0) {
        lua_pop(L, 1);
        scenario_charge(L, 1);
        elements++;
        if (!lua_isinteger(L, -1) || lua_tointeger(L, -1) < 1 ||
            (lua_Unsigned)lua_tointeger(L, -1) > length)
            scenario_fail(L, "%s: %s has the key [%s], expected %s or a list of them without gaps",
                          what, key, scenario_describe(L, -1), expected);
    }
    if (elements == 0)
        scenario_fail(L, "%s: %s is an empty list, expected %s", what, key, expected);
    if (elements != length)
        scenario_fail(L, "%s: %s is a list with gaps, expected %s or a list of them", what, key,
                      expected);
    return length;
}

scenario_list scenario_list_open(scenario_table table, const char *key, const char *expected)
{
    lua_State *L = table.L;
    const int type = scenario_get(table, key);
    scenario_list list = {.L = L, .count = 1, .index = lua_gettop(L), .single = type != LUA_TTABLE};
    if (type == LUA_TNIL)
        lua_pop(L, 1);
    if (type == LUA_TNIL)
        list.count = 0;
    else if (type == LUA_TTABLE)
        list.count = count_elements(L, table.what, key, expected);
    return list;
}

void scenario_item(scenario_list list, size_t i)
{
    if (list.single)
        lua_pushvalue(list.L, list.index);
    else
        lua_rawgeti(list.L, list.index, (lua_Integer)i + 1);
}

void scenario_list_close(scenario_list list)
{
    if (list.count > 0)
        lua_settop(list.L, list.index - 1);
}

scenario_numbers scenario_number_list(scenario_table table, const char *key,
                                      const scenario_range *range)
{
    const scenario_list list = scenario_list_open(table, key, "a number");
    if (list.count == 0)
        return (scenario_numbers){NULL, 0};
    double *values = scenario_allocate(table.L, list.count, sizeof *values);
    for (size_t i = 0; i < list.count; i++) {
        scenario_item(list, i);
        values[i] = scenario_number_at(table.L, table.what, key, range);
        lua_pop(table.L, 1);
    }
    scenario_list_close(list);
    return (scenario_numbers){values, list.count};
}

void scenario_fail_name(scenario_table table, const char *key, const char *expected,
                        const char *const *names)
{
    lua_State *L = table.L;
    const char *near = lua_type(L, -1) == LUA_TSTRING
                           ? clump_suggest_among(CLUMP_SUGGEST_FIELD, lua_tostring(L, -1), names)
                           : NULL;
    const char *found = scenario_describe(L, -1);
    if (near != NULL)
        scenario_fail(L, "%s: %s is %s, expected %s; did you mean \"%s\"?", table.what, key, found,
                      expected, near);
    scenario_fail(L, "%s: %s is %s, expected %s", table.what, key, found, expected);
}

scenario_demands scenario_demand_list(scenario_table table, const char *key)
{
    static const char expected[] = "\"independent\", \"correlated\", \"scheduled\" or "
                                   "\"gang:S\" with groups of S processors";
    const char *const names[] = {clump_demand_kind_name(CLUMP_DEMAND_INDEPENDENT),
                                 clump_demand_kind_name(CLUMP_DEMAND_CORRELATED),
                                 clump_demand_kind_name(CLUMP_DEMAND_SCHEDULED), "gang:2", NULL};
    const scenario_list list = scenario_list_open(table, key, expected);
    if (list.count == 0)
        return (scenario_demands){NULL, 0};
    scenario_demand *values = scenario_allocate(table.L, list.count, sizeof *values);
    for (size_t i = 0; i < list.count; i++) {
        scenario_item(list, i);
        const char *name = scenario_name_at(table.L, -1);
        if (name == NULL || !clump_demand_parse(name, &values[i].demand, &values[i].gang_size))
            scenario_fail_name(table, key, expected, names);
        lua_pop(table.L, 1);
    }
    scenario_list_close(list);
    return (scenario_demands){values, list.count};
}

scenario_numbers scenario_mapping_list(scenario_table table, const char *key)
{
    static const char expected[] = "\"pooled\" or \"static\"";
    const char *const names[] = {clump_mapping_name(CLUMP_MAPPING_POOLED),
                                 clump_mapping_name(CLUMP_MAPPING_STATIC), NULL};
    const scenario_list list = scenario_list_open(table, key, expected);
    if (list.count == 0)
        return (scenario_numbers){NULL, 0};
    double *values = scenario_allocate(table.L, list.count, sizeof *values);
    for (size_t i = 0; i < list.count; i++) {
        clump_mapping mapping = CLUMP_MAPPING_POOLED;
        scenario_item(list, i);
        const char *name = scenario_name_at(table.L, -1);
        if (name == NULL || !clump_mapping_parse(name, &mapping))
            scenario_fail_name(table, key, expected, names);
        values[i] = mapping;
        lua_pop(table.L, 1);
    }
    scenario_list_close(list);
    return (scenario_numbers){values, list.count};
}
