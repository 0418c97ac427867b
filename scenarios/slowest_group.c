/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "scenarios/slowest_group.h"

#include "model/node.h"
#include "model/tight_coupling.h"
#include "scenarios/uneven.h"

#include <math.h>
#include <stdlib.h>

bool scenario_synchronizes(const scenario_point *point, const scenario_setup *setup)
{
    const scenario_application *a = point->profile->application;
    const clump_load *load = &setup->load;
    return (a != NULL && a->synchronized) || load->demand == CLUMP_DEMAND_CORRELATED ||
           (load->demand == CLUMP_DEMAND_GANG && load->gang_size >= (double)setup->node.processors);
}

bool scenario_has_slowest(const scenario_point *point, const scenario_setup *setup)
{
    const scenario_profile *p = point->profile;
    return p->application != NULL && p->application->uneven != NULL && p->has_traffic &&
           isnan(point->values[SCENARIO_UTILIZATION]) && scenario_synchronizes(point, setup);
}

bool scenario_has_busiest(const scenario_point *point, const scenario_setup *setup)
{
    const double *values = point->values;
    return point->profile->uneven.processors > 0 && setup->node.mapping == CLUMP_MAPPING_STATIC &&
           isnan(values[SCENARIO_UTILIZATION]) && isnan(values[SCENARIO_REMOTE_FRACTION]) &&
           setup->utilizations.count == 1 && scenario_synchronizes(point, setup);
}

void scenario_wait_for_busiest(const scenario_point *point, const scenario_setup *setup,
                               clump_prediction *prediction)
{
    const scenario_profile *p = point->profile;
    if (!scenario_has_busiest(point, setup))
        return;
    prediction->slowest +=
        clump_uneven_wait(&setup->load.coupling, setup->utilization, prediction->slowdown,
                          clump_uneven_excess(&p->uneven, scenario_largest_group(&setup->node)),
                          p->platform->network.loggp.gap_us / 1e6) /
        setup->now_time;
    prediction->slowest_bounds = (clump_bounds){0, 0}; /* what is waited for has none */
}

/* On a node with one processor all traffic is remote. */
static bool is_merged(const scenario_profile *p)
{
    return p->platform->processors == 1 && p->local.short_messages == 0 &&
           p->local.bulk_messages == 0;
}

static void put_traffic(scenario_profile *p, clump_traffic remote, clump_traffic local)
{
    if (is_merged(p)) {
        remote.short_messages += local.short_messages;
        remote.bulk_messages += local.bulk_messages;
        remote.bulk_bytes += local.bulk_bytes;
        local = (clump_traffic){0, 0, 0};
    }
    p->remote = remote;
    p->local = local;
}

/* Of groups of so many; 0: of single processors. */
static clump_status use_group(const scenario_setup *setup, size_t size, scenario_profile *p,
                              clump_error *error)
{
    const scenario_group group = {&setup->node, p->platform->nodes, size};
    clump_traffic remote = p->remote, local = p->local;
    const clump_status status =
        scenario_uneven_slowest(p->application->uneven, &p->platform->network.loggp,
                                p->waited_share, &group, &remote, &local, error);
    if (status == CLUMP_OK)
        put_traffic(p, remote, local);
    return status;
}

static bool has_equal_groups(const clump_node *node)
{
    model_groups g = {.first = 0};
    size_t size = 0;
    for (size_t next = 0; model_node_next_groups(node, &next, &g);) {
        if (g.processors > 0 && size > 0 && g.processors != size)
            return false;
        size = g.processors > 0 ? g.processors : size;
    }
    return true;
}

clump_status scenario_slowest_traffic(const scenario_setup *setup, scenario_profile *p,
                                      clump_error *error)
{
    if (scenario_uneven_is_listed(p->application->uneven) && !has_equal_groups(&setup->node))
        return clump_fail(error, CLUMP_BAD_ARGUMENT,
                          "compare_with: processors whose traffic differs are compared where as "
                          "many share each NIC, found %zu processors on %zu NICs",
                          setup->node.processors, setup->node.nics);
    return use_group(setup, scenario_largest_group(&setup->node), p, error);
}

clump_status scenario_slowest_alone(const scenario_setup *setup, scenario_profile *p,
                                    clump_error *error)
{
    return use_group(setup, 0, p, error);
}

/* ---- the slowest */

