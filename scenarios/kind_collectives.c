/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Applications by the collective operations that all their processors take part in. */
#include "scenarios/compare.h"
#include "scenarios/kind.h"

#include <math.h>
#include <stdio.h>

static void read_all(scenario_table table, scenario_application *a)
{
    a->collectives = scenario_collectives_read(table);
}

/* ---- on a platform */

/* Times depend on the node, and are those of a row. */
static void use_platform(lua_State *L, scenario_profile *p)
{
    if (p->platform == NULL)
        scenario_fail(L,
                      "application \"%s\": it is described by its collectives, expected a platform "
                      "with it",
                      scenario_name_of(p->application->name));
    if (!scenario_profile_has(L, p, &p->platform->network, "network"))
        return;
    if (scenario_is_lossy(p->platform))
        scenario_profile_invalid(
            L, p,
            "application \"%s\": networks that lose packets are not known for collectives; "
            "expected a platform without loss",
            scenario_name_of(p->application->name));
}

/* ---- hints */

/* Ranks that need more nodes than the platform has get more nodes of its kind. Whether that is meant only the author
 * knows, who is told. */
static void tell_nodes(lua_State *L, const scenario_plan *plan, const scenario_profile *p)
{
    char line[400];
    const double said = scenario_greatest(plan->values[SCENARIO_PROCESSORS]);
    const double P = said > 0 ? said : (double)p->platform->processors;
    const double nodes = (double)p->platform->nodes, ranks = p->application->collectives.ranks;
    if (nodes <= 1 || ranks <= nodes * P)
        return;
    snprintf(line, sizeof line,
             "application \"%.100s\" has %.0f ranks, which fill %.0f nodes of %.0f processors; "
             "platform \"%.100s\" is said to have %.0f: more of its kind are taken",
             scenario_name_of(p->application->name), ranks, ceil(ranks / P), P,
             scenario_name_of(p->platform->name), nodes);
    scenario_tell(L, line);
}

/* A ring leaves a node by one processor. Where a processor keeps few NICs busy, as a file of the node says of its link, more NICs
 * bring nothing: who has several rings in mind hears it. */
static void tell_rings(lua_State *L, const scenario_plan *plan, const scenario_profile *p)
{
    char line[400];
    const scenario_collectives *all = &p->application->collectives;
    const double most = p->platform->max_nics_per_processor;
    const double nics =
        fmax(scenario_greatest(plan->values[SCENARIO_NICS]), (double)p->platform->nics);
    bool open = false;
    for (size_t i = 0; i < all->count; i++)
        open = open || all->items[i].chosen == SCENARIO_ALGORITHM_FASTEST ||
               all->items[i].chosen == SCENARIO_ALGORITHM_NAMED;
    if (!open || plan->values[SCENARIO_MAX_NICS].values != NULL || !isfinite(most) || most <= 0 ||
        most >= nics)
        return;
    snprintf(line, sizeof line,
             "application \"%.100s\": a ring leaves a node by one processor, which keeps %.3g of "
             "%.0f NICs busy on platform \"%.100s\"; with rings over all NICs, as NCCL has them, "
             "give it max_nics_per_processor = %.0f",
             scenario_name_of(p->application->name), most, nics,
             scenario_name_of(p->platform->name), nics);
    scenario_tell(L, line);
}

static void tell_hints(lua_State *L, const scenario_plan *plan, scenario_profile *p)
{
    tell_nodes(L, plan, p);
    tell_rings(L, plan, p);
}

/* ---- in a row */

static double ranks_on(const scenario_point *point, const scenario_profile *profile)
{
    const scenario_platform *platform = profile->platform;
    const double P = point->values[SCENARIO_PROCESSORS];
    return scenario_collectives_ranks(&profile->application->collectives, platform->nodes,
                                      isnan(P) ? platform->processors : (size_t)P);
}

