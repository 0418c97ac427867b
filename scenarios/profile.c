/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "scenarios/profile.h"

#include "scenarios/objects.h"
#include "scenarios/stored.h"

#include <math.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

static const char *name_of(const char *name)
{
    return name != NULL ? name : "(without a name)";
}

/* Its rows will say why they are empty. */
static void refuse(lua_State *L, scenario_profile *p, const char *format, ...)
{
    va_list values;
    va_start(values, format);
    lua_pushvfstring(L, format, values);
    va_end(values);
    p->refused = scenario_copy_quietly(L, lua_tostring(L, -1));
    lua_pop(L, 1);
    if (p->refused == NULL)
        scenario_fail_memory(L);
}

/* What the store does not have is no mistake of the script. */
static bool has_protocol(lua_State *L, scenario_profile *p, const scenario_protocol *protocol,
                         const char *key)
{
    if (protocol->known)
        return true;
    if (protocol->problem != NULL) {
        refuse(L, p, "platform \"%s\": its LogGP parameters are needed: %s",
               name_of(p->platform->name), protocol->problem);
        return false;
    }
    scenario_fail(L,
                  "platform \"%s\": found no %s, expected { L =, o_s =, o_r =, g =, G = } because "
                  "application \"%s\" is described by its traffic",
                  name_of(p->platform->name), key, name_of(p->application->name));
}

/* NICs that the mean remote message keeps busy while the processor handles one (8.5.3). */
static double automatic_nics(const clump_traffic *remote, const clump_loggp *network)
{
    const double messages = remote->short_messages + remote->bulk_messages;
    const double extra = fmax(remote->bulk_bytes - remote->bulk_messages, 0);
    return messages > 0 ? clump_loggp_max_nics_bulk(network, 1 + extra / messages)
                        : clump_loggp_max_nics(network);
}

static bool is_lossy(const scenario_platform *platform)
{
    return platform != NULL && platform->reliability.network.loss > 0;
}

static void use_traffic(lua_State *L, scenario_profile *p, const clump_traffic *remote,
                        const clump_traffic *local)
{
    const scenario_application *a = p->application;
    if (!has_protocol(L, p, &p->platform->network, "network") ||
        !has_protocol(L, p, &p->platform->shared_memory, "shared_memory"))
        return;
    const clump_loggp *network = &p->platform->network.loggp;
    const clump_workload workload = {
        .remote = *remote,
        .local = *local,
        .waited_share = a->waited_share,
        .memory_penalty = p->memory_penalty,
        .time_us = isnan(p->now_time) ? 0 : 1e6 * p->now_time,
        .computation_us = isnan(a->computation) ? 0 : 1e6 * a->computation,
        .half_duplex = p->platform->half_duplex,
        .lockstep = a->lockstep,
        .lossy = is_lossy(p->platform) ? &p->platform->reliability.network : NULL,
    };
    clump_demand_profile found;
    clump_error error;
    if (workload.lossy != NULL)
        scenario_reliability_charge(L, workload.lossy);
    const clump_status status = clump_traffic_profile(
        &workload, network, &p->platform->shared_memory.loggp, &found, &error);
    if (status == CLUMP_NO_MEMORY)
        scenario_fail_memory(L);
    if (status != CLUMP_OK) {
        refuse(L, p, "application \"%s\" on platform \"%s\": %s", name_of(a->name),
               name_of(p->platform->name), error.message);
        return;
    }
    double *utilization = scenario_allocate(L, 1, sizeof *utilization);
    *utilization = found.utilization;
    p->utilizations = (scenario_numbers){utilization, 1};
    p->has_traffic = true;
    p->remote = *remote;
    p->local = *local;
    p->waited_share = a->waited_share;
    p->remote_fraction = found.coupling.remote_fraction;
    p->cost_ratio = found.coupling.cost_ratio;
    p->waiting_fraction = found.coupling.waiting_fraction;
    p->stalled_fraction = found.stalled_fraction;
    p->loss_factor = found.loss_factor;
    p->occupancy_factor = found.occupancy_factor;
    p->now_time = found.time_us / 1e6;
    p->automatic_nics = automatic_nics(remote, network);
}

