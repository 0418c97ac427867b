/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "scenarios/pace.h"

#include "scenarios/guard.h"
#include "scenarios/uneven.h"

#include <math.h>

size_t scenario_sharing(const clump_node *node)
{
    size_t most = 0;
    if (node->mapping != CLUMP_MAPPING_STATIC)
        return node->processors;
    if (node->group_sizes == NULL)
        return scenario_largest_group(node);
    for (size_t i = 0; i < node->nics; i++)
        most = node->group_sizes[i] > most ? node->group_sizes[i] : most;
    return most;
}

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
                          clump_uneven_excess(&p->uneven, scenario_sharing(&setup->node)),
                          p->platform->network.loggp.gap_us / 1e6) /
        setup->now_time;
}

/* Of groups of so many; on a node with one processor all traffic is remote. */
static clump_status use_group(const scenario_setup *setup, size_t size, scenario_profile *p,
                              clump_error *error)
{
    const scenario_group group = {setup->node.processors, p->platform->nodes, size};
    const bool merged =
        p->platform->processors == 1 && p->local.short_messages == 0 && p->local.bulk_messages == 0;
    clump_traffic remote = p->remote, local = p->local;
    const clump_status status =
        scenario_uneven_slowest(p->application->uneven, &p->platform->network.loggp,
                                p->waited_share, &group, &remote, &local, error);
    if (status != CLUMP_OK)
        return status;
    if (merged) {
        remote.short_messages += local.short_messages;
        remote.bulk_messages += local.bulk_messages;
        remote.bulk_bytes += local.bulk_bytes;
        local = (clump_traffic){0, 0, 0};
    }
    p->remote = remote;
    p->local = local;
    return CLUMP_OK;
}

clump_status scenario_slowest_traffic(const scenario_setup *setup, scenario_profile *p,
                                      clump_error *error)
{
    return use_group(setup, scenario_sharing(&setup->node), p, error);
}

clump_status scenario_slowest_alone(const scenario_setup *setup, scenario_profile *p,
                                    clump_error *error)
{
    return use_group(setup, 1, p, error);
}

clump_status scenario_slowest(const scenario_point *point, double memory, bool *limited,
                              scenario_setup *setup, clump_prediction *prediction,
                              clump_error *error)
{
    const scenario_application *a = point->profile->application;
    scenario_profile alone = *point->profile, group = alone;
    scenario_point slow = *point;
    scenario_setup of_group;
    clump_prediction predicted;
    double U, V, own, shared;
    /* On the NOW each processor has a NIC, and the slowest one decides. */
    const double given = isnan(a->now_time) ? NAN : alone.clean_time;
    clump_status status = use_group(setup, 1, &alone, error);
    if (status == CLUMP_OK)
        status = scenario_profile_time(&alone, given, alone.computation, &U, error);
    if (status == CLUMP_OK)
        status = scenario_slowest_traffic(setup, &group, error);
    if (status == CLUMP_OK)
        status = scenario_profile_communication(&alone, &own, error);
    if (status == CLUMP_OK)
        status = scenario_profile_communication(&group, &shared, error);
    if (status != CLUMP_OK)
        return status;
    const double rest = isnan(given) ? alone.computation : fmax(given - own, 0);
    const bool waits = !isnan(alone.computation) && alone.computation < rest;
    status =
        scenario_profile_time(&group, rest + shared, waits ? alone.computation : NAN, &V, error);
    slow.profile = &group;
    if (status == CLUMP_OK)
        status = scenario_setup_make(&slow, &of_group, error);
    of_group.node.watch = setup->node.watch;
    if (status == CLUMP_OK)
        status = scenario_predict_guarded(&of_group, &slow, memory, limited, &predicted, error);
    if (status != CLUMP_OK)
        return status;
    setup->now_time = alone.now_time;
    prediction->slowest = predicted.slowest * of_group.now_time / alone.now_time;
    return CLUMP_OK;
}