/* What all groups have in common. */
typedef struct slowest {
    const scenario_point *point;
    const scenario_setup *setup;
    double now_time;    /* of the slowest processor on the NOW */
    double rest;        /* what is not communication, s */
    double computation; /* of it; NAN: all */
    double slowdown;    /* so far */
    size_t group;       /* processors of the slowest group so far */
} slowest;

/* The setup of a processor that has this traffic. `profile` and `setup` stay where they are. */
static clump_status set_up_processor(const slowest *s, scenario_profile *profile,
                                     scenario_setup *setup, double *utilization, clump_error *error)
{
    double communication;
    scenario_point point = *s->point;
    clump_status status = scenario_profile_communication(profile, &communication, error);
    if (status == CLUMP_OK)
        status = isnan(s->computation)
                     ? scenario_profile_time(profile, NAN, s->rest, utilization, error)
                     : scenario_profile_time(profile, s->rest + communication, s->computation,
                                             utilization, error);
    point.profile = profile;
    if (status == CLUMP_OK)
        status = scenario_setup_make(&point, setup, error);
    setup->node.watch = s->setup->node.watch;
    return status;
}

static void keep_slowest(slowest *s, double slowdown, size_t group)
{
    if (slowdown > s->slowdown) {
        s->slowdown = slowdown;
        s->group = group;
    }
}

/* The most of the processors whose groups have that size. */
static double most_in_groups(const clump_node *node, const double *slowdowns, size_t size)
{
    model_groups g = {.first = 0};
    double most = 0;
    for (size_t next = 0; model_node_next_groups(node, &next, &g);)
        for (size_t i = g.first; g.processors == size && i < g.first + g.count * size; i++)
            most = fmax(most, slowdowns[i]);
    return most;
}

/* All groups of the node with the traffic of the slowest one of that size. */
static clump_status try_groups(slowest *s, size_t size, bool all_equal, clump_error *error)
{
    scenario_profile profile = *s->point->profile;
    scenario_point point = *s->point;
    scenario_setup setup;
    clump_prediction predicted;
    double U;
    clump_status status = use_group(s->setup, size, &profile, error);
    if (status == CLUMP_OK)
        status = set_up_processor(s, &profile, &setup, &U, error);
    point.profile = &profile;
    if (status == CLUMP_OK)
        status = scenario_setup_predict(&setup, &point, &predicted, NULL, error);
    if (status != CLUMP_OK)
        return status;
    double slowdown = predicted.slowest;
    if (!all_equal) {
        double *slowdowns = malloc(setup.node.processors * sizeof *slowdowns);
        const clump_prediction_details details = {slowdowns, NULL};
        if (slowdowns == NULL)
            return clump_fail_memory(error, "the groups of a node");
        status = clump_predict(&setup.node, &setup.load, &predicted, &details, error);
        if (status == CLUMP_OK)
            slowdown = most_in_groups(&setup.node, slowdowns, size);
        free(slowdowns);
    }
    if (status == CLUMP_OK)
        keep_slowest(s, slowdown * setup.now_time / s->now_time, size);
    return status;
}

static clump_status try_all_groups(slowest *s, clump_error *error)
{
    const clump_node *node = &s->setup->node;
    const size_t largest = scenario_largest_group(node);
    if (has_equal_groups(node))
        return try_groups(s, largest, true, error);
    bool *there = calloc(largest + 1, sizeof *there);
    if (there == NULL)
        return clump_fail_memory(error, "the groups of a node");
    model_groups g = {.first = 0};
    for (size_t next = 0; model_node_next_groups(node, &next, &g);)
        there[g.processors] = true;
    clump_status status = CLUMP_OK;
    for (size_t size = largest; size > 0 && status == CLUMP_OK; size--)
        if (there[size])
            status = try_groups(s, size, false, error);
    free(there);
    return status;
}

static size_t group_of(const clump_node *node, size_t processor)
{
    model_groups g = {.first = 0};
    for (size_t next = 0; model_node_next_groups(node, &next, &g);)
        if (processor < g.first + g.count * g.processors)
            return g.processors;
    return node->processors;
}

/* Processors, of some microseconds each, between two questions whether to go on. */
enum { LOOK_EVERY = 256 };