/* Slowdown as measured; the interval by propagation of independent errors. */
static void use_measured(scenario_profile *p, double now_half_width, double half_width)
{
    const double relative = hypot(now_half_width / p->now_time, half_width / p->measured_time);
    p->measured_slowdown = p->measured_time / p->now_time;
    p->measured_half_width = p->measured_slowdown * relative;
}

static void use_store(lua_State *L, scenario_profile *p)
{
    const char *application = p->application->name;
    clump_traffic remote, local;
    double now_half_width, half_width;
    if (p->platform == NULL || !p->platform->stored)
        scenario_fail(L,
                      "application \"%s\": its numbers are in the store, by platform; expected "
                      "platform = platform \"NAME\" with it",
                      application);
    const char *platform = p->platform->name, *now = p->platform->counterpart;
    if (now == NULL) {
        refuse(L, p,
               "platform \"%s\": the store names no NOW as its counterpart, expected one "
               "on which application \"%s\" was measured",
               platform, application);
        return;
    }
    if (!scenario_stored_traffic(L, application, platform, &remote, &local)) {
        refuse(L, p,
               "application \"%s\": the store does not have its traffic on platform \"%s\"; "
               "describe it with application { ... }, or add what was measured",
               application, platform);
        return;
    }
    if (!scenario_stored_time(L, application, now, &p->now_time, &now_half_width)) {
        refuse(L, p,
               "application \"%s\": the store does not have its time on \"%s\", the NOW to "
               "compare platform \"%s\" with",
               application, now, platform);
        return;
    }
    const double now_time = p->now_time;
    use_traffic(L, p, &remote, &local);
    if (p->refused != NULL)
        return;
    if (!is_lossy(p->platform))
        p->now_time = now_time; /* not rounded by units */
    p->split_processors = p->platform->processors;
    if (!is_lossy(p->platform) &&
        scenario_stored_time(L, application, platform, &p->measured_time, &half_width))
        use_measured(p, now_half_width, half_width);
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
                      name_of(p->platform->name));
    if (p->utilizations.count > 1 ||
        (p->application != NULL && p->application->kind != SCENARIO_BY_UTILIZATION))
        scenario_fail(L,
                      "application \"%s\": what a loss costs depends on its messages; with loss "
                      "expected remote_traffic and local_traffic, or one utilization",
                      name_of(p->application->name));
    scenario_reliability_charge(L, n);
    const clump_status status = clump_lossy_message_cost(n, loggp, bytes, &m, &error);
    if (status == CLUMP_NO_MEMORY)
        scenario_fail_memory(L);
    if (status != CLUMP_OK)
        scenario_fail(L, "platform \"%s\": network: %s", name_of(p->platform->name), error.message);
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

/* ---- what was fitted */

static bool same(double a, double b)
{
    return (isnan(a) && isnan(b)) || !(fabs(a - b) > 0 || isnan(a) || isnan(b));
}

/* The value that all runs on shared nodes have in common; NAN if they differ. */
static double common_value(const scenario_fitted *f, size_t offset, double of_fit)
{
    double found = NAN;
    bool any = false;
    for (size_t i = 0; i < f->run_count; i++) {
        double value;
        memcpy(&value, (const char *)&f->runs[i] + offset, sizeof value);
        value = isnan(value) ? of_fit : value;
        if (f->runs[i].processors == 1 || f->runs[i].nics == 0)
            continue;
        if (any && !same(value, found))
            return NAN;
        found = value;
        any = true;
    }
    return any ? found : of_fit;
}

static double or_fit(double of_run, double of_fit)
{
    return isnan(of_run) ? of_fit : of_run;
}

static void use_run(const scenario_fitted *f, const scenario_fitted_run *run, scenario_profile *p,
                    double *utilization)
{
    *utilization = or_fit(run->utilization, f->utilization);
    p->remote_fraction = run->nics == 0 ? 0 : or_fit(run->remote_fraction, f->remote_fraction);
    p->cost_ratio = or_fit(run->cost_ratio, f->cost_ratio);
    p->waiting_fraction = or_fit(run->waiting_fraction, f->waiting_fraction);
    p->now_time = run->now_time;
    p->measured_time = run->measured_time;
    p->measured_slowdown = run->measured_time / run->now_time;
    p->measured_half_width = p->measured_slowdown * CLUMP_UNCERTAIN_95 * run->relative_error;
    if (!isnan(run->remote_fraction))
        p->split_processors = run->processors;
}

