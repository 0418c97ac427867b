/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "scenarios/profile.h"

#include "scenarios/kind.h"

#include <math.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

/* The reason is at the top of the stack. */
static void set_invalid(lua_State *L, scenario_profile *p)
{
    p->invalid = scenario_copy_quietly(L, lua_tostring(L, -1));
    lua_pop(L, 1);
    if (p->invalid == NULL)
        scenario_fail_memory(L);
}

void scenario_profile_invalid(lua_State *L, scenario_profile *p, const char *format, ...)
{
    va_list values;
    va_start(values, format);
    lua_pushvfstring(L, format, values);
    va_end(values);
    set_invalid(L, p);
}

void scenario_application_invalid(lua_State *L, scenario_profile *p, const char *format, ...)
{
    va_list values;
    lua_pushfstring(L, "application \"%s\": ", scenario_name_of(p->application->name));
    va_start(values, format);
    lua_pushvfstring(L, format, values);
    va_end(values);
    lua_concat(L, 2);
    set_invalid(L, p);
}

bool scenario_profile_has(lua_State *L, scenario_profile *p, const scenario_protocol *protocol,
                          const char *key)
{
    if (protocol->known)
        return true;
    if (protocol->problem != NULL) {
        scenario_profile_invalid(L, p, "platform \"%s\": its LogGP parameters are needed: %s",
                                 scenario_name_of(p->platform->name), protocol->problem);
        return false;
    }
    scenario_fail(L,
                  "platform \"%s\": found no %s, expected { L =, o_s =, o_r =, g =, G = } because "
                  "application \"%s\" is described by what it sends",
                  scenario_name_of(p->platform->name), key, scenario_name_of(p->application->name));
}

clump_status scenario_profile_time(scenario_profile *p, double now_time, double computation,
                                   double *utilization, clump_error *error)
{
    const clump_workload workload = {
        .remote = p->remote,
        .local = p->local,
        .waited_share = p->waited_share,
        .memory_penalty = p->memory_penalty,
        .time_us = isnan(now_time) ? 0 : 1e6 * now_time,
        .computation_us = isnan(computation) ? 0 : 1e6 * computation,
        .half_duplex = p->platform->half_duplex,
        .lockstep = p->application->lockstep,
        .exchange = p->application->exchange,
        .lossy = scenario_is_lossy(p->platform) ? &p->platform->reliability.network : NULL,
    };
    clump_demand_profile found;
    const clump_loggp *network =
        &p->platform->network.loggp; /* nothing stays inside where the other is not known */
    const clump_loggp *inside =
        p->platform->shared_memory.known ? &p->platform->shared_memory.loggp : network;
    const clump_status status = clump_traffic_profile(&workload, network, inside, &found, error);
    if (status != CLUMP_OK)
        return status;
    *utilization = found.utilization;
    p->utilizations = (scenario_numbers){utilization, 1};
    p->remote_fraction = found.coupling.remote_fraction;
    p->cost_ratio = found.coupling.cost_ratio;
    p->waiting_fraction = found.coupling.waiting_fraction;
    p->stalled_fraction = found.stalled_fraction;
    p->loss_factor = found.loss_factor;
    p->occupancy_factor = found.occupancy_factor;
    p->now_time = found.time_us / 1e6;
    return CLUMP_OK;
}

clump_status scenario_profile_communication(const scenario_profile *profile, double *time,
                                            clump_error *error)
{
    scenario_profile p = *profile;
    double U;
    const clump_status status = scenario_profile_time(&p, NAN, 1e-6, &U, error);
    if (status == CLUMP_OK)
        *time = U * p.now_time / p.loss_factor;
    return status;
}

/* Nothing is known of its messages: a stream of full packets, which loss costs least. */
static void use_full_packets(lua_State *L, scenario_profile *p)
{
    const clump_lossy_network *n = &p->platform->reliability.network;
    const clump_loggp *loggp = &p->platform->network.loggp;
    const double bytes = n->protocol.packet_bytes;
    const double clean = loggp->gap_us + fmax(bytes - 1, 0) * loggp->gap_us_per_byte;
    clump_lossy_message m;
    clump_error error;
    if (!p->platform->network.known)
        scenario_fail(L,
                      "platform \"%s\": found loss, expected the LogGP parameters of its network "
                      "with it",
                      scenario_name_of(p->platform->name));
    if (p->utilizations.count > 1 ||
        (p->application != NULL && p->application->kind->losses == SCENARIO_LOSSES_UNKNOWN))
        scenario_fail(L,
                      "application \"%s\": what a loss costs depends on its messages; with loss "
                      "expected remote_traffic and local_traffic, or one utilization",
                      scenario_name_of(p->application->name));
    const clump_status status = clump_lossy_message_cost(n, loggp, bytes, &m, &error);
    if (status == CLUMP_NO_MEMORY)
        scenario_fail_memory(L);
    if (status != CLUMP_OK)
        scenario_fail(L, "platform \"%s\": network: %s", scenario_name_of(p->platform->name),
                      error.message);
    p->loss_factor = 1 + m.stream_us / clean;
    p->occupancy_factor = 1 + m.occupancy_us / clean;
    scenario_profile_lose(p, NULL, &p->cost_ratio, &p->waiting_fraction);
}

