/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 *   application "name"     an application of the store, for platforms on which it was measured
 *   application { ... }    one of the script's own: name, title, and one of
 *     (a) utilization       share of time that it communicates on the NOW: a number, or a list with
 *                           one for each processor of a node
 *         remote_fraction = 1    share of its communication that leaves the node
 *         cost_ratio = 1         local over remote communication time
 *         waiting_fraction = 0   share of remote communication that waits and loads no NIC
 *     (b) remote_traffic, local_traffic
 *                           what a processor sends: { short_messages = 0, bulk_messages = 0,
 *                           bulk_bytes = 0 (of all of them together) }; each is a number, or, where
 *                           it differs from processor to processor, a list or what uneven.h says
 *         style             "streaming" (default), "blocking" or "exchange", or else
 *         waited_share      share of the short messages that it waits for, 0 to 1
 *         lockstep = false  barriers separate the steps of its exchange, so that traffic within a
 *                           node saves nothing while any other leaves it
 *         now_time          seconds on the NOW
 *         now_computation   seconds of computation on the NOW (computation is the same), or
 *         node_computation  in a node, as measured there: over the memory penalty it is that on the
 *                           NOW; a time, or computation, or both: then what
 *                           is neither computation nor communication is waiting for others
 *                           Needs a platform with LogGP parameters.
 *     (c) recording         the name of an application that was recorded, with what is to be taken
 *                           otherwise than application "NAME" takes it:
 *         clock = "auto"    its computation is time by the "wall", or of the "processor"
 *         recorded_here = false   it was recorded on the NOW of the platform, a node for each rank: its
 *                           transfers take what they took there, whatever LogGP says
 *         stripe_bytes      messages are cut into pieces of this size, each for a NIC; math.huge: they
 *                           are not. What the MPI library does if absent
 *         rank_order = "blocks"   ranks 0 to P-1 are on the first node, or one on each in turn: "round-robin"
 *     (d) collectives       collective { ... } (collective_calls.c), or a list of them: what each processor takes part in
 *         ranks             processors of the program; those of all nodes of the platform if absent
 *         overlap = 0       share of the time of its collectives in which processors also compute
 *         computation, now_computation, node_computation or now_time, as above
 *     (e) phases            { { time =, utilization =, remote_fraction =, cost_ratio =,
 *                           waiting_fraction =, demand =, phase_cycles = }, ... }; time on the NOW,
 *                           in any unit
 *   and for each of them
 *         now_time          seconds on the NOW
 *         synchronized = false   it has barriers: it takes as long as its slowest processor
 *         times             { ["PLATFORM"] = seconds, ... }: measured on platforms of these names
 *         memory_share, memory_traffic, cache_misses, cache_line
 *                           of memory that processors share, bandwidth.h
 *         memory_penalty    overrides that of the platform
 *         phase_cycles      length of a phase, in cycles of computation and communication, where
 *                           phases are too short for equilibrium
 */
#include "scenarios/objects.h"

#include "scenarios/field.h"
#include "scenarios/stored.h"
#include "scenarios/uneven.h"

#include <lauxlib.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

static const char type_name[] = "application";

const scenario_application *scenario_application_at(lua_State *L, int index)
{
    return luaL_testudata(L, index, type_name);
}

/* Whoever gives the bytes of one message, or has exchanged both numbers, would be told of NICs that have nothing to do. */
static void compare_sizes(lua_State *L, const char *what, const clump_traffic *t)
{
    char line[300];
    if (!(t->bulk_bytes > 0) || t->bulk_bytes >= t->bulk_messages)
        return;
    snprintf(
        line, sizeof line,
        "%.100s: bulk_bytes %g for %g bulk_messages is less than a byte for each: they are the "
        "bytes of all of them together",
        what, t->bulk_bytes, t->bulk_messages);
    scenario_tell(L, line);
}

/* @return whether some of it differs from processor to processor */
static bool read_traffic(scenario_table outer, const char *key, clump_traffic *traffic,
                         scenario_spread spreads[3], size_t *processors)
{
    static const char *const keys[] = {"short_messages", "bulk_messages", "bulk_bytes", NULL};
    lua_State *L = outer.L;
    bool uneven = false;
    *traffic = (clump_traffic){0, 0, 0};
    if (scenario_get(outer, key) != LUA_TNIL) {
        const char *what = lua_pushfstring(L, "%s: %s", outer.what, key);
        const scenario_table table = scenario_table_check(L, -2, what, keys);
        for (size_t i = 0; i < 3; i++)
            uneven = scenario_spread_field(table, keys[i], &spreads[i], processors) || uneven;
        *traffic = (clump_traffic){spreads[0].mean, spreads[1].mean, spreads[2].mean};
        compare_sizes(L, what, traffic);
        lua_pop(L, 1);
    }
    lua_pop(L, 1);
    return uneven;
}

static void read_all_traffic(scenario_table table, scenario_application *a)
{
    scenario_uneven *u = scenario_allocate(table.L, 1, sizeof *u);
    const bool remote =
        read_traffic(table, "remote_traffic", &a->remote, u->remote, &u->processors);
    const bool local = read_traffic(table, "local_traffic", &a->local, u->local, &u->processors);
    a->uneven = remote || local ? u : NULL;
}

