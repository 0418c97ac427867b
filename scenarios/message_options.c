/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 *   messages = { ... }     of a scenario, for simulate --messages
 *       pattern            "uniform" (if absent): as much leaves the node as the application says;
 *                          "all-to-all", "neighbours", "many-to-one", or "matrix" with
 *       matrix             weights: a list of a list for each rank
 *       answers            true (if absent): half of the short messages answer the others, as in
 *                          request and reply; false: nothing is answered
 *       window             messages of a processor not yet handled; no limit if absent
 *       send_queue         messages that wait at a NIC before senders wait; 16 if absent
 *       receive_queue      messages that wait for a processor before its NIC waits; no limit if
 *                          absent
 *       duplex             "full" (if absent) or "half"
 *       barriers           in the whole run; 1 if absent, at its end
 *       burst              messages that follow each other after a computation; 1 if absent
 *       in_a_row           messages to a processor before the next one's turn; all-to-all and
 *                          neighbours; 1 if absent
 *       poll_interval      microseconds between polls in a computation; no polls if absent
 *       polling            adaptive polling (chapter 4): { local_cost =, network_cost =,
 *                          strategy_cost =, acceptance =, accuracy =, damping =, equality =,
 *                          minimum_skip =, maximum_skip = }, costs in microseconds, the others as
 *                          in table 4.1 if absent; if it is absent every poll finds everything
 *       imbalance          work of each processor of a node relative to the others, a list
 *       most               messages of a processor that are simulated; 500 if absent
 */
#include "scenarios/point.h"

#include <lauxlib.h>

#include <string.h>

static const char keys[] =
    "pattern matrix answers window send_queue receive_queue duplex barriers burst "
    "poll_interval most in_a_row polling imbalance";

static const scenario_range queue_range = {1, 4096, false, true, NULL};
static const scenario_range window_range = {1, 1e9, false, true, NULL};
static const scenario_range barrier_range = {1, 1e12, false, true, NULL};
static const scenario_range most_range = {1, 1e9, false, true, NULL};

static void read_matrix(scenario_table table, scenario_message_options *o)
{
    lua_State *L = table.L;
    if (scenario_get(table, "matrix") != LUA_TTABLE)
        scenario_fail(L, "messages: matrix is %s, expected a list of lists of weights",
                      scenario_describe(L, -1));
    const size_t ranks = lua_rawlen(L, -1);
    const int index = lua_gettop(L);
    if (ranks < 2 || ranks > 16384)
        scenario_fail(L, "messages: matrix has %d rows, expected one for each of 2 to 16384 ranks",
                      (int)ranks);
    double *matrix = scenario_allocate(L, ranks * ranks, sizeof *matrix);
    for (size_t i = 0; i < ranks; i++) {
        if (lua_rawgeti(L, index, (lua_Integer)i + 1) != LUA_TTABLE || lua_rawlen(L, -1) != ranks)
            scenario_fail(L, "messages: row %d of matrix is %s, expected a list of %d weights",
                          (int)i + 1, scenario_describe(L, -1), (int)ranks);
        for (size_t j = 0; j < ranks; j++) {
            lua_rawgeti(L, -1, (lua_Integer)j + 1);
            matrix[i * ranks + j] =
                scenario_number_at(L, "messages", "a weight of matrix", &scenario_not_negative);
            lua_pop(L, 1);
        }
        lua_pop(L, 1);
    }
    lua_pop(L, 1);
    o->matrix = matrix;
    o->matrix_ranks = ranks;
}

static bool read_answers(scenario_table table)
{
    const int type = scenario_get(table, "answers");
    const bool answered = type == LUA_TNIL || lua_toboolean(table.L, -1);
    if (type != LUA_TNIL && type != LUA_TBOOLEAN)
        scenario_fail(table.L, "messages: answers is %s, expected true or false",
                      scenario_describe(table.L, -1));
    lua_pop(table.L, 1);
    return answered;
}

static clump_message_polling read_polling(scenario_table outer)
{
    static const char names[] =
        "local_cost network_cost strategy_cost acceptance accuracy damping equality "
        "minimum_skip maximum_skip";
    static const char *const counts[] = {"acceptance", "accuracy",     "damping",
                                         "equality",   "minimum_skip", "maximum_skip"};
    static const char what[] = "messages: polling";
    static const scenario_range whole = {1, 1 << 20, false, true, NULL};
    clump_message_polling p = CLUMP_MESSAGE_POLLING_DEFAULTS;
    lua_State *L = outer.L;
    if (scenario_get(outer, "polling") == LUA_TNIL) {
        lua_pop(L, 1);
        return (clump_message_polling){.acceptance = 0};
    }
    const scenario_table table = scenario_table_check(L, lua_gettop(L), what, names);
    if (!scenario_has(table, "local_cost") || !scenario_has(table, "network_cost"))
        scenario_fail(L,
                      "%s: expected local_cost and network_cost, the microseconds of a poll that "
                      "finds nothing",
                      what);
    p.costs = (clump_poll_costs){
        .local_us = scenario_number(table, "local_cost", &scenario_not_negative, 0),
        .network_us = scenario_number(table, "network_cost", &scenario_not_negative, 0),
        .strategy_us = scenario_number(table, "strategy_cost", &scenario_not_negative, 0),
    };
    uint32_t *const values[] = {&p.acceptance, &p.accuracy,     &p.damping,
                                &p.equality,   &p.minimum_skip, &p.maximum_skip};
    for (size_t i = 0; i < 6; i++)
        *values[i] = (uint32_t)scenario_number(table, counts[i], &whole, *values[i]);
    clump_error error;
    if (clump_message_polling_check(&p, what, &error) != CLUMP_OK)
        scenario_fail(L, "%s", error.message);
    lua_pop(L, 1);
    return p;
}

scenario_message_options scenario_message_options_read(scenario_table outer)
{
    static const char patterns[] = "uniform all-to-all neighbours many-to-one matrix";
    scenario_message_options o = {
        .answered = true, .send_queue = 16, .barriers = 1, .burst = 1, .in_a_row = 1, .most = 500};
    lua_State *L = outer.L;
    if (scenario_get(outer, "messages") == LUA_TNIL) {
        lua_pop(L, 1);
        return o;
    }
    const scenario_table table = scenario_table_check(L, lua_gettop(L), "messages", keys);
    o.pattern = (clump_pattern)scenario_choice(table, "pattern", patterns, 0);
    if (o.pattern == CLUMP_PATTERN_MATRIX)
        read_matrix(table, &o);
    else if (scenario_has(table, "matrix"))
        scenario_fail(L, "messages: found matrix, expected pattern = \"matrix\" with it");
    o.answered = read_answers(table);
    o.window = (size_t)scenario_number(table, "window", &window_range, 0);
    o.send_queue = (size_t)scenario_number(table, "send_queue", &queue_range, 16);
    o.receive_queue = (size_t)scenario_number(table, "receive_queue", &queue_range, 0);
    o.half_duplex = scenario_choice(table, "duplex", "full half", 0) == 1;
    o.barriers = scenario_number(table, "barriers", &barrier_range, 1);
    o.burst = scenario_number(table, "burst", &barrier_range, 1);
    o.poll_interval = scenario_number(table, "poll_interval", &scenario_positive, 0);
    o.in_a_row = scenario_number(table, "in_a_row", &barrier_range, 1);
    o.polling = read_polling(table);
    o.imbalance = scenario_number_list(table, "imbalance", &scenario_not_negative);
    o.most = scenario_number(table, "most", &most_range, 500);
    lua_pop(L, 1);
    return o;
}
