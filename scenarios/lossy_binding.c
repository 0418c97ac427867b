/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 *   network = { L =, ..., and perhaps
 *       protocol        how messages are kept: "l-nirx", "l-hrx", "ssam", ...
 *       loss = 0        share of the packets that are lost; LogGP parameters, and times of
 *                       applications, are those without loss
 *       window          packets without acknowledgement; as many as keep the stream going if absent
 *       timeout         microseconds until a packet is sent again; 10 ms if absent
 *       acknowledge     microseconds by which acknowledgements wait for more; 200 if absent }
 *
 *   scenario { protocol =, loss = } take the place of those of all platforms, and may be lists.
 */
#include "scenarios/lossy_binding.h"

#include "model/result.h"
#include "scenarios/memory.h"
#include "scenarios/userdata.h"

#include <lauxlib.h>

#include <math.h>

static const scenario_range loss_range = {0, 0.999, false, false, NULL};
static const scenario_range window_range = {1, 65536, false, true, NULL};
static const scenario_range timeout_range = {0, 1e12, true, false, NULL};

/* The name at the top of the stack. */
static scenario_reliability named(lua_State *L, const char *what)
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

static void check(lua_State *L, const char *what, const scenario_reliability *r)
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

scenario_reliability scenario_reliability_read(scenario_table table)
{
    lua_State *L = table.L;
    scenario_reliability r = {.network = {.acknowledge_us = CLUMP_LOSSY_ACKNOWLEDGE_US}};
    if (scenario_get(table, "protocol") != LUA_TNIL)
        r = named(L, table.what);
    lua_pop(L, 1);
    r.network.loss = scenario_number(table, "loss", &loss_range, 0);
    r.network.window = scenario_number(table, "window", &window_range, 0);
    r.network.timeout_us = scenario_number(table, "timeout", &timeout_range, 0);
    r.network.acknowledge_us =
        scenario_number(table, "acknowledge", &scenario_not_negative, r.network.acknowledge_us);
    check(L, table.what, &r);
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
            protocols[i] = named(L, table.what);
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

/* Steps for what a loss costs: a chain over the states of a window, if packets have timers. */
void scenario_reliability_charge(lua_State *L, const clump_lossy_network *n)
{
    const double w = fmax(n->window, n->protocol.window);
    if (n->loss > 0)
        scenario_charge(L, n->protocol.recovery == CLUMP_RECOVERY_SELECTIVE ? 20000 + 50 * w * w
                                                                            : 2000 + w);
}

static void explain(lua_State *L, scenario_platform *platform)
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
    scenario_reliability_charge(L, &r->network);
    const clump_status status =
        clump_lossy_network_loggp(&r->network, &n->clean, &n->lossy, &error);
    if (status == CLUMP_NO_MEMORY)
        scenario_fail_memory(L);
    if (status != CLUMP_OK)
        scenario_fail(L, "platform \"%s\": network: %s",
                      platform->name != NULL ? platform->name : "(without a name)", error.message);
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
        check(L, "scenario", r);
    explain(L, platform);
}
