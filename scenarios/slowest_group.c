/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "scenarios/slowest_group.h"

#include "model/tight_coupling.h"
#include "scenarios/kind.h"
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
    return p->uneven != NULL && p->has_traffic && isnan(point->values[SCENARIO_UTILIZATION]) &&
           setup->utilizations.count == 1 && scenario_synchronizes(point, setup);
}

double scenario_pace(const scenario_point *point, const scenario_setup *setup,
                     const clump_prediction *prediction)
{
    return scenario_synchronizes(point, setup) ? prediction->slowest : prediction->slowdown;
}

/* ---- traffic that differs */

typedef struct program {
    const scenario_point *point;
    const scenario_setup *setup;
    scenario_uneven uneven;
    double rest;        /* what is not communication, s */
    double computation; /* of it; NAN: all */
} program;

/* The profile of one processor. On a node with one processor all traffic is remote. */
static scenario_profile profile_of(const program *g, size_t node, size_t processor, const double *z)
{
    scenario_profile p = *g->point->profile;
    const size_t P = g->setup->node.processors;
    clump_traffic remote, local;
    scenario_uneven_of(&g->uneven, P, node, processor, z != NULL ? z[processor] : 0, &remote,
                       &local);
    if (p.platform->processors == 1 && p.local.short_messages == 0 && p.local.bulk_messages == 0) {
        remote.short_messages += local.short_messages;
        remote.bulk_messages += local.bulk_messages;
        remote.bulk_bytes += local.bulk_bytes;
        local = (clump_traffic){0, 0, 0};
    }
    p.remote = remote;
    p.local = local;
    return p;
}

/* What the processor of which most is asked communicates on the NOW. */
static clump_status communicate(void *context, size_t node, const double *z, clump_need *needs,
                                double *waiting, double *alone, clump_error *error)
{
    const program *g = context;
    clump_status status = CLUMP_OK;
    (void)needs;
    *waiting = *alone = 0;
    for (size_t i = 0; i < g->setup->node.processors && status == CLUMP_OK; i++) {
        const scenario_profile profile = profile_of(g, node, i, z);
        double time = 0;
        status = scenario_profile_communication(&profile, &time, error);
        *alone = fmax(*alone, time);
    }
    return status;
}

/* The setup of a processor, which points to the profile and to itself. */
static clump_status set_up_processor(const program *g, scenario_profile *profile,
                                     scenario_setup *setup, double *utilization, clump_error *error)
{
    double communication;
    scenario_point point = *g->point;
    clump_status status = scenario_profile_communication(profile, &communication, error);
    point.profile = profile;
    if (status == CLUMP_OK && g->rest + communication <= 0) {
        *setup = (scenario_setup){.now_time = 0};
        return CLUMP_OK; /* it has nothing to do */
    }
    if (status == CLUMP_OK)
        status = isnan(g->computation)
                     ? scenario_profile_time(profile, NAN, g->rest, utilization, error)
                     : scenario_profile_time(profile, g->rest + communication, g->computation,
                                             utilization, error);
    return status == CLUMP_OK ? scenario_setup_make(&point, setup, error) : status;
}

static clump_status find_needs(void *context, size_t node, const double *z, clump_need *needs,
                               double *waiting, double *alone, clump_error *error)
{
    const program *g = context;
    double waited = 0, without = 0;
    *alone = 0;
    for (size_t i = 0; i < g->setup->node.processors; i++) {
        scenario_profile profile = profile_of(g, node, i, z);
        scenario_setup setup;
        double U, C = 0, D = 0;
        clump_status status = set_up_processor(g, &profile, &setup, &U, error);
        const clump_coupling *c = &setup.load.coupling;
        if (status == CLUMP_OK && setup.now_time > 0)
            status = clump_coupling_needs(c, setup.utilization, &C, &D, error);
        if (status != CLUMP_OK)
            return status;
        needs[i] = (clump_need){C * setup.now_time, D * setup.now_time, 1};
        waited += c->waiting_fraction * c->remote_fraction * setup.utilization * setup.now_time;
        without += needs[i].computation;
        *alone = fmax(*alone, setup.now_time);
    }
    *waiting = without > 0 ? fmin(waited / without, 1) : 0;
    return CLUMP_OK;
}

static clump_status begin(const scenario_point *point, const scenario_setup *setup, program *g,
                          clump_job *job, clump_error *error)
{
    const scenario_profile *p = point->profile;
    const size_t P = setup->node.processors,
                 nodes = p->platform->nodes > 0 ? p->platform->nodes : 1;
    *g = (program){.point = point, .setup = setup, .uneven = *p->uneven};
    *job = (clump_job){.node = &setup->node,
                       .nodes = nodes,
                       .demand = setup->load.demand,
                       .gang_size = setup->load.gang_size,
                       .phase_cycles = setup->load.phase_cycles,
                       .listed = scenario_uneven_is_of_nodes(p->uneven, P),
                       .drawn = scenario_uneven_is_drawn(p->uneven),
                       .needs = find_needs,
                       .context = g};
    scenario_uneven_fit(&g->uneven, P * nodes);
    return scenario_uneven_check(p->uneven, P, nodes, error);
}