static void read_style(scenario_table table, scenario_application *a)
{
    static const char *const styles[] = {"streaming", "blocking", "exchange"};
    lua_State *L = table.L;
    a->waited_share = scenario_number(table, "waited_share", &scenario_share, 0);
    if (scenario_get(table, "style") != LUA_TNIL) {
        const char *style = scenario_name_at(L, -1);
        size_t i = 0;
        while (i < 3 && (style == NULL || strcmp(style, styles[i]) != 0))
            i++;
        if (i == 3)
            scenario_fail(L,
                          "%s: style is %s, expected \"streaming\", \"blocking\" or \"exchange\"",
                          table.what, scenario_describe(L, -1));
        if (scenario_has(table, "waited_share"))
            scenario_fail(L, "%s: found style and waited_share, expected one of them", table.what);
        a->waited_share = i > 0;
        a->exchange = i == 2;
    }
    lua_pop(L, 1);
}

static bool read_truth(scenario_table table, const char *key)
{
    lua_State *L = table.L;
    const int type = scenario_get(table, key);
    if (type != LUA_TNIL && type != LUA_TBOOLEAN)
        scenario_fail(L, "%s: %s is %s, expected true or false", table.what, key,
                      scenario_describe(L, -1));
    const bool truth = lua_toboolean(L, -1);
    lua_pop(L, 1);
    return truth;
}

