/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "scenarios/uneven.h"

#include "model/node.h"
#include "model/slowest.h"
#include "model/workload/traffic.h"

#include <math.h>

/* ---- as the script says it */

static bool read_table(scenario_table outer, const char *key, scenario_spread *s,
                       size_t *processors)
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

/* Through the groups of one size in a node. */
typedef struct group_walk {
    const scenario_group *of;
    model_groups groups;
    size_t next, done; /* of the node's NICs; of `groups` */
} group_walk;

/* The first processor of the next group; false: there is none left. */
static bool next_group(group_walk *w, size_t *first)
{
    const scenario_group *of = w->of;
    if (of->size == 0) {
        *first = w->done;
        return w->done++ < of->node->processors;
    }
    while (w->done >= w->groups.count || w->groups.processors != of->size) {
        if (!model_node_next_groups(of->node, &w->next, &w->groups))
            return false;
        w->done = 0;
    }
    *first = w->groups.first + w->done++ * of->size;
    return true;
}

static double count_groups(const scenario_group *group)
{
    group_walk walk = {.of = group};
    double count = 0;
    if (group->size == 0)
        return (double)group->node->processors;
    while (model_node_next_groups(group->node, &walk.next, &walk.groups))
        count += walk.groups.processors == group->size ? (double)walk.groups.count : 0;
    return count;
}

static clump_status check_list(const scenario_spread *s, const scenario_group *group,
                               clump_error *error)
{
    const size_t P = group->node->processors, all = P * group->nodes;
    if (s->list == NULL || s->list_count == P || s->list_count == all)
        return CLUMP_OK;
    return clump_fail(
        error, CLUMP_BAD_ARGUMENT,
        "traffic: a list has %zu numbers, expected one for each of the %zu processors "
        "of a node, or of the %zu of all nodes",
        s->list_count, P, all);
}

/* Mean of `count` processors from `first` on in a node of so many. */
static double mean_of(const scenario_spread *s, size_t processors, size_t node, size_t first,
                      size_t count)
{
    if (s->list == NULL)
        return s->mean;
    const size_t at = (s->list_count > processors ? node * processors : 0) + first;
    double sum = 0;
    for (size_t p = at; p < at + count; p++)
        sum += s->list[p];
    return sum / (double)count;
}

static clump_traffic traffic_of(const scenario_spread s[3], size_t processors, size_t node,
                                size_t first, size_t count)
{
    return (clump_traffic){mean_of(&s[0], processors, node, first, count),
                           mean_of(&s[1], processors, node, first, count),
                           mean_of(&s[2], processors, node, first, count)};
}

static double time_of(const clump_traffic *traffic, const clump_loggp *network, double waited_share)
{
    const clump_communication_time t = clump_traffic_time(traffic, network, waited_share);
    return t.occupancy_us + t.waiting_us;
}

/* By how much the group that has most exceeds the mean, where no list says. */
static double expected_excess(const scenario_uneven *u, const scenario_spread *s,
                              const scenario_group *group)
{
    const size_t all = group->node->processors * group->nodes;
    const size_t size = group->size > 0 ? group->size : 1;
    const size_t of = u->processors > 0 ? u->processors : all;
    const size_t groups = (size_t)count_groups(group) * group->nodes;
    if (s->list != NULL || groups <= 1)
        return 0;
    const clump_uneven range = {s->mean, s->least, s->greatest, of};
    const double d = isnan(s->deviation) ? clump_uneven_deviation(&range) : s->deviation;
    const double more = clump_slowest_normal(groups) * d / sqrt((double)size);
    return isnan(s->greatest) ? more : fmin(more, s->greatest - s->mean);
}

static const scenario_spread *number_of(const scenario_uneven *u, size_t i)
{
    return i < 3 ? &u->remote[i] : &u->local[i - 3];
}

bool scenario_uneven_is_listed(const scenario_uneven *u)
{
    for (size_t i = 0; i < 6; i++) {
        const scenario_spread *s = number_of(u, i);
        if (s->list == NULL && !(s->deviation <= 0))
            return false;
    }
    return true;
}

size_t scenario_uneven_nodes(const scenario_uneven *u, const scenario_group *group)
{
    size_t longest = 0;
    for (size_t i = 0; i < 6; i++)
        longest = number_of(u, i)->list_count > longest ? number_of(u, i)->list_count : longest;
    return longest > group->node->processors ? group->nodes : 1;
}

void scenario_uneven_of(const scenario_uneven *u, size_t processors, size_t node, size_t processor,
                        clump_traffic *remote, clump_traffic *local)
{
    *remote = traffic_of(u->remote, processors, node, processor, 1);
    *local = traffic_of(u->local, processors, node, processor, 1);
}

clump_status scenario_uneven_slowest(const scenario_uneven *u, const clump_loggp *network,
                                     double waited_share, const scenario_group *group,
                                     clump_traffic *remote, clump_traffic *local,
                                     clump_error *error)
{
    const size_t P = group->node->processors, size = group->size > 0 ? group->size : 1;
    for (size_t i = 0; i < 6; i++) {
        const clump_status status = check_list(number_of(u, i), group, error);
        if (status != CLUMP_OK)
            return status;
    }
    double most = -1;
    bool listed = false;
    for (size_t i = 0; i < 6; i++)
        listed = listed || number_of(u, i)->list != NULL;
    for (size_t node = 0; node < scenario_uneven_nodes(u, group); node++) {
        group_walk walk = {.of = group};
        for (size_t first; (listed || most < 0) && next_group(&walk, &first);) {
            const clump_traffic away = traffic_of(u->remote, P, node, first, size),
                                here = traffic_of(u->local, P, node, first, size);
            const double time =
                time_of(&away, network, waited_share) + time_of(&here, network, waited_share);
            if (!(time > most))
                continue;
            most = time;
            *remote = away;
            *local = here;
        }
    }
    double *const counts[] = {&remote->short_messages, &remote->bulk_messages, &remote->bulk_bytes,
                              &local->short_messages,  &local->bulk_messages,  &local->bulk_bytes};
    for (size_t i = 0; i < 6; i++)
        *counts[i] += expected_excess(u, number_of(u, i), group);
    return CLUMP_OK;
}
