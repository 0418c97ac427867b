/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "scenarios/uneven.h"

#include <math.h>

/* ---- as the script says it */

static bool read_table(scenario_table outer, const char *key, clump_spread *s, size_t *processors)
{
    lua_State *L = outer.L;
    const char *what = lua_pushfstring(L, "%s: %s", outer.what, key);
    const scenario_table table =
        scenario_table_check(L, -2, what, "mean least greatest std_dev processors");
    s->mean = scenario_number_needed(table, "mean", &scenario_not_negative);
    s->least = scenario_number(table, "least", &scenario_not_negative, NAN);
    s->greatest = scenario_number(table, "greatest", &scenario_not_negative, NAN);
    s->deviation = scenario_number(table, "std_dev", &scenario_not_negative, NAN);
    const double of = scenario_number(table, "processors", &scenario_processor_count, 0);
    if (isnan(s->deviation) && (isnan(s->least) || isnan(s->greatest)))
        scenario_fail(L, "%s: expected least and greatest beside mean, or std_dev", what);
    if (s->least > s->mean || s->greatest < s->mean)
        scenario_fail(L, "%s: the mean is %f, expected one between least and greatest", what,
                      s->mean);
    if (of > 0)
        *processors = (size_t)of;
    lua_pop(L, 1);
    return true;
}

bool scenario_spread_field(scenario_table table, const char *key, scenario_spread *s,
                           size_t *processors)
{
    lua_State *L = table.L;
    bool uneven = false;
    *s = (scenario_spread){.of = {.least = NAN, .greatest = NAN}};
    const int top = lua_gettop(L);
    if (scenario_get(table, key) == LUA_TTABLE) {
        lua_pushliteral(L, "mean");
        if (lua_rawget(L, -2) != LUA_TNIL) {
            lua_pop(L, 1);
            uneven = read_table(table, key, &s->of, processors);
        } else {
            const scenario_numbers list = scenario_number_list(table, key, &scenario_not_negative);
            s->list = list.values;
            s->list_count = list.count;
            for (size_t i = 0; i < list.count; i++)
                s->of.mean += list.values[i] / (double)list.count;
            uneven = true;
        }
    } else {
        s->of.mean = scenario_number(table, key, &scenario_not_negative, 0);
    }
    lua_settop(L, top);
    return uneven;
}

/* ---- of a processor */

static const scenario_spread *number_of(const scenario_uneven *u, size_t i)
{
    return i < 3 ? &u->remote[i] : &u->local[i - 3];
}

clump_status scenario_uneven_check(const scenario_uneven *u, size_t processors, size_t nodes,
                                   clump_error *error)
{
    const size_t all = processors * nodes;
    for (size_t i = 0; i < 6; i++) {
        const scenario_spread *s = number_of(u, i);
        if (s->list != NULL && s->list_count != processors && s->list_count != all)
            return clump_fail(error, CLUMP_BAD_ARGUMENT,
                              "traffic: a list has %zu numbers, expected one for each of the %zu "
                              "processors of a node, or of the %zu of all nodes",
                              s->list_count, processors, all);
    }
    return CLUMP_OK;
}

bool scenario_uneven_is_drawn(const scenario_uneven *u)
{
    for (size_t i = 0; i < 6; i++) {
        const scenario_spread *s = number_of(u, i);
        if (s->list == NULL && !(s->of.deviation <= 0))
            return true;
    }
    return false;
}

bool scenario_uneven_is_of_nodes(const scenario_uneven *u, size_t processors)
{
    for (size_t i = 0; i < 6; i++)
        if (number_of(u, i)->list_count > processors)
            return true;
    return false;
}

void scenario_uneven_fit(scenario_uneven *u, size_t all)
{
    for (size_t i = 0; i < 6; i++) {
        clump_spread *s = i < 3 ? &u->remote[i].of : &u->local[i - 3].of;
        s->processors = u->processors > 0 ? u->processors : all;
        clump_spread_fit(s);
    }
}

void scenario_uneven_of(const scenario_uneven *u, size_t processors, size_t node, size_t processor,
                        double z, clump_traffic *remote, clump_traffic *local)
{
    double found[6];
    for (size_t i = 0; i < 6; i++) {
        const scenario_spread *s = number_of(u, i);
        const size_t at = (s->list_count > processors ? node * processors : 0) + processor;
        found[i] = s->list != NULL ? s->list[at] : clump_spread_value(&s->of, z);
    }
    *remote = (clump_traffic){found[0], found[1], found[1] > 0 ? found[2] : 0};
    *local = (clump_traffic){found[3], found[4], found[4] > 0 ? found[5] : 0};
}