static clump_status fail_beside(clump_error *error, const char *what)
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
        return fail_beside(error, "memory_share");
    if (place->domains > 1 ||
        (place->slots.bandwidth > 0 && s->node.mapping == CLUMP_MAPPING_STATIC))
        return fail_beside(error, "placement of NICs that are not alike to all processors");
    if (place->near > 0 && place->near < 1)
        return fail_beside(error, "placement with NICs at a share of their speed (near)");
    if (s->load.phase_cycles > 0)
        return fail_beside(error, "phase_cycles");
    if (s->nics < 1 && ranks_on(point, point->profile) > (double)s->node.processors)
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
            scenario_name_of(point->profile->platform->name));
    return CLUMP_OK;
}

static clump_collective_clump clump_of(const scenario_point *point, const scenario_setup *s)
{
    const scenario_platform *platform = point->profile->platform;
    return (clump_collective_clump){&s->node, platform->network.loggp,
                                    platform->shared_memory.loggp, platform->half_duplex,
                                    platform->nccl};
}

/* What its collectives take on the NOW, where every processor has a node to itself. */
static clump_status set_up_collectives(const scenario_point *point, scenario_setup *s,
                                       clump_error *error)
{
    const scenario_profile *profile = point->profile;
    const clump_node alone = {.processors = 1, .nics = 1};
    s->collectives = &profile->application->collectives;
    clump_collective_clump now = clump_of(point, s);
    clump_status status = check_collectives(point, s, error);
    now.node = &alone;
    if (profile->platform->now_network.known)
        now.network = profile->platform->now_network.loggp;
    if (status == CLUMP_OK)
        status = scenario_collectives_time_of(s->collectives, &now, ranks_on(point, point->profile),
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
    if (!isnan(point->values[SCENARIO_UTILIZATION])) /* somebody tries another one */
        return clump_predict(&s->node, &s->load, prediction, NULL, error);
    const clump_status status = scenario_collectives_time_of(
        s->collectives, &clump, ranks_on(point, point->profile), &time, error);
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

static void describe_collectives(const scenario_setup *setup, const scenario_point *point,
                                 clump_result *row)
{
    (void)setup;
    (void)point;
    row->remote_fraction = row->cost_ratio = row->waiting_fraction = CLUMP_RESULT_NONE;
}

static bool is_never_monotonic(const scenario_setup *setup, const scenario_point *point)
{
    (void)setup;
    (void)point;
    return false;
}

/* ---- compared with another platform */

/* Both follow from the collectives and what is computed, which is known on the basis. */
static clump_status compare_collectives(const scenario_point *point, scenario_basis *b,
                                        clump_error *error)
{
    scenario_comparison *c = b->c;
    scenario_setup setup;
    const double own = ranks_on(point, &c->profile), others = ranks_on(&b->point, &c->other);
    if (own < others || own > others)
        return clump_fail(error, CLUMP_BAD_ARGUMENT,
                          "compare_with: it has %g ranks on \"%.60s\" and %g there, expected as "
                          "many: give ranks, or nodes",
                          own, c->profile.platform->name, others);
    clump_status status = scenario_basis_predict(b, error);
    if (status != CLUMP_OK)
        return status;
    c->profile.computation = b->setup.computation_us / 1e6;
    c->profile.now_time = NAN;
    status = scenario_setup_make(&c->point, &setup, error);
    if (status != CLUMP_OK)
        return status;
    scenario_compare_both(b, &setup);
    return CLUMP_OK;
}

const scenario_kind scenario_by_collectives = {
    .fields = "collectives ranks overlap",
    .own = SCENARIO_OWN_ALL,
    .own_words = "that of application \"%s\" follows from its collectives",
    .needs_time = true,
    .tells_times = true,
    .losses = SCENARIO_LOSSES_OF_KIND,
    .read = read_all,
    .profile = use_platform,
    .complete = tell_hints,
    .set_up = set_up_collectives,
    .predict = predict_collectives,
    .describe = describe_collectives,
    .is_monotonic = is_never_monotonic,
    .compare = compare_collectives,
};
