/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 *   platform "name"     a platform of the store
 *   platform { ... }    one of the script's own:
 *       name, title             text
 *       nodes = 1               how many there are; nothing is computed from it
 *       processors, nics        in each node; required
 *       mapping = "pooled"      or "static": every processor tied to one NIC
 *       network, shared_memory  LogGP: { L =, o_s =, o_r =, g =, G = } in us and us/byte; network
 *                               also with what field_reliability.c reads: protocol, loss...
 *       memory_penalty = 1      computation on the node over computation on the NOW
 *       io_bus = "full-duplex"  or "half-duplex": what arrives occupies it like what leaves
 *       max_nics_per_processor  NICs that one processor can drive at once; no limit if absent
 *       placement               { domains =, near =, far =, ports_per_slot =, slot_bandwidth =,
 *                               packed = }: where the NICs are; all near and apart if absent
 *       efficiency              { 1, 0.95, ... } or function(q): service efficiency with q active
 *
 * Both have the fields name, nodes, processors, nics and mapping to read.
 */
#include "scenarios/platform.h"

#include "scenarios/lossy_binding.h"
#include "scenarios/stored.h"
#include "scenarios/userdata.h"

#include <lauxlib.h>

#include <math.h>
#include <string.h>

static const char type_name[] = "platform";

const scenario_platform *scenario_platform_at(lua_State *L, int index)
{
    return luaL_testudata(L, index, type_name);
}

/* `reliability` is NULL where nothing can be lost. */
static scenario_protocol read_protocol(scenario_table outer, const char *key,
                                       scenario_reliability *reliability)
{
    static const char *const keys[] = {"L", "o_s", "o_r", "g", "G", NULL};
    static const char *const lossy_keys[] = {
        "L", "o_s", "o_r", "g", "G", "protocol", "loss", "window", "timeout", "acknowledge", NULL};
    static const scenario_range any = {-HUGE_VAL, HUGE_VAL, false, false, NULL};
    lua_State *L = outer.L;
    scenario_protocol protocol = {.known = false};
    if (scenario_get(outer, key) == LUA_TNIL) {
        lua_pop(L, 1);
        return protocol;
    }
    const char *what = lua_pushfstring(L, "%s: %s", outer.what, key);
    const scenario_table table =
        scenario_table_check(L, -2, what, reliability != NULL ? lossy_keys : keys);
    double values[5];
    for (size_t i = 0; i < 5; i++) {
        scenario_get(table, keys[i]);
        values[i] = scenario_number_at(L, what, keys[i], i == 0 ? &any : &scenario_not_negative);
        lua_pop(L, 1);
    }
    clump_error error;
    protocol.loggp = (clump_loggp){values[0], values[1], values[2], values[3], values[4]};
    if (clump_loggp_check(&protocol.loggp, key, &error) != CLUMP_OK)
        scenario_fail(L, "%s: %s", outer.what, error.message);
    protocol.known = true;
    if (reliability != NULL)
        *reliability = scenario_reliability_read(table);
    lua_pop(L, 2);
    return protocol;
}

static size_t read_count(scenario_table table, const char *key, const scenario_range *range)
{
    scenario_get(table, key);
    const double value = scenario_number_at(table.L, table.what, key, range);
    lua_pop(table.L, 1);
    return (size_t)value;
}

static bool read_io_bus(scenario_table table)
{
    lua_State *L = table.L;
    bool half = false;
    if (scenario_get(table, "io_bus") != LUA_TNIL) {
        const char *bus = scenario_name_at(L, -1);
        half = bus != NULL && strcmp(bus, "half-duplex") == 0;
        if (!half && (bus == NULL || strcmp(bus, "full-duplex") != 0))
            scenario_fail(L, "%s: io_bus is %s, expected \"half-duplex\" or \"full-duplex\"",
                          table.what, scenario_describe(L, -1));
    }
    lua_pop(L, 1);
    return half;
}

static void read_table(scenario_table table, scenario_platform *p)
{
    p->name = scenario_text(table, "name");
    scenario_text(table, "title");
    p->nodes = (size_t)scenario_number(table, "nodes", &scenario_processor_count, 1);
    p->processors = read_count(table, "processors", &scenario_processor_count);
    p->nics = read_count(table, "nics", &scenario_nic_count);
    const scenario_numbers mapping = scenario_mapping_list(table, "mapping");
    if (mapping.count > 1)
        scenario_fail(table.L, "%s: mapping is a list, expected \"pooled\" or \"static\"",
                      table.what);
    p->has_mapping = true;
    p->mapping = mapping.count > 0 ? (clump_mapping)mapping.values[0] : CLUMP_MAPPING_POOLED;
    p->network = read_protocol(table, "network", &p->reliability);
    p->shared_memory = read_protocol(table, "shared_memory", NULL);
    p->memory_penalty = scenario_number(table, "memory_penalty", &scenario_positive, 1);
    p->stored_penalty = p->memory_penalty;
    p->half_duplex = read_io_bus(table);
    p->max_nics_per_processor =
        scenario_number(table, "max_nics_per_processor", &scenario_nics_per_processor, 0);
    scenario_placement_field(table, "placement", &p->placement);
    const int type = scenario_get(table, "efficiency");
    lua_pop(table.L, 1);
    p->efficiency_function = type == LUA_TFUNCTION;
    if (!p->efficiency_function)
        p->efficiency = scenario_efficiency_field(table, "efficiency", 1);
}

int scenario_platform_new(lua_State *L)
{
    static const char *const keys[] = {"name",           "title",
                                       "nodes",          "processors",
                                       "nics",           "mapping",
                                       "network",        "shared_memory",
                                       "memory_penalty", "max_nics_per_processor",
                                       "efficiency",     "io_bus",
                                       "placement",      NULL};
    lua_settop(L, 1);
    const char *name = scenario_name_at(L, 1);
    if (name == NULL && lua_type(L, 1) != LUA_TTABLE)
        scenario_fail(L, "platform: found %s, expected a name or a table of fields",
                      scenario_describe(L, 1));
    scenario_platform *p = scenario_userdata_new(L, sizeof *p, 1, type_name);
    if (name != NULL) {
        scenario_stored_platform(L, name, p);
        return 1;
    }
    const scenario_table table = scenario_table_check(L, 1, "platform", keys);
    read_table(table, p);
    if (p->efficiency_function) {
        scenario_get(table, "efficiency");
        lua_setiuservalue(L, 2, 1);
    }
    return 1;
}

static int read_field(lua_State *L)
{
    static const char *const keys[] = {"name", "nodes", "processors", "nics", "mapping", NULL};
    const scenario_platform *p = luaL_checkudata(L, 1, type_name);
    const char *key = scenario_name_at(L, 2);
    if (key == NULL)
        scenario_fail(L, "%s: there is no field %s", type_name, scenario_describe(L, 2));
    if (strcmp(key, "name") == 0)
        lua_pushstring(L, p->name);
    else if (strcmp(key, "mapping") == 0)
        lua_pushstring(L, p->has_mapping ? clump_mapping_name(p->mapping) : NULL);
    else if (strcmp(key, "nodes") == 0)
        lua_pushinteger(L, (lua_Integer)p->nodes);
    else if (strcmp(key, "processors") == 0)
        lua_pushinteger(L, (lua_Integer)p->processors);
    else if (strcmp(key, "nics") == 0)
        lua_pushinteger(L, (lua_Integer)p->nics);
    else
        scenario_userdata_no_field(L, type_name, key, keys);
    return 1;
}

void scenario_platform_register(lua_State *L)
{
    scenario_userdata_register(L, type_name, read_field);
}