static void use_common(const scenario_fitted *f, scenario_profile *p, double *utilization)
{
    *utilization = common_value(f, offsetof(scenario_fitted_run, utilization), f->utilization);
    p->remote_fraction =
        common_value(f, offsetof(scenario_fitted_run, remote_fraction), f->remote_fraction);
    p->cost_ratio = common_value(f, offsetof(scenario_fitted_run, cost_ratio), f->cost_ratio);
    p->waiting_fraction =
        common_value(f, offsetof(scenario_fitted_run, waiting_fraction), f->waiting_fraction);
    p->now_time = f->runs[0].now_time;
    for (size_t i = 1; i < f->run_count; i++)
        if (!same(f->runs[i].now_time, p->now_time))
            p->now_time = NAN;
}

static void use_fit(lua_State *L, scenario_profile *p)
{
    const scenario_fitted *f = p->application->fitted;
    const scenario_fitted_run *run = NULL;
    double *utilization = scenario_allocate(L, 1, sizeof *utilization);
    for (size_t i = 0; i < f->run_count && run == NULL; i++)
        if (p->platform != NULL && p->platform->stored &&
            strcmp(f->runs[i].platform, p->platform->name) == 0)
            run = &f->runs[i];
    if (run != NULL)
        use_run(f, run, p, utilization);
    else
        use_common(f, p, utilization);
    p->utilizations = (scenario_numbers){utilization, 1};
}

void scenario_profile_make(lua_State *L, const scenario_application *application,
                           const scenario_platform *platform, bool has_utilization,
                           scenario_profile *profile)
{
    scenario_profile *p = profile;
    *p = (scenario_profile){
        .application = application,
        .platform = platform,
        .remote_fraction = 1,
        .cost_ratio = 1,
        .loss_factor = 1,
        .occupancy_factor = 1,
        .memory_penalty = platform != NULL ? platform->memory_penalty : 1,
        .now_time = NAN,
        .measured_time = NAN,
        .measured_slowdown = NAN,
        .measured_half_width = NAN,
    };
    if (platform != NULL) {
        p->efficiency = platform->efficiency;
        if (platform->network.known)
            p->automatic_nics = clump_loggp_max_nics(&platform->network.loggp);
    }
    if (application == NULL) {
        if (!has_utilization)
            scenario_fail(L, "scenario: found neither application nor utilization, expected one");
        if (is_lossy(platform))
            use_full_packets(L, p);
        return;
    }
    /* A utilization by itself says nothing of memory; a program that was profiled uses it. */
    if (platform != NULL &&
        (application->kind == SCENARIO_BY_TRAFFIC || application->kind == SCENARIO_BY_STORE))
        p->memory_penalty = platform->stored_penalty;
    if (!isnan(application->memory_penalty))
        p->memory_penalty = application->memory_penalty;
    p->phase_cycles = application->phase_cycles;
    p->now_time = application->now_time;
    switch (application->kind) {
    case SCENARIO_BY_UTILIZATION:
        p->utilizations = application->utilizations;
        p->remote_fraction = application->remote_fraction;
        p->cost_ratio = application->cost_ratio;
        p->waiting_fraction = application->waiting_fraction;
        break;
    case SCENARIO_BY_TRAFFIC:
        if (platform == NULL)
            scenario_fail(L,
                          "application \"%s\": it is described by its traffic, expected a platform "
                          "with it",
                          name_of(application->name));
        use_traffic(L, p, &application->remote, &application->local);
        break;
    case SCENARIO_BY_STORE:
        use_store(L, p);
        break;
    case SCENARIO_BY_FIT:
        use_fit(L, p);
        break;
    case SCENARIO_BY_PHASES:
        break;
    }
    if (is_lossy(platform) && !p->has_traffic)
        use_full_packets(L, p);
}
