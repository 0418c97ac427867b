/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "scenarios/setup.h"

#include "model/result.h"

#include <math.h>
#include <stdlib.h>

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
    if (s->recorded != NULL && most == SCENARIO_AUTOMATIC) {
        most = 0; /* its calls tell how many it keeps busy */
    } else if (most == SCENARIO_AUTOMATIC) {
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
        &point->profile->memory, &point->profile->appetite, values[SCENARIO_MEMORY_SHARE],
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

/* ---- fitted applications */

static clump_status need(const scenario_point *point, double value, const char *key,
                         clump_error *error)
{
    if (!isnan(value))
        return CLUMP_OK;
    return clump_fail(error, CLUMP_BAD_ARGUMENT,
                      "the times that \"%.60s\" was fitted to differ in %s, and none is of this "
                      "platform: give %s, or a platform of the fit",
                      point->profile->application->name, key, key);
}

/* A processor that is alone in its node, and a node without NIC: as in the fit, unless the script
 * says otherwise. */
static void set_exceptions(const scenario_point *point, scenario_setup *setup)
{
    const double *values = point->values;
    clump_coupling *c = &setup->load.coupling;
    if (setup->node.processors == 1) {
        if (isnan(values[SCENARIO_REMOTE_FRACTION]))
            c->remote_fraction = 1;
        if (isnan(values[SCENARIO_COST_RATIO]))
            c->cost_ratio = 1;
        if (isnan(values[SCENARIO_MEMORY_PENALTY]))
            c->memory_penalty = 1;
    } else if (setup->nics == 0 && isnan(values[SCENARIO_REMOTE_FRACTION])) {
        c->remote_fraction = 0;
    }
}

static clump_status set_fitted(const scenario_point *point, scenario_setup *setup,
                               clump_error *error)
{
    const scenario_fitted *f = point->profile->application->fitted;
    clump_load *load = &setup->load;
    set_exceptions(point, setup);
    if (point->demand.absent) {
        load->demand = f->demand.demand;
        load->gang_size = fmin(f->demand.gang_size, (double)setup->node.processors);
    }
    if (point->plan->efficiency.length == 0 && f->law.coefficient > 0) {
        setup->law = f->law;
        setup->node.efficiency = clump_efficiency_by_law(&setup->law);
    }
    clump_status status = need(point, setup->utilizations.values[0], "utilization", error);
    if (status == CLUMP_OK)
        status = need(point, load->coupling.remote_fraction, "remote_fraction", error);
    if (status == CLUMP_OK)
        status = need(point, load->coupling.cost_ratio, "cost_ratio", error);
    return status == CLUMP_OK
               ? need(point, load->coupling.waiting_fraction, "waiting_fraction", error)
               : status;
}

/* ---- recorded applications */

static clump_status find_placed(const scenario_point *point, scenario_setup *setup,
                                clump_error *error)
{
    const scenario_profile *profile = point->profile;
    const double own = profile->platform != NULL ? (double)profile->platform->processors : 1;
    const size_t P = (size_t)or_else(point->values[SCENARIO_PROCESSORS], own);
    for (size_t i = 0; i < profile->placed_count; i++) {
        if (profile->placed[i].processors != P)
            continue;
        if (profile->misplaced[i] != NULL)
            return clump_fail(error, CLUMP_BAD_ARGUMENT, "%s", profile->misplaced[i]);
        setup->recorded = &profile->placed[i];
    }
    return CLUMP_OK;
}

/* Its calls say who communicates, and when. */
static clump_status set_recorded(const scenario_point *point, scenario_setup *setup,
                                 clump_error *error)
{
    const clump_recorded_placed *r = setup->recorded;
    setup->load.coupling.remote_fraction = r->remote_fraction;
    setup->now_time = clump_recorded_now_s(r->program);
    setup->utilization = CLUMP_RESULT_NONE;
    if (point->demand.absent)
        return CLUMP_OK;
    return clump_fail(error, CLUMP_BAD_ARGUMENT,
                      "demand: expected none where recorded calls are played, which say themselves "
                      "who communicates together");
}

/* ---- collectives */

static clump_status refuse_collectives(clump_error *error, const char *what)
{
    return clump_fail(error, CLUMP_BAD_ARGUMENT,
                      "%s: expected none where an application is described by its "
                      "collectives",
                      what);
}

/* What the formulas of collectives do not have. */
static clump_status check_collectives(const scenario_point *point, const scenario_setup *s,
                                      clump_error *error)
{
    const clump_placement *place = &s->node.placement;
    if (clump_memory_is_station(&s->node.memory))
        return refuse_collectives(error, "memory_share");
    if (place->domains > 1 ||
        (place->slots.bandwidth > 0 && s->node.mapping == CLUMP_MAPPING_STATIC))
        return refuse_collectives(error, "placement of NICs that are not alike to all processors");
    if (place->near > 0 && place->near < 1)
        return refuse_collectives(error, "placement with NICs at a share of their speed (near)");
    if (s->load.phase_cycles > 0)
        return refuse_collectives(error, "phase_cycles");
    if (s->nics < 1 && scenario_collectives_ranks(s->collectives, point->profile->platform->nodes,
                                                  s->node.processors) > (double)s->node.processors)
        return clump_fail(error, CLUMP_BAD_ARGUMENT,
                          "nics is 0, expected at least 1 because its collectives leave the node");
    if (!point->demand.absent && s->load.demand != CLUMP_DEMAND_CORRELATED)
        return clump_fail(error, CLUMP_BAD_ARGUMENT,
                          "demand: expected \"correlated\", or none: all processors take part in a "
                          "collective together");
    if (s->node.processors > 1 && !point->profile->platform->shared_memory.known)
        return clump_fail(
            error, CLUMP_BAD_ARGUMENT,
            "platform \"%.60s\": found no shared_memory, expected { L =, o_s =, o_r =, "
            "g =, G = } for what stays within a node",
            point->profile->platform->name != NULL ? point->profile->platform->name
                                                   : "(without a name)");
    return CLUMP_OK;
}

static double ranks_of(const scenario_point *point, const scenario_setup *s)
{
    return scenario_collectives_ranks(s->collectives, point->profile->platform->nodes,
                                      s->node.processors);
}

static clump_collective_clump clump_of(const scenario_point *point, const scenario_setup *s)
{
    const scenario_platform *platform = point->profile->platform;
    return (clump_collective_clump){&s->node, platform->network.loggp,
                                    platform->shared_memory.loggp, platform->half_duplex,
                                    platform->nccl};
}

/* What its collectives take on the NOW, where every processor has a node to itself. */
static clump_status set_collectives(const scenario_point *point, scenario_setup *s,
                                    clump_error *error)
{
    const scenario_profile *profile = point->profile;
    const clump_node alone = {.processors = 1, .nics = 1};
    clump_collective_clump now = clump_of(point, s);
    clump_status status = check_collectives(point, s, error);
    now.node = &alone;
    if (profile->platform->now_network.known)
        now.network = profile->platform->now_network.loggp;
    if (status == CLUMP_OK)
        status = scenario_collectives_time_of(s->collectives, &now, ranks_of(point, s),
                                              &s->now_collectives, error);
    if (status != CLUMP_OK)
        return status;
    const double given_us = 1e6 * profile->now_time, calls_us = s->now_collectives.us;
    s->computation_us = 1e6 * profile->computation;
    if (isnan(s->computation_us) && given_us < calls_us)
        return clump_fail(error, CLUMP_BAD_ARGUMENT,
                          "its collectives take %g s on the NOW, more than the %g s given for the "
                          "whole run",
                          calls_us / 1e6, given_us / 1e6);
    if (isnan(s->computation_us)) /* the rest of the run, and what collectives hide of it */
        s->computation_us = given_us - calls_us + s->now_collectives.hidden_us;
    if (isnan(s->computation_us))
        return clump_fail(error, CLUMP_BAD_ARGUMENT,
                          "found neither now_time nor computation, expected one of them");
    const double total = scenario_collectives_total_us(&s->now_collectives, s->computation_us);
    s->now_time = total / 1e6;
    s->utilization = total > 0 ? fmin(fmax(1 - s->computation_us / total, 0), 1) : 0;
    if (point->demand.absent)
        s->load.demand = CLUMP_DEMAND_CORRELATED;
    return CLUMP_OK;
}

static clump_status predict_collectives(const scenario_setup *s, const scenario_point *point,
                                        clump_prediction *prediction, clump_error *error)
{
    const clump_collective_clump clump = clump_of(point, s);
    scenario_collectives_time time;
    const clump_status status =
        scenario_collectives_time_of(s->collectives, &clump, ranks_of(point, s), &time, error);
    if (status != CLUMP_OK)
        return status;
    const double now = 1e6 * s->now_time;
    const double total =
        scenario_collectives_total_us(&time, s->load.coupling.memory_penalty * s->computation_us);
    const double slowdown = now > 0 ? total / now : 1;
    *prediction = (clump_prediction){
        .slowdown = slowdown,
        .slowest = slowdown,
        .adjusted_utilization = CLUMP_RESULT_NONE,
        .mean_active = CLUMP_RESULT_NONE,
        .nic_utilization = total > 0 ? time.nic_us / ((double)s->node.nics * total) : 0,
    };
    return CLUMP_OK;
}

/* ---- all together */

static double greatest_remote_fraction(const scenario_setup *s)
{
    if (s->phased == NULL)
        return s->load.coupling.remote_fraction;
    double most = 0;
    for (size_t i = 0; i < s->phased->phase_count; i++)
        most = fmax(most, s->phased->phases[i].remote_fraction);
    return most;
}

clump_status scenario_setup_make(const scenario_point *point, scenario_setup *setup,
                                 clump_error *error)
{
    const scenario_profile *profile = point->profile;
    const scenario_application *application = profile->application;
    const bool is_fitted = application != NULL && application->kind == SCENARIO_BY_FIT;
    *setup = (scenario_setup){0};
    /* Node and load are set whatever is found: a row that is refused shows them. */
    const clump_status misplaced = find_placed(point, setup, error);
    const clump_status status = set_node(point, setup, misplaced == CLUMP_OK ? error : NULL);
    set_load(point, setup);
    const clump_status recorded = setup->recorded != NULL && misplaced == CLUMP_OK
                                      ? set_recorded(point, setup, error)
                                      : CLUMP_OK;
    if (profile->refused != NULL)
        return clump_fail(error, CLUMP_BAD_ARGUMENT, "%s", profile->refused);
    if (misplaced != CLUMP_OK || status != CLUMP_OK || recorded != CLUMP_OK)
        return misplaced != CLUMP_OK ? misplaced : status != CLUMP_OK ? status : recorded;
    const clump_status computed = set_penalty(point, setup, error);
    if (computed != CLUMP_OK)
        return computed;
    if (is_fitted) {
        const clump_status fitted = set_fitted(point, setup, error);
        if (fitted != CLUMP_OK)
            return fitted;
    }
    if (application != NULL && application->kind == SCENARIO_BY_PHASES)
        setup->phased = application;
    if (application != NULL && application->kind == SCENARIO_BY_COLLECTIVES) {
        setup->collectives = &application->collectives;
        return set_collectives(point, setup, error);
    }
    if (profile->split_processors > 0 && setup->node.processors != profile->split_processors &&
        isnan(point->values[SCENARIO_REMOTE_FRACTION]))
        return clump_fail(error, CLUMP_BAD_ARGUMENT,
                          "what share of the traffic of \"%.60s\" leaves a node is known for %zu "
                          "processors only; keep them, or give remote_fraction",
                          application->name, profile->split_processors);
    if (setup->nics == 0 && greatest_remote_fraction(setup) > 0)
        return clump_fail(error, CLUMP_BAD_ARGUMENT,
                          "nics is 0, expected at least 1 because communication leaves the node "
                          "(remote_fraction %g)",
                          greatest_remote_fraction(setup));
    return CLUMP_OK;
}

clump_load scenario_setup_phase(const scenario_setup *setup, const scenario_point *point, size_t i)
{
    const scenario_phase *phase = &setup->phased->phases[i];
    clump_load load = setup->load;
    load.utilizations = &phase->utilization;
    load.utilization_count = 1;
    if (phase->has_demand) {
        load.demand = phase->demand.demand;
        load.gang_size = phase->demand.gang_size;
    }
    load.coupling.remote_fraction = phase->remote_fraction;
    load.coupling.cost_ratio = phase->cost_ratio;
    load.coupling.waiting_fraction = phase->waiting_fraction;
    if (isnan(point->values[SCENARIO_PHASE_CYCLES]))
        load.phase_cycles = or_else(phase->phase_cycles, load.phase_cycles);
    return load;
}

clump_phase *scenario_setup_phases(const scenario_setup *setup, const scenario_point *point)
{
    const size_t count = setup->phased->phase_count;
    clump_phase *phases = calloc(count, sizeof *phases);
    for (size_t i = 0; i < count && phases != NULL; i++)
        phases[i] =
            (clump_phase){scenario_setup_phase(setup, point, i), setup->phased->phases[i].time};
    return phases;
}

clump_status scenario_setup_predict(const scenario_setup *setup, const scenario_point *point,
                                    clump_prediction *prediction, double *slowdowns,
                                    clump_error *error)
{
    const clump_prediction_details details = {slowdowns, NULL};
    if (setup->recorded != NULL)
        return clump_recorded_predict(setup->recorded, &setup->node,
                                      setup->load.coupling.memory_penalty, prediction, error);
    if (setup->collectives != NULL && isnan(point->values[SCENARIO_UTILIZATION]))
        return predict_collectives(setup, point, prediction, error);
    if (setup->phased == NULL)
        return clump_predict(&setup->node, &setup->load, prediction,
                             slowdowns != NULL && setup->utilizations.count > 1 ? &details : NULL,
                             error);
    clump_phase *phases = scenario_setup_phases(setup, point);
    if (phases == NULL)
        return clump_fail_memory(error, "the phases");
    const clump_status status = clump_predict_phases(
        &setup->node, phases, setup->phased->phase_count, prediction, NULL, error);
    free(phases);
    return status;
}