/* Whether the time on the NOW is that of another network, converted to this one by the mean (kind_traffic.c). */
static bool is_converted(const scenario_profile *p)
{
    return p->platform->now_network.known && !scenario_is_lossy(p->platform) &&
           !isnan(p->clean_time);
}

clump_status scenario_slowest_rest(const scenario_point *point, const scenario_setup *setup,
                                   double *rest, clump_error *error)
{
    const scenario_profile *p = point->profile;
    const bool told = !isnan(p->application->now_time);
    const bool measured = p->application->kind == &scenario_by_store && !isnan(p->clean_time);
    double clean_time = p->clean_time, before = 0, after = 0;
    program g;
    clump_job job;
    clump_job_time own;
    scenario_point now = *point;
    scenario_profile there = *p;
    scenario_platform platform = *p->platform;
    clump_status status = CLUMP_OK;
    if (is_converted(p)) {
        platform.network = platform.now_network;
        there.platform = &platform;
        now.profile = &there;
        status = scenario_profile_communication(p, &after, error);
        if (status == CLUMP_OK)
            status = scenario_profile_communication(&there, &before, error);
        clean_time += before - after;
    }
    if (status == CLUMP_OK)
        status = begin(&now, setup, &g, &job, error);
    *rest = p->computation;
    if (status != CLUMP_OK || (!told && !measured))
        return status;
    job.needs = communicate;
    status = clump_job_solve(&job, true, &own, error);
    if (status == CLUMP_OK && told && own.now_time > clean_time)
        return clump_fail(error, CLUMP_BAD_ARGUMENT,
                          "the traffic of the slowest processor takes %.4g s on the NOW by its "
                          "LogGP parameters, more than the %.4g s given for the whole run",
                          own.now_time, clean_time);
    if (status ==
        CLUMP_OK) /* extremes of a measured run may be a little more than its time: it does nothing else */
        *rest = fmax(clean_time - own.now_time, 0);
    return status;
}

static clump_status solve_traffic(const scenario_point *point, double rest, scenario_setup *setup,
                                  clump_prediction *prediction, clump_error *error)
{
    const double computation = point->profile->computation;
    program g;
    clump_job job;
    clump_job_time found;
    clump_status status = begin(point, setup, &g, &job, error);
    if (status == CLUMP_OK)
        g.rest = rest;
    if (status == CLUMP_OK && isnan(rest))
        status = scenario_slowest_rest(point, setup, &g.rest, error);
    g.computation = computation < g.rest ? computation : NAN; /* else it is all */
    if (status == CLUMP_OK)
        status = clump_job_solve(&job, false, &found, error);
    if (status != CLUMP_OK)
        return status;
    if (is_converted(point->profile)) /* the given time, and no other one, is compared with */
        found.now_time = setup->now_time;
    else if (g.rest > 0) /* else it is at least that which was measured */
        setup->now_time = found.now_time;
    setup->slowest_group = found.last.group;
    if (!job.drawn)
        setup->last_processor = found.node * setup->node.processors + found.last.processor + 1;
    prediction->slowest = found.time / found.now_time;
    prediction->slowest_bounds =
        (clump_bounds){found.bounds.least / found.now_time, found.bounds.greatest / found.now_time};
    prediction->slowest_processor = found.last.processor;
    return status;
}

/* ---- processors of one program, of which a load tells all */

static clump_status solve_load(scenario_setup *setup, clump_prediction *prediction,
                               clump_error *error)
{
    const size_t P = setup->node.processors, given = setup->load.utilization_count;
    clump_need *needs = malloc(P * sizeof *needs);
    clump_status status =
        needs != NULL ? CLUMP_OK : clump_fail_memory(error, "the processors of a node");
    for (size_t i = 0; i < P && status == CLUMP_OK; i++)
        status =
            clump_coupling_needs(&setup->load.coupling, setup->load.utilizations[given > 1 ? i : 0],
                                 &needs[i].computation, &needs[i].communication, error);
    clump_last last;
    if (status == CLUMP_OK)
        status = clump_stages_solve(&setup->node, &setup->load, needs, NULL, &last, error);
    free(needs);
    if (status != CLUMP_OK)
        return status;
    setup->slowest_group = last.group;
    if (given > 1)
        setup->last_processor = last.processor + 1;
    prediction->slowest = last.time;
    prediction->slowest_bounds = last.bounds;
    prediction->slowest_processor = last.processor;
    return status;
}

clump_status scenario_slowest(const scenario_point *point, double rest, scenario_setup *setup,
                              clump_prediction *prediction, clump_error *error)
{
    const scenario_application *a = point->profile->application;
    if (scenario_has_slowest(point, setup))
        return solve_traffic(point, rest, setup, prediction, error);
    if (!scenario_synchronizes(point, setup) || setup->load.phase_cycles != 0 ||
        (a != NULL && a->kind->predict != NULL) ||
        !(prediction->slowest > prediction->slowdown * (1 + 1e-12)))
        return CLUMP_OK;
    return solve_load(setup, prediction, error);
}
