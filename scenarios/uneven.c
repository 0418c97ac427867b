/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "scenarios/uneven.h"

#include "model/slowest.h"
#include "model/workload/traffic.h"

#include <math.h>

/* ---- as the script says it */

static bool read_table(scenario_table outer, const char *key, scenario_spread *s,
                       size_t *processors)
{
    static const char *const keys[] = {"mean", "least", "greatest", "std_dev", "processors", NULL};
    lua_State *L = outer.L;
    const char *what = lua_pushfstring(L, "%s: %s", outer.what, key);
    const scenario_table table = scenario_table_check(L, -2, what, keys);
    scenario_get(table, "mean");
    s->mean = scenario_number_at(L, what, "mean", &scenario_not_negative);
    lua_pop(L, 1);
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
    *s = (scenario_spread){.deviation = 0, .least = NAN, .greatest = NAN};
    const int top = lua_gettop(L);
    if (scenario_get(table, key) == LUA_TTABLE) {
        lua_pushliteral(L, "mean");
        if (lua_rawget(L, -2) != LUA_TNIL) {
            lua_pop(L, 1);
            uneven = read_table(table, key, s, processors);
        } else {
            const scenario_numbers list = scenario_number_list(table, key, &scenario_not_negative);
            s->list = list.values;
            s->list_count = list.count;
            for (size_t i = 0; i < list.count; i++)
                s->mean += list.values[i] / (double)list.count;
            uneven = true;
        }
    } else {
        s->mean = scenario_number(table, key, &scenario_not_negative, 0);
    }
    lua_settop(L, top);
    return uneven;
}

/* ---- groups */

/* Beginning of group `g`, as even as possible, larger ones first. */
static size_t first_of(size_t processors, size_t groups, size_t g)
{
    const size_t size = processors / groups, larger = processors % groups;
    return g * size + (g < larger ? g : larger);
}

static clump_status check_list(const scenario_spread *s, const scenario_group *group,
                               clump_error *error)
{
    const size_t all = group->processors * group->nodes;
    if (s->list == NULL || s->list_count == group->processors || s->list_count == all)
        return CLUMP_OK;
    return clump_fail(
        error, CLUMP_BAD_ARGUMENT,
        "traffic: a list has %zu numbers, expected one for each of the %zu processors "
        "of a node, or of the %zu of all nodes",
        s->list_count, group->processors, all);
}

/* Group `g` of the node `node`. */
static double of_group(const scenario_spread *s, const scenario_group *group, size_t node, size_t g,
                       size_t groups)
{
    if (s->list == NULL)
        return s->mean;
    const size_t at = s->list_count > group->processors ? node * group->processors : 0;
    const size_t first = first_of(group->processors, groups, g),
                 end = first_of(group->processors, groups, g + 1);
    double sum = 0;
    for (size_t p = first; p < end; p++)
        sum += s->list[at + p];
    return end > first ? sum / (double)(end - first) : 0;
}

static clump_traffic traffic_of(const scenario_spread s[3], const scenario_group *group,
                                size_t node, size_t g, size_t groups)
{
    return (clump_traffic){of_group(&s[0], group, node, g, groups),
                           of_group(&s[1], group, node, g, groups),
                           of_group(&s[2], group, node, g, groups)};
}

static double time_of(const clump_traffic *traffic, const clump_loggp *network, double waited_share)
{
    const clump_communication_time t = clump_traffic_time(traffic, network, waited_share);
    return t.occupancy_us + t.waiting_us;
}

/* By how much the group that has most exceeds the mean, where no list says. */
static double excess(const scenario_uneven *u, const scenario_spread *s,
                     const scenario_group *group)
{
    const size_t all = group->processors * group->nodes, size = group->size;
    const size_t of = u->processors > 0 ? u->processors : all;
    const size_t groups = all / (size < all ? size : all);
    if (s->list != NULL || groups <= 1)
        return 0;
    const clump_uneven range = {s->mean, s->least, s->greatest, of};
    const double d = isnan(s->deviation) ? clump_uneven_deviation(&range) : s->deviation;
    const double more = clump_slowest_normal(groups) * d / sqrt((double)size);
    return isnan(s->greatest) ? more : fmin(more, s->greatest - s->mean);
}

clump_status scenario_uneven_slowest(const scenario_uneven *u, const clump_loggp *network,
                                     double waited_share, const scenario_group *group,
                                     clump_traffic *remote, clump_traffic *local,
                                     clump_error *error)
{
    const scenario_spread *const sides[] = {u->remote, u->local};
    size_t lists = 0, longest = 0;
    for (size_t i = 0; i < 6; i++) {
        const scenario_spread *s = &sides[i / 3][i % 3];
        const clump_status status = check_list(s, group, error);
        if (status != CLUMP_OK)
            return status;
        lists += s->list != NULL;
        longest = s->list_count > longest ? s->list_count : longest;
    }
    const size_t nodes = longest > group->processors ? group->nodes : 1;
    const size_t size = group->size < group->processors ? group->size : group->processors;
    const size_t groups = lists > 0 ? (group->processors + size - 1) / size : 1;
    double most = -1;
    for (size_t i = 0; i < nodes * groups; i++) {
        const clump_traffic away = traffic_of(u->remote, group, i / groups, i % groups, groups),
                            here = traffic_of(u->local, group, i / groups, i % groups, groups);
        const double time =
            time_of(&away, network, waited_share) + time_of(&here, network, waited_share);
        if (!(time > most))
            continue;
        most = time;
        *remote = away;
        *local = here;
    }
    double *const counts[] = {&remote->short_messages, &remote->bulk_messages, &remote->bulk_bytes,
                              &local->short_messages,  &local->bulk_messages,  &local->bulk_bytes};
    for (size_t i = 0; i < 6; i++)
        *counts[i] += excess(u, &sides[i / 3][i % 3], group);
    return CLUMP_OK;
}
