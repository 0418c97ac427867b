/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "scenarios/setup.h"

#include "scenarios/kind.h"

#include <math.h>

static double or_else(double value, double otherwise)
{
    return isnan(value) ? otherwise : value;
}

size_t scenario_largest_group(const clump_node *node)
{
    size_t most = 0;
    if (node->mapping != CLUMP_MAPPING_STATIC || node->nics == 0)
        return node->processors;
    if (node->group_sizes == NULL)
        return node->processors / node->nics + (node->processors % node->nics != 0);
    for (size_t i = 0; i < node->nics; i++)
        most = node->group_sizes[i] > most ? node->group_sizes[i] : most;
    return most;
}

static clump_status set_node(const scenario_point *point, scenario_setup *s, clump_error *error)
{
    const scenario_plan *plan = point->plan;
    const scenario_platform *platform = point->profile->platform;
    const double *values = point->values;
    clump_node *node = &s->node;
    const double no_mapping =
        platform != NULL && platform->has_mapping ? platform->mapping : CLUMP_MAPPING_POOLED;
    node->processors = (size_t)or_else(values[SCENARIO_PROCESSORS],
                                       platform != NULL ? (double)platform->processors : 1);
    s->nics = (size_t)or_else(values[SCENARIO_NICS], platform != NULL ? (double)platform->nics : 1);
    node->nics = s->nics > 0 ? s->nics : 1;
    node->mapping = (clump_mapping)or_else(values[SCENARIO_MAPPING], no_mapping);
    if (plan->group_count > 0 && plan->group_count != node->nics)
        return clump_fail(error, CLUMP_BAD_ARGUMENT,
                          "group_sizes has %zu entries, expected one for each of the %zu NICs",
                          plan->group_count, s->nics);
    node->group_sizes = plan->group_sizes;
    double most =
        or_else(values[SCENARIO_MAX_NICS], platform != NULL ? platform->max_nics_per_processor : 0);
    if (most == SCENARIO_AUTOMATIC) {
        most = point->profile->automatic_nics;
        if (most == 0)
            return clump_fail(error, CLUMP_BAD_ARGUMENT,
                              "max_nics_per_processor is \"auto\", expected a platform whose "
                              "network LogGP parameters are known with it");
    }
    if (node->mapping == CLUMP_MAPPING_POOLED && isfinite(most))
        node->max_nics_per_processor = most;
    node->placement = plan->has_placement ? plan->placement
                      : platform != NULL  ? platform->placement
                                          : (clump_placement){0};
    const scenario_efficiency *e =
        plan->efficiency.length > 0 ? &plan->efficiency : &point->profile->efficiency;
    const size_t largest = scenario_largest_group(node);
    node->efficiency.table = e->table;
    node->efficiency.table_length = e->length < largest ? e->length : largest;
    const clump_status memory = scenario_memory_station(
        &point->profile->memory, &point->profile->memory_demand, values[SCENARIO_MEMORY_SHARE],
        values[SCENARIO_MEMORY_FEEDS], node->processors, platform != NULL ? platform->name : NULL,
        &node->memory, error);
    if (memory != CLUMP_OK)
        return memory;
    s->as_measured = platform != NULL && node->processors == platform->processors &&
                     s->nics == platform->nics &&
                     (!platform->has_mapping || node->mapping == platform->mapping) &&
                     plan->group_count == 0 && !(platform->reliability.network.loss > 0);
    return CLUMP_OK;
}

