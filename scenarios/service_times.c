/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Distributions of computations and communications, for simulations. */
#include "scenarios/field.h"

#include <lauxlib.h>

#include <string.h>

static const char expected[] = "\"exponential\", \"constant\", \"erlang:K\" with K stages, "
                               "\"hyperexponential:C\" with the squared "
                               "coefficient of variation C, or { samples = { ... } }";

/* { samples = { ... } } at the top of the stack. */
static void read_samples(lua_State *L, const char *key, scenario_service_time *found)
{
    static const char *const keys[] = {"samples", NULL};
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
    static const char *const names[] = {"exponential", "constant", "erlang:2", "hyperexponential:4",
                                        NULL};
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

size_t scenario_choice(scenario_table table, const char *key, const char *words,
                       const char *const *names, size_t absent)
{
    if (scenario_get(table, key) == LUA_TNIL) {
        lua_pop(table.L, 1);
        return absent;
    }
    const char *name = scenario_name_at(table.L, -1);
    for (size_t i = 0; name != NULL && names[i] != NULL; i++)
        if (strcmp(name, names[i]) == 0) {
            lua_pop(table.L, 1);
            return i;
        }
    scenario_fail_name(table, key, words, names);
}
