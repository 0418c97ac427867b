/* SPDX-License-Identifier: GPL-3.0-or-later */
/* platform "NAME" and platform { ... }, whose fields are described in clumpmodel-scenario(5). */
#include "scenarios/objects.h"

#include "model/result.h"
#include "scenarios/field.h"
#include "scenarios/stored.h"

#include <lauxlib.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---- how the network keeps its messages */

/* scenario { protocol =, loss = } take the place of those of all platforms, and may be lists. */

static const scenario_range loss_range = {0, 0.999, false, false, NULL};
static const scenario_range window_range = {1, 65536, false, true, NULL};
static const scenario_range timeout_range = {0, 1e12, true, false, NULL};

/* The name at the top of the stack. */
static scenario_reliability read_protocol_name(lua_State *L, const char *what)
{
    clump_error error;
    scenario_reliability r = {.network = {.acknowledge_us = CLUMP_LOSSY_ACKNOWLEDGE_US}};
    const char *name = scenario_name_at(L, -1);
    if (name == NULL)
        scenario_fail(L, "%s: protocol is %s, expected a name: %s", what, scenario_describe(L, -1),
                      clump_lossy_protocol_names);
    if (clump_lossy_protocol_parse(name, &r.network.protocol, &error) != CLUMP_OK)
        scenario_fail(L, "%s: protocol: %s", what, error.message);
    r.protocol = scenario_copy_quietly(L, name);
    if (r.protocol == NULL)
        scenario_fail_memory(L);
    return r;
}

static void check_loss(lua_State *L, const char *what, const scenario_reliability *r)
{
    if (!(r->network.loss > 0))
        return;
    if (r->protocol == NULL)
        scenario_fail(L,
                      "%s: loss is %f, expected protocol with it, which says what is done "
                      "about it: %s",
                      what, r->network.loss, clump_lossy_protocol_names);
    if (r->network.protocol.recovery == CLUMP_RECOVERY_NONE)
        scenario_fail(L,
                      "%s: loss is %f, but \"%s\" relies on a network that loses nothing: "
                      "expected loss = 0, or a protocol that sends again, such as \"l-nirx\" or "
                      "\"l-hrx\"",
                      what, r->network.loss, r->protocol);
}

/* protocol, loss, window, timeout and acknowledge of a network table. */
static scenario_reliability read_reliability(scenario_table table, const scenario_reliability *like)
{
    lua_State *L = table.L;
    scenario_reliability r = *like;
    if (scenario_get(table, "protocol") != LUA_TNIL)
        r = read_protocol_name(L, table.what);
    lua_pop(L, 1);
    r.network.loss = scenario_number(table, "loss", &loss_range, like->network.loss);
    r.network.window = scenario_number(table, "window", &window_range, like->network.window);
    r.network.timeout_us =
        scenario_number(table, "timeout", &timeout_range, like->network.timeout_us);
    r.network.acknowledge_us =
        scenario_number(table, "acknowledge", &scenario_not_negative, r.network.acknowledge_us);
    check_loss(L, table.what, &r);
    return r;
}

scenario_reliabilities scenario_reliabilities_read(scenario_table table)
{
    lua_State *L = table.L;
    scenario_reliabilities wanted = {.losses = scenario_number_list(table, "loss", &loss_range)};
    const scenario_list list = scenario_list_open(table, "protocol", "a name");
    if (list.count > 0) {
        scenario_reliability *protocols = scenario_allocate(L, list.count, sizeof *protocols);
        for (size_t i = 0; i < list.count; i++) {
            scenario_item(list, i);
            protocols[i] = read_protocol_name(L, table.what);
            lua_pop(L, 1);
        }
        wanted.protocols = protocols;
        wanted.protocol_count = list.count;
    }
    scenario_list_close(list);
    return wanted;
}

static size_t at_least_one(size_t count)
{
    return count > 0 ? count : 1;
}

size_t scenario_reliability_count(const scenario_reliabilities *wanted)
{
    return at_least_one(wanted->protocol_count) * at_least_one(wanted->losses.count);
}

static void explain_losses(lua_State *L, scenario_platform *platform)
{
    const scenario_reliability *r = &platform->reliability;
    clump_error error;
    if (r->protocol == NULL || !platform->network.known)
        return;
    clump_result_network *n = scenario_allocate(L, 1, sizeof *n);
    *n = (clump_result_network){.platform = platform->name,
                                .protocol = r->protocol,
                                .network = r->network,
                                .clean = platform->network.loggp};
    const clump_status status =
        clump_lossy_network_loggp(&r->network, &n->clean, &n->lossy, &error);
    if (status == CLUMP_NO_MEMORY)
        scenario_fail_memory(L);
    if (status != CLUMP_OK)
        scenario_fail(L, "platform \"%s\": network: %s", scenario_name_of(platform->name),
                      error.message);
    platform->explained = n;
}

