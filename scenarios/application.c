/* SPDX-License-Identifier: GPL-3.0-or-later */
/* application "NAME" and application { ... }, whose fields are described in clumpmodel-scenario(5). */
#include "scenarios/objects.h"

#include "scenarios/kind.h"
#include "scenarios/stored.h"

#include <lauxlib.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

static const char type_name[] = "application";

const scenario_application *scenario_application_at(lua_State *L, int index)
{
    return luaL_testudata(L, index, type_name);
}

/* Which of the ways describes it: that of its fields. Seconds of computation go with collectives, too. */
static const scenario_kind *find_kind(scenario_table table)
{
    static const scenario_kind *const kinds[] = {&scenario_by_utilization, &scenario_by_traffic,
                                                 &scenario_by_phases, &scenario_by_recording,
                                                 &scenario_by_collectives};
    const bool collective = scenario_has(table, "collectives");
    const scenario_kind *kind = NULL;
    char first[SCENARIO_WORD], field[SCENARIO_WORD];
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++)
        for (const char *fields = kinds[k]->fields; scenario_word_next(&fields, field);) {
            if (!scenario_has(table, field) || (collective && strstr(field, "computation") != NULL))
                continue;
            if (kind != NULL && kind != kinds[k])
                scenario_fail(table.L,
                              "%s: found %s and %s, expected one description: utilization, or "
                              "traffic, or phases, or collectives, or a recording",
                              table.what, first, field);
            kind = kinds[k];
            strcpy(first, field);
        }
    if (kind == NULL)
        scenario_fail(
            table.L,
            "%s: found no description, expected utilization, or remote_traffic, or phases, or "
            "collectives, or recording",
            table.what);
    return kind;
}

/* { ["PLATFORM"] = seconds, ... } */
static void read_times(scenario_table table, scenario_application *a)
{
    lua_State *L = table.L;
    const int type = scenario_get(table, "times");
    if (type != LUA_TNIL && type != LUA_TTABLE)
        scenario_fail(L, "%s: times is %s, expected { [\"PLATFORM\"] = seconds, ... }", table.what,
                      scenario_describe(L, -1));
    size_t count = 0;
    if (type == LUA_TTABLE)
        for (lua_pushnil(L); lua_next(L, -2) != 0; lua_pop(L, 1))
            count++;
    scenario_time *times = scenario_allocate(L, count + 1, sizeof *times);
    a->measured = times;
    if (type == LUA_TTABLE)
        for (lua_pushnil(L); lua_next(L, -2) != 0; lua_pop(L, 1)) {
            const char *name = scenario_name_at(L, -2);
            if (name == NULL)
                scenario_fail(L, "%s: times has the key %s, expected names of platforms",
                              table.what, scenario_describe(L, -2));
            scenario_time *t = &times[a->measured_count++];
            t->platform = scenario_copy_quietly(L, name);
            if (t->platform == NULL)
                scenario_fail_memory(L);
            t->time = scenario_number_at(L, "application: times", name, &scenario_positive);
        }
    lua_pop(L, 1);
}

/* The same seconds on the NOW or in a node; computation alone has always been that on the NOW. */
static double read_computation(scenario_table table, double *node)
{
    static const char *const names[] = {"computation", "now_computation", "node_computation"};
    const char *found = NULL;
    double values[3];
    for (size_t i = 0; i < 3; i++) {
        values[i] = scenario_number(table, names[i], &scenario_not_negative, NAN);
        if (isnan(values[i]))
            continue;
        if (found != NULL)
            scenario_fail(table.L, "%s: found %s and %s, expected one of them", table.what, found,
                          names[i]);
        found = names[i];
    }
    *node = values[2];
    return isnan(values[1]) ? values[0] : values[1];
}