/* Processors that start to communicate together, each with what it needs (MODEL.md 5). */
static clump_status try_node(slowest *s, size_t node, clump_need *needs, clump_error *error)
{
    const scenario_uneven *u = s->point->profile->application->uneven;
    const size_t P = s->setup->node.processors;
    double waiting = 0, without = 0;
    scenario_setup setup = {.now_time = NAN};
    for (size_t i = 0; i < P; i++) {
        scenario_profile profile = *s->point->profile;
        clump_traffic remote, local;
        double U;
        if (i % LOOK_EVERY == 0 && clump_watch_ask(s->setup->node.watch, NAN, error) != CLUMP_OK)
            return CLUMP_STOPPED;
        scenario_uneven_of(u, P, node, i, &remote, &local);
        put_traffic(&profile, remote, local);
        double communication = 0;
        clump_status status = scenario_profile_communication(&profile, &communication, error);
        if (status == CLUMP_OK && s->rest + communication <= 0) {
            needs[i] = (clump_need){1e-12, 0, 1}; /* it has nothing to do */
            continue;
        }
        if (status == CLUMP_OK)
            status = set_up_processor(s, &profile, &setup, &U, error);
        if (status == CLUMP_OK)
            status = clump_coupling_needs(&setup.load.coupling, setup.utilization,
                                          &needs[i].computation, &needs[i].communication, error);
        if (status != CLUMP_OK)
            return status;
        const double unit = setup.now_time / s->now_time;
        const clump_coupling *c = &setup.load.coupling;
        needs[i].computation *= unit;
        needs[i].communication *= unit;
        needs[i].processors = 1;
        waiting += c->waiting_fraction * c->remote_fraction * setup.utilization * unit;
        without += needs[i].computation;
    }
    /* C = 1-U + hU, of which hU waits: with h = 1 the share U (clump_predict_needs). */
    const double share = without > 0 ? fmin(waiting / without, 1) : 0;
    const clump_load load = {.utilizations = &share,
                             .utilization_count = 1,
                             .demand = CLUMP_DEMAND_CORRELATED,
                             .gang_size = 1,
                             .coupling = {1, 1, 1, 1}};
    clump_prediction predicted;
    const clump_status status =
        clump_predict_needs(&s->setup->node, &load, needs, P, &predicted, NULL, error);
    if (status == CLUMP_OK)
        keep_slowest(s, predicted.slowest, group_of(&s->setup->node, predicted.slowest_processor));
    return status;
}

static clump_status try_nodes(slowest *s, clump_error *error)
{
    const scenario_group group = {&s->setup->node, s->point->profile->platform->nodes, 0};
    const size_t P = s->setup->node.processors,
                 nodes = scenario_uneven_nodes(s->point->profile->application->uneven, &group);
    clump_need *needs = malloc(P * sizeof *needs);
    if (needs == NULL)
        return clump_fail_memory(error, "the processors of a node");
    clump_status status = CLUMP_OK;
    for (size_t node = 0; node < nodes && status == CLUMP_OK; node++)
        status = try_node(s, node, needs, error);
    free(needs);
    return status;
}

clump_status scenario_slowest(const scenario_point *point, scenario_setup *setup,
                              clump_prediction *prediction, clump_error *error)
{
    const scenario_application *a = point->profile->application;
    scenario_profile alone = *point->profile;
    double U, own;
    /* On the NOW each processor has a NIC, and the slowest one decides. */
    const double given = isnan(a->now_time) ? NAN : alone.clean_time;
    clump_status status = scenario_slowest_alone(setup, &alone, error);
    if (status == CLUMP_OK)
        status = scenario_profile_time(&alone, given, alone.computation, &U, error);
    if (status == CLUMP_OK)
        status = scenario_profile_communication(&alone, &own, error);
    if (status != CLUMP_OK)
        return status;
    const double rest = isnan(given) ? alone.computation : fmax(given - own, 0);
    const bool waits = !isnan(alone.computation) && alone.computation < rest;
    slowest s = {.point = point,
                 .setup = setup,
                 .now_time = alone.now_time,
                 .rest = rest,
                 .computation = waits ? alone.computation : NAN};
    status = setup->load.demand == CLUMP_DEMAND_CORRELATED && scenario_uneven_is_listed(a->uneven)
                 ? try_nodes(&s, error)
                 : try_all_groups(&s, error);
    if (status != CLUMP_OK)
        return status;
    setup->now_time = alone.now_time;
    setup->slowest_group = s.group;
    prediction->slowest = s.slowdown;
    prediction->slowest_bounds = (clump_bounds){0, 0};
    return CLUMP_OK;
}