void scenario_reliability_apply(lua_State *L, const scenario_reliabilities *wanted, size_t i,
                                scenario_platform *platform)
{
    const size_t losses = at_least_one(wanted->losses.count);
    scenario_reliability *r = &platform->reliability;
    if (wanted->protocol_count > 0) {
        r->protocol = wanted->protocols[i / losses].protocol;
        r->network.protocol = wanted->protocols[i / losses].network.protocol;
    }
    if (wanted->losses.count > 0)
        r->network.loss = wanted->losses.values[i % losses];
    if (wanted->protocol_count > 0 || wanted->losses.count > 0)
        check_loss(L, "scenario", r);
    explain_losses(L, platform);
}

/* ---- platforms */

static const char type_name[] = "platform";

const scenario_platform *scenario_platform_at(lua_State *L, int index)
{
    return luaL_testudata(L, index, type_name);
}

/* No network is slower or faster than these, us a byte: who is beyond has counted in other units. */
static const double slowest = 10, fastest = 1e-8;

static void compare_units(lua_State *L, const char *what, double gap_us_per_byte)
{
    char line[300];
    if (!(gap_us_per_byte >= slowest || (gap_us_per_byte > 0 && gap_us_per_byte <= fastest)))
        return;
    snprintf(line, sizeof line,
             "%.100s: G is %g us a byte, that is %.3g bytes a second: 0.00004 would be 25e9", what,
             gap_us_per_byte, 1e6 / gap_us_per_byte);
    scenario_tell(L, line);
}

/* `reliability` is NULL where nothing can be lost. */
static scenario_protocol read_protocol(scenario_table outer, const char *key,
                                       const scenario_protocol *like,
                                       scenario_reliability *reliability)
{
    static const char *const keys[] = {"L", "o_s", "o_r", "g", "G"};
    /* us: 1e12 are eleven days, beyond which products with counts of messages are no numbers any more */
    static const scenario_range latency = {-1e12, 1e12, false, false, NULL};
    static const scenario_range others_us = {0, 1e12, false, false, NULL};
    lua_State *L = outer.L;
    scenario_protocol protocol = {.known = false};
    scenario_table table;
    if (!scenario_table_open(outer, key,
                             reliability != NULL
                                 ? "L o_s o_r g G protocol loss window timeout acknowledge"
                                 : "L o_s o_r g G",
                             &table))
        return *like;
    double values[5];
    for (size_t i = 0; i < 5; i++) {
        const double others[] = {like->loggp.latency_us, like->loggp.send_overhead_us,
                                 like->loggp.receive_overhead_us, like->loggp.gap_us,
                                 like->loggp.gap_us_per_byte};
        values[i] = others[i];
        const bool by_links = i == 4 && others[i] > 0; /* of a topology */
        if (scenario_get(table, keys[i]) != LUA_TNIL ||
            (!like->known && !like->part[i] && !by_links))
            values[i] = scenario_number_at(L, table.what, keys[i], i == 0 ? &latency : &others_us);
        lua_pop(L, 1);
    }
    clump_error error;
    protocol.loggp = (clump_loggp){values[0], values[1], values[2], values[3], values[4]};
    if (clump_loggp_check(&protocol.loggp, key, &error) != CLUMP_OK)
        scenario_fail(L, "%s: %s", outer.what, error.message);
    compare_units(L, table.what, values[4]);
    protocol.known = true;
    if (reliability != NULL)
        *reliability = read_reliability(table, reliability);
    lua_pop(L, 2);
    return protocol;
}

/* `like` is 0 where it must be given. */
static size_t read_count(scenario_table table, const char *key, const scenario_range *range,
                         size_t like)
{
    if (scenario_get(table, key) == LUA_TNIL && like > 0) {
        lua_pop(table.L, 1);
        return like;
    }
    const double value = scenario_number_at(table.L, table.what, key, range);
    lua_pop(table.L, 1);
    return (size_t)value;
}

/* The platform of which this one is a variant, or what platforms are if nothing is said. */
static scenario_platform read_like(scenario_table table)
{
    lua_State *L = table.L;
    scenario_platform like = {
        .nodes = 1, .memory_penalty = 1, .misses = {.now_us = NAN, .node_us = NAN}};
    like.reliability.network.acknowledge_us = CLUMP_LOSSY_ACKNOWLEDGE_US;
    if (scenario_get(table, "like") != LUA_TNIL) {
        const scenario_platform *found = scenario_platform_at(L, -1);
        if (found == NULL)
            scenario_fail(L, "%s: like is %s, expected platform \"NAME\" or platform { ... }",
                          table.what, scenario_describe(L, -1));
        like = *found;
        like.name = NULL;
        like.stored = false; /* what was measured on it was not measured here */
        like.counterpart = NULL;
    }
    lua_pop(L, 1);
    return like;
}