double scenario_profile_lose(const scenario_profile *p, double *utilization, double *cost_ratio,
                             double *waiting_fraction)
{
    const double factor = p->loss_factor;
    double time = 1;
    if (!(factor > 1))
        return time;
    if (utilization != NULL) {
        time += *utilization * (factor - 1);
        *utilization *= factor / time;
    }
    if (cost_ratio != NULL)
        *cost_ratio /= factor;
    if (waiting_fraction != NULL)
        *waiting_fraction = 1 - (1 - *waiting_fraction) * p->occupancy_factor / factor;
    return time;
}

void scenario_profile_measured(scenario_profile *p)
{
    const scenario_application *a = p->application;
    for (size_t i = 0; i < a->measured_count; i++)
        if (p->platform != NULL && p->platform->name != NULL &&
            strcmp(a->measured[i].platform, p->platform->name) == 0)
            p->measured_time = a->measured[i].time;
    if (!isnan(p->measured_time) && isnan(p->measured_slowdown))
        p->measured_slowdown = p->measured_time * p->now_factor / p->now_time;
}

/* What does not depend on how the application is described. */
static void start_profile(lua_State *L, scenario_profile *p,
                          const scenario_application *application,
                          const scenario_platform *platform, bool wants_memory)
{
    *p = (scenario_profile){
        .application = application,
        .platform = platform,
        .remote_fraction = 1,
        .cost_ratio = 1,
        .loss_factor = 1,
        .occupancy_factor = 1,
        .now_factor = 1,
        .now_utilization = NAN,
        .memory_penalty = platform != NULL ? platform->memory_penalty : 1,
        .misses = {.now_us = NAN, .node_us = NAN},
        .now_time = NAN,
        .clean_time = NAN,
        .measured_time = NAN,
        .measured_slowdown = NAN,
        .measured_half_width = NAN,
        .computation = NAN,
        .memory_demand =
            application != NULL ? application->memory_demand : SCENARIO_NO_MEMORY_DEMAND,
        .uneven = application != NULL ? application->uneven : NULL,
    };
    wants_memory = wants_memory || p->memory_demand.share > 0 || p->memory_demand.traffic > 0;
    if (platform != NULL) {
        p->memory = platform->memory;
        if (wants_memory && !p->memory.known && platform->origin != NULL &&
            platform->processors > 1)
            p->memory = scenario_stored_bandwidth(L, platform->origin);
        p->efficiency = platform->efficiency;
        if (platform->network.known)
            p->automatic_nics = clump_loggp_max_nics(&platform->network.loggp);
    }
    if (application == NULL)
        return;
    /* Cache misses count for programs whose messages were counted. A utilization alone says nothing about misses. */
    if (platform != NULL && application->kind->is_of_messages)
        p->misses = platform->misses;
    if (!isnan(application->memory_penalty)) {
        p->memory_penalty = application->memory_penalty;
        p->misses.now_us = NAN;
    }
    double penalty;
    if (!isnan(p->misses.now_us) && !isnan(p->misses.node_us) &&
        platform->processors <= CLUMP_MEMORY_MOST_PROCESSORS &&
        clump_misses_penalty(&p->misses, platform->processors, &penalty, NULL) == CLUMP_OK)
        p->memory_penalty = penalty; /* else the row says why not */
    p->computation = isnan(application->node_computation)
                         ? application->computation
                         : application->node_computation / p->memory_penalty;
    p->phase_cycles = application->phase_cycles;
    p->now_time = p->clean_time = application->now_time;
}

void scenario_profile_make(lua_State *L, const scenario_application *application,
                           const scenario_platform *platform, scenario_wanted wanted,
                           scenario_profile *profile)
{
    scenario_profile *p = profile;
    start_profile(L, p, application, platform, wanted.memory);
    if (application == NULL) {
        if (!wanted.utilization)
            scenario_fail(L, "scenario: found neither application nor utilization, expected one");
        if (scenario_is_lossy(platform))
            use_full_packets(L, p);
        return;
    }
    if (application->kind->profile != NULL)
        application->kind->profile(L, p);
    if (p->invalid != NULL)
        return;
    if (scenario_is_lossy(platform) && application->kind->losses != SCENARIO_LOSSES_OF_KIND)
        use_full_packets(L, p);
    if (!p->has_traffic)
        p->clean_time = p->now_time;
    scenario_profile_measured(p);
}

void scenario_profile_compare(lua_State *L, const scenario_application *application,
                              const scenario_platform *platform,
                              const scenario_platform *other_platform, scenario_wanted wanted,
                              scenario_profile *profile, scenario_profile *other)
{
    if (application != NULL && application->kind->profile_both != NULL) {
        start_profile(L, profile, application, platform, wanted.memory);
        start_profile(L, other, application, other_platform, wanted.memory);
        profile->computation = other->computation; /* what is known holds there */
        application->kind->profile_both(L, profile, other);
    } else {
        scenario_profile_make(L, application, platform, wanted, profile);
        scenario_profile_make(L, application, other_platform, wanted, other);
    }
    profile->other = other;
    if (profile->invalid == NULL)
        profile->invalid = other->invalid;
}