static void read_table(scenario_table table, scenario_application *a)
{
    a->name = scenario_text(table, "name");
    scenario_text(table, "title");
    a->kind = find_kind(table);
    a->now_time = scenario_number(table, "now_time", &scenario_positive, NAN);
    read_times(table, a);
    a->synchronized = scenario_truth(table, "synchronized");
    a->memory_penalty = scenario_number(table, "memory_penalty", &scenario_positive, NAN);
    a->memory_demand = scenario_memory_demand_read(table);
    a->phase_cycles = scenario_number(table, "phase_cycles", &scenario_positive, 0);
    a->computation = read_computation(table, &a->node_computation);
    a->remote_fraction = scenario_number(table, "remote_fraction", &scenario_share, 1);
    a->cost_ratio = scenario_number(table, "cost_ratio", &scenario_not_negative, 1);
    a->waiting_fraction = scenario_number(table, "waiting_fraction", &scenario_share, 0);
    a->kind->read(table, a);
    if (a->kind->needs_time && isnan(a->now_time) && isnan(a->computation) &&
        isnan(a->node_computation) && a->measured_count == 0)
        scenario_fail(table.L,
                      "%s: found neither time, expected now_time, now_computation or "
                      "node_computation in seconds",
                      table.what);
}

/* ---- application "NAME" */

/* Nothing but what the store says of it. */
static scenario_application make_application(const char *name, bool waits)
{
    return (scenario_application){
        .name = name,
        .kind = &scenario_by_store,
        /* Where the style is not known messages are taken to follow each other. */
        .waited_share = waits,
        .remote_fraction = 1,
        .cost_ratio = 1,
        .now_time = NAN,
        .computation = NAN,
        .node_computation = NAN,
        .memory_penalty = NAN,
        .memory_demand = SCENARIO_NO_MEMORY_DEMAND,
    };
}

static void find_stored(lua_State *L, const char *name, scenario_application *a)
{
    clump_store_application *record = NULL;
    const clump_store_status status =
        clump_store_find_application(scenario_store_of(L), name, &record);
    if (status != CLUMP_STORE_OK)
        scenario_store_fail(L, status, "application");
    const bool waits = record->style != NULL && strcmp(record->style, "blocking") == 0;
    if (record->style != NULL && !waits && strcmp(record->style, "streaming") != 0)
        scenario_store_invalid(L, record, "application", record->name,
                               "its style in the database is neither streaming nor blocking");
    *a = make_application(scenario_copy_quietly(L, record->name), waits);
    clump_store_free(record);
    if (a->name == NULL)
        scenario_fail_memory(L);
    scenario_fit_find(L, a);
    if (a->kind == &scenario_by_store)
        scenario_recording_find(L, a->name, a);
    clump_store_status found = clump_store_lockstep(scenario_store_of(L), a->name, &a->lockstep);
    if (found == CLUMP_STORE_OK)
        found = clump_store_mutual_exchange(scenario_store_of(L), a->name, &a->exchange);
    if (found != CLUMP_STORE_OK)
        scenario_store_fail(L, found, "application");
}

static int read_field(lua_State *L)
{
    const scenario_application *a = luaL_checkudata(L, 1, type_name);
    scenario_userdata_field(L, type_name, "name");
    lua_pushstring(L, a->name);
    return 1;
}

int scenario_application_new(lua_State *L)
{
    static const char keys[] =
        "name title utilization remote_fraction cost_ratio waiting_fraction "
        "remote_traffic local_traffic style waited_share now_time computation "
        "now_computation node_computation phases memory_penalty phase_cycles lockstep "
        "times memory_share memory_traffic cache_misses cache_line synchronized recording "
        "stripe_bytes rank_order collectives ranks overlap";
    lua_settop(L, 1);
    const char *name = scenario_name_at(L, 1);
    if (name == NULL && lua_type(L, 1) != LUA_TTABLE)
        scenario_fail(L, "application: found %s, expected a name or a table of fields",
                      scenario_describe(L, 1));
    scenario_application *a = scenario_userdata_new(L, sizeof *a, 0, type_name, read_field);
    if (name != NULL)
        find_stored(L, name, a);
    else
        read_table(scenario_table_check(L, 1, "application", keys), a);
    return 1;
}