static void read_efficiency(scenario_table table, scenario_platform *p)
{
    const int type = scenario_get(table, "efficiency");
    lua_pop(table.L, 1);
    if (type == LUA_TNIL)
        return;
    p->efficiency_function = type == LUA_TFUNCTION;
    if (!p->efficiency_function)
        p->efficiency = scenario_efficiency_field(table, "efficiency", 1);
}

static void read_table(scenario_table table, scenario_platform *p)
{
    scenario_platform like = read_like(table);
    scenario_node_file_field(table, "topology", &like);
    *p = like;
    p->name = scenario_text(table, "name");
    scenario_text(table, "title");
    p->nodes =
        (size_t)scenario_number(table, "nodes", &scenario_processor_count, (double)like.nodes);
    p->processors = read_count(table, "processors", &scenario_processor_count, like.processors);
    p->nics = read_count(table, "nics", &scenario_nic_count, like.nics);
    const scenario_numbers mapping = scenario_mapping_list(table, "mapping");
    if (mapping.count > 1)
        scenario_fail(table.L, "%s: mapping is a list, expected \"pooled\" or \"static\"",
                      table.what);
    if (mapping.count > 0)
        p->mapping = (clump_mapping)mapping.values[0];
    p->has_mapping = true;
    p->network = read_protocol(table, "network", &like.network, &p->reliability);
    p->shared_memory = read_protocol(table, "shared_memory", &like.shared_memory, NULL);
    /* With other NICs it is compared with another NOW. */
    const scenario_protocol none = {.known = false};
    p->now_network = read_protocol(
        table, "now_network", scenario_has(table, "network") ? &none : &like.now_network, NULL);
    p->memory_penalty =
        scenario_number(table, "memory_penalty", &scenario_positive, like.memory_penalty);
    p->misses = like.misses;
    if (scenario_has(table, "memory_penalty"))
        p->misses.now_us = NAN;
    p->memory = scenario_bandwidth_read(table, "memory", &like.memory);
    p->half_duplex =
        scenario_choice(table, "io_bus", "full-duplex half-duplex", like.half_duplex) == 1;
    p->max_nics_per_processor = scenario_number(
        table, "max_nics_per_processor", &scenario_nics_per_processor, like.max_nics_per_processor);
    scenario_placement_field(table, "placement", &p->placement);
    read_efficiency(table, p);
}

int scenario_platform_exists(lua_State *L)
{
    clump_store *store = scenario_sandbox_of(L)->options->store;
    clump_store_platform *record = NULL;
    lua_pushboolean(L, store == NULL || clump_store_find_platform(store, luaL_checkstring(L, 1),
                                                                  &record) == CLUMP_STORE_OK);
    clump_store_free(record);
    return 1;
}

static int read_field(lua_State *L)
{
    const scenario_platform *p = luaL_checkudata(L, 1, type_name);
    const char *key = scenario_userdata_field(L, type_name, "name nodes processors nics mapping");
    if (strcmp(key, "name") == 0)
        lua_pushstring(L, p->name);
    else if (strcmp(key, "mapping") == 0)
        lua_pushstring(L, p->has_mapping ? clump_mapping_name(p->mapping) : NULL);
    else if (strcmp(key, "nodes") == 0)
        lua_pushinteger(L, (lua_Integer)p->nodes);
    else if (strcmp(key, "processors") == 0)
        lua_pushinteger(L, (lua_Integer)p->processors);
    else
        lua_pushinteger(L, (lua_Integer)p->nics);
    return 1;
}

int scenario_platform_new(lua_State *L)
{
    static const char keys[] =
        "name title nodes processors nics mapping network shared_memory memory_penalty "
        "max_nics_per_processor efficiency io_bus placement memory like now_network "
        "topology";
    lua_settop(L, 1);
    const char *name = scenario_name_at(L, 1);
    if (name == NULL && lua_type(L, 1) != LUA_TTABLE)
        scenario_fail(L, "platform: found %s, expected a name or a table of fields",
                      scenario_describe(L, 1));
    scenario_platform *p = scenario_userdata_new(L, sizeof *p, 1, type_name, read_field);
    if (name != NULL) {
        scenario_stored_platform(L, name, p);
        return 1;
    }
    const scenario_table table = scenario_table_check(L, 1, "platform", keys);
    read_table(table, p);
    if (scenario_has(table, "efficiency") && p->efficiency_function) {
        scenario_get(table, "efficiency");
        lua_setiuservalue(L, 2, 1);
    } else if (p->efficiency_function) { /* that of the other one */
        scenario_get(table, "like");
        lua_getiuservalue(L, -1, 1);
        lua_setiuservalue(L, 2, 1);
        lua_pop(L, 1);
    }
    return 1;
}