static void read_phase(lua_State *L, scenario_phase *phase)
{
    static const char *const keys[] = {"time",
                                       "utilization",
                                       "remote_fraction",
                                       "cost_ratio",
                                       "waiting_fraction",
                                       "demand",
                                       "phase_cycles",
                                       NULL};
    const scenario_table table = scenario_table_check(L, -1, "phase", keys);
    scenario_get(table, "time");
    phase->time = scenario_number_at(L, "phase", "time", &scenario_positive);
    scenario_get(table, "utilization");
    phase->utilization = scenario_number_at(L, "phase", "utilization", &scenario_share);
    lua_pop(L, 2);
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

/* Which of the ways (a) to (e) describes it. */
static scenario_application_kind find_kind(scenario_table table)
{
    static const struct {
        const char *key;
        scenario_application_kind kind;
    } owners[] = {
        {"utilization", SCENARIO_BY_UTILIZATION}, {"remote_fraction", SCENARIO_BY_UTILIZATION},
        {"cost_ratio", SCENARIO_BY_UTILIZATION},  {"waiting_fraction", SCENARIO_BY_UTILIZATION},
        {"remote_traffic", SCENARIO_BY_TRAFFIC},  {"local_traffic", SCENARIO_BY_TRAFFIC},
        {"style", SCENARIO_BY_TRAFFIC},           {"waited_share", SCENARIO_BY_TRAFFIC},
        {"computation", SCENARIO_BY_TRAFFIC},     {"lockstep", SCENARIO_BY_TRAFFIC},
        {"now_computation", SCENARIO_BY_TRAFFIC}, {"node_computation", SCENARIO_BY_TRAFFIC},
        {"phases", SCENARIO_BY_PHASES},           {"recording", SCENARIO_BY_RECORDING},
        {"stripe_bytes", SCENARIO_BY_RECORDING},  {"rank_order", SCENARIO_BY_RECORDING},
        {"collectives", SCENARIO_BY_COLLECTIVES}, {"ranks", SCENARIO_BY_COLLECTIVES},
        {"overlap", SCENARIO_BY_COLLECTIVES},
    };
    const bool collective = scenario_has(table, "collectives");
    const char *first = NULL;
    scenario_application_kind kind = SCENARIO_BY_UTILIZATION;
    for (size_t i = 0; i < sizeof owners / sizeof owners[0]; i++) {
        if (!scenario_has(table, owners[i].key) ||
            (collective && strstr(owners[i].key, "computation") != NULL))
            continue;
        if (first != NULL && owners[i].kind != kind)
            scenario_fail(table.L,
                          "%s: found %s and %s, expected one description: utilization, or traffic, "
                          "or phases, or collectives, or a recording",
                          table.what, first, owners[i].key);
        first = owners[i].key;
        kind = owners[i].kind;
    }
    if (first == NULL)
        scenario_fail(
            table.L,
            "%s: found no description, expected utilization, or remote_traffic, or phases, or "
            "collectives, or recording",
            table.what);
    return kind;
}

static const char times_key[] = "clumpmodel times";

void scenario_times_check(lua_State *L)
{
    luaL_getsubtable(L, LUA_REGISTRYINDEX, times_key);
    for (lua_pushnil(L); lua_next(L, -2) != 0; lua_pop(L, 1)) {
        const char *name = lua_tostring(L, -2);
        if (!scenario_platform_exists(L, name))
            luaL_error(L,
                       "application: times has \"%s\", expected the name of a platform of the "
                       "script or of the database",
                       name);
    }
    lua_pop(L, 1);
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
        for (lua_pushnil(L); lua_next(L, -2) != 0; lua_pop(L, 1)) {
            scenario_charge(L, 1);
            count++;
        }
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
            luaL_getsubtable(L, LUA_REGISTRYINDEX, times_key);
            lua_pushboolean(L, true);
            lua_setfield(L, -2, name);
            lua_pop(L, 1);
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

static void read_recording(scenario_table table, scenario_application *a)
{
    static const char *const orders[] = {"blocks", "round-robin", NULL};
    static const scenario_range sizes = {1, HUGE_VAL, false, false, NULL};
    const char *name = scenario_text(table, "recording");
    if (name == NULL)
        scenario_fail(table.L,
                      "%s: found no recording, expected the name of an application that was "
                      "recorded",
                      table.what);
    a->rank_order = (clump_rank_order)scenario_choice(table, "rank_order",
                                                      "\"blocks\" or \"round-robin\"", orders, 0);
    a->stripe_bytes = scenario_number(table, "stripe_bytes", &sizes, 0);
    scenario_stored_run(table.L, name, a);
    if (a->name == NULL)
        a->name = name;
}

static void read_table(scenario_table table, scenario_application *a)
{
    lua_State *L = table.L;
    a->name = scenario_text(table, "name");
    scenario_text(table, "title");
    a->kind = find_kind(table);
    a->now_time = scenario_number(table, "now_time", &scenario_positive, NAN);
    read_times(table, a);
    a->synchronized = read_truth(table, "synchronized");
    a->memory_penalty = scenario_number(table, "memory_penalty", &scenario_positive, NAN);
    a->appetite = scenario_appetite_read(table);
    a->phase_cycles = scenario_number(table, "phase_cycles", &scenario_positive, 0);
    a->computation = read_computation(table, &a->node_computation);
    a->remote_fraction = scenario_number(table, "remote_fraction", &scenario_share, 1);
    a->cost_ratio = scenario_number(table, "cost_ratio", &scenario_not_negative, 1);
    a->waiting_fraction = scenario_number(table, "waiting_fraction", &scenario_share, 0);
    if (a->kind == SCENARIO_BY_UTILIZATION) {
        a->utilizations = scenario_number_list(table, "utilization", &scenario_share);
        if (a->utilizations.count == 0)
            scenario_fail(L,
                          "%s: found no utilization, expected a number from 0 to 1, or one for "
                          "each processor",
                          table.what);
    } else if (a->kind == SCENARIO_BY_PHASES) {
        read_phases(table, a);
    } else if (a->kind == SCENARIO_BY_RECORDING) {
        read_recording(table, a);
    } else {
        if (a->kind == SCENARIO_BY_COLLECTIVES)
            a->collectives = scenario_collectives_read(table);
        else
            read_all_traffic(table, a);
        read_style(table, a);
        a->lockstep = read_truth(table, "lockstep");
        if (isnan(a->now_time) && isnan(a->computation) && isnan(a->node_computation) &&
            a->measured_count == 0)
            scenario_fail(L,
                          "%s: found neither time, expected now_time, now_computation or "
                          "node_computation in seconds",
                          table.what);
    }
}

int scenario_application_new(lua_State *L)
{
    static const char *const keys[] = {"name",
                                       "title",
                                       "utilization",
                                       "remote_fraction",
                                       "cost_ratio",
                                       "waiting_fraction",
                                       "remote_traffic",
                                       "local_traffic",
                                       "style",
                                       "waited_share",
                                       "now_time",
                                       "computation",
                                       "now_computation",
                                       "node_computation",
                                       "phases",
                                       "memory_penalty",
                                       "phase_cycles",
                                       "lockstep",
                                       "times",
                                       "memory_share",
                                       "memory_traffic",
                                       "cache_misses",
                                       "cache_line",
                                       "synchronized",
                                       "recording",
                                       "stripe_bytes",
                                       "rank_order",
                                       "collectives",
                                       "ranks",
                                       "overlap",
                                       NULL};
    lua_settop(L, 1);
    const char *name = scenario_name_at(L, 1);
    if (name == NULL && lua_type(L, 1) != LUA_TTABLE)
        scenario_fail(L, "application: found %s, expected a name or a table of fields",
                      scenario_describe(L, 1));
    scenario_application *a = scenario_userdata_new(L, sizeof *a, 0, type_name);
    if (name != NULL)
        scenario_stored_application(L, name, a);
    else
        read_table(scenario_table_check(L, 1, "application", keys), a);
    return 1;
}

static int read_field(lua_State *L)
{
    static const char *const keys[] = {"name", NULL};
    const scenario_application *a = luaL_checkudata(L, 1, type_name);
    const char *key = scenario_name_at(L, 2);
    if (key == NULL)
        scenario_fail(L, "%s: there is no field %s", type_name, scenario_describe(L, 2));
    if (strcmp(key, "name") != 0)
        scenario_userdata_no_field(L, type_name, key, keys);
    lua_pushstring(L, a->name);
    return 1;
}

void scenario_application_register(lua_State *L)
{
    scenario_userdata_register(L, type_name, read_field);
}