static void set_load(const scenario_point *point, scenario_setup *s)
{
    const scenario_profile *profile = point->profile;
    const double *values = point->values;
    const scenario_numbers mix = scenario_plan_mix(point->plan, profile);
    const double *own = profile->utilizations.values;
    const double penalty = or_else(values[SCENARIO_MEMORY_PENALTY], profile->memory_penalty);
    const double stalled = profile->stalled_fraction;
    double cost_ratio = values[SCENARIO_COST_RATIO], waiting = values[SCENARIO_WAITING_FRACTION];
    s->utilization = or_else(values[SCENARIO_UTILIZATION], own != NULL ? own[0] : 0);
    /* What an application's traffic says has its losses already. */
    const bool raw = !isnan(values[SCENARIO_UTILIZATION]) || !profile->has_traffic;
    s->now_time = profile->now_time * scenario_profile_lose(profile, raw ? &s->utilization : NULL,
                                                            isnan(cost_ratio) ? NULL : &cost_ratio,
                                                            isnan(waiting) ? NULL : &waiting);
    s->utilizations = mix.count > 0 ? mix : (scenario_numbers){&s->utilization, 1};
    s->load = (clump_load){
        .utilizations = s->utilizations.values,
        .utilization_count = s->utilizations.count,
        .demand = point->demand.demand,
        .gang_size = point->demand.gang_size,
        .coupling =
            {
                .remote_fraction =
                    or_else(values[SCENARIO_REMOTE_FRACTION], profile->remote_fraction),
                .cost_ratio = or_else(cost_ratio, profile->cost_ratio),
                .memory_penalty = stalled + (1 - stalled) * penalty,
                .waiting_fraction = or_else(waiting, profile->waiting_fraction),
            },
        .phase_cycles = or_else(values[SCENARIO_PHASE_CYCLES], profile->phase_cycles),
    };
}

/* What computation costs follows from how many processors the node has. */
static clump_status set_penalty(const scenario_point *point, scenario_setup *s, clump_error *error)
{
    const scenario_profile *profile = point->profile;
    clump_misses misses = profile->misses;
    double penalty;
    if (!isnan(point->values[SCENARIO_MEMORY_PENALTY]) || isnan(misses.now_us) ||
        isnan(misses.node_us))
        return CLUMP_OK;
    if (s->node.processors > CLUMP_MEMORY_MOST_PROCESSORS)
        return clump_fail(error, CLUMP_BAD_ARGUMENT,
                          "%zu processors wait for cache misses in the same memory, which is "
                          "computed for %zu at most: give memory_penalty",
                          s->node.processors, CLUMP_MEMORY_MOST_PROCESSORS);
    if (clump_memory_is_station(&s->node.memory)) /* there they wait for each other already */
        misses.bytes_per_us = 0;
    const clump_status status = clump_misses_penalty(&misses, s->node.processors, &penalty, error);
    if (status != CLUMP_OK)
        return status;
    const double stalled = profile->stalled_fraction;
    s->load.coupling.memory_penalty = stalled + (1 - stalled) * penalty;
    return CLUMP_OK;
}

/* ---- all together */

clump_status scenario_setup_make(const scenario_point *point, scenario_setup *setup,
                                 clump_error *error)
{
    const scenario_profile *profile = point->profile;
    const scenario_kind *kind = profile->application != NULL ? profile->application->kind : NULL;
    *setup = (scenario_setup){0};
    /* Node and load are set whatever is found: an invalid row shows them. */
    clump_status status = set_node(point, setup, error);
    set_load(point, setup);
    if (profile->invalid != NULL)
        return clump_fail(error, CLUMP_BAD_ARGUMENT, "%s", profile->invalid);
    if (status == CLUMP_OK)
        status = set_penalty(point, setup, error);
    if (status == CLUMP_OK && kind != NULL && kind->set_up != NULL)
        status = kind->set_up(point, setup, error);
    if (status != CLUMP_OK || setup->collectives != NULL)
        return status;
    if (profile->split_processors > 0 && setup->node.processors != profile->split_processors &&
        isnan(point->values[SCENARIO_REMOTE_FRACTION]))
        return clump_fail(error, CLUMP_BAD_ARGUMENT,
                          "what share of the traffic of \"%.60s\" leaves a node is known for %zu "
                          "processors only; keep them, or give remote_fraction",
                          profile->application->name, profile->split_processors);
    const double remote = setup->load.coupling.remote_fraction;
    if (setup->nics == 0 && remote > 0)
        return clump_fail(error, CLUMP_BAD_ARGUMENT,
                          "nics is 0, expected at least 1 because communication leaves the node "
                          "(remote_fraction %g)",
                          remote);
    return CLUMP_OK;
}

clump_status scenario_setup_predict(const scenario_setup *setup, const scenario_point *point,
                                    clump_prediction *prediction, double *slowdowns,
                                    clump_error *error)
{
    const clump_prediction_details details = {slowdowns, NULL};
    const scenario_application *application = point->profile->application;
    if (application != NULL && application->kind->predict != NULL)
        return application->kind->predict(setup, point, prediction, error);
    return clump_predict(&setup->node, &setup->load, prediction,
                         slowdowns != NULL && setup->utilizations.count > 1 ? &details : NULL,
                         error);
}
