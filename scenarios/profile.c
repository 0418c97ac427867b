/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "scenarios/profile.h"

#include "scenarios/objects.h"
#include "scenarios/recorded/recorded.h"
#include "scenarios/stored_runs.h"

#include <math.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
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
                  "application \"%s\" is described by what it sends",
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
        .lossy = is_lossy(p->platform) ? &p->platform->reliability.network : NULL,
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

/* Where the NOW has a network of its own: the time that it would take with that of the platform, which
 * section 8 compares with. NAN stays. false: it is refused. */
static bool exchange_network(lua_State *L, scenario_profile *p, double *now_time)
{
    scenario_platform now = *p->platform;
    scenario_profile there = *p;
    clump_error error;
    double own, others, given = *now_time;
    if (!p->platform->now_network.known || is_lossy(p->platform) ||
        (isnan(given) && isnan(p->computation)))
        return true;
    if (p->application->uneven != NULL) {
        refuse(L, p,
               "application \"%s\": its NOW has a network of its own (now_network), which traffic "
               "that "
               "differs from processor to processor is not converted to",
               name_of(p->application->name));
        return false;
    }
    now.network = now.now_network;
    there.platform = &now;
    clump_status status = scenario_profile_communication(p, &own, &error);
    if (status == CLUMP_OK)
        status = scenario_profile_communication(&there, &others, &error);
    if (status == CLUMP_NO_MEMORY)
        scenario_fail_memory(L);
    if (status != CLUMP_OK) {
        refuse(L, p, "application \"%s\": %s", name_of(p->application->name), error.message);
        return false;
    }
    if (isnan(given))
        given = p->computation + others;
    if (others > given) {
        refuse(
            L, p,
            "application \"%s\": the traffic takes %f s on the NOW by its LogGP parameters, more "
            "than the %f s given for the whole run",
            name_of(p->application->name), others, given);
        return false;
    }
    if (!isnan(*now_time))
        *now_time = given - others + own;
    p->now_factor = (given - others + own) / given;
    p->now_utilization = others / given;
    return true;
}

/* The traffic itself, on a platform with the LogGP parameters for it; false: it is refused. */
static bool set_traffic(lua_State *L, scenario_profile *p, const clump_traffic *remote,
                        const clump_traffic *local)
{
    const bool inside = local->short_messages > 0 || local->bulk_messages > 0;
    if (!has_protocol(L, p, &p->platform->network, "network") ||
        (inside && !has_protocol(L, p, &p->platform->shared_memory, "shared_memory")))
        return false;
    p->has_traffic = true;
    p->remote = *remote;
    p->local = *local;
    p->waited_share = p->application->waited_share;
    p->automatic_nics = automatic_nics(remote, &p->platform->network.loggp);
    return true;
}

static void use_traffic(lua_State *L, scenario_profile *p, const clump_traffic *remote,
                        const clump_traffic *local)
{
    const scenario_application *a = p->application;
    double now_time = p->now_time;
    clump_error error;
    if (!set_traffic(L, p, remote, local) || !exchange_network(L, p, &now_time))
        return;
    if (isnan(now_time) && isnan(p->computation)) {
        refuse(
            L, p,
            "application \"%s\": found neither now_time nor computation; times on platforms alone "
            "are for compare_with",
            name_of(a->name));
        return;
    }
    if (is_lossy(p->platform))
        scenario_reliability_charge(L, &p->platform->reliability.network);
    double *utilization = scenario_allocate(L, 1, sizeof *utilization);
    const clump_status status =
        scenario_profile_time(p, now_time, p->computation, utilization, &error);
    if (status == CLUMP_NO_MEMORY)
        scenario_fail_memory(L);
    if (status != CLUMP_OK) {
        refuse(L, p, "application \"%s\" on platform \"%s\": %s", name_of(a->name),
               name_of(p->platform->name), error.message);
        return;
    }
    p->clean_time = isnan(now_time)
                        ? p->computation + p->utilizations.values[0] * p->now_time / p->loss_factor
                        : now_time;
}

/* Slowdown as measured; the interval by propagation of independent errors. */
static void use_measured(scenario_profile *p, double now_half_width, double half_width)
{
    const double now_time = p->now_time / p->now_factor;
    const double relative = hypot(now_half_width / now_time, half_width / p->measured_time);
    p->measured_slowdown = p->measured_time / now_time;
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
                      "platform = platform \"NAME\" with it, or compare_with",
                      application);
    const char *platform = p->platform->name, *now = p->platform->counterpart;
    if (now == NULL) {
        refuse(L, p,
               "platform \"%s\": the store names no NOW as its counterpart, expected one "
               "on which application \"%s\" was measured; or describe it in a scenario, with "
               "application { computation = ..., remote_traffic = ... } ('clumpmodel data show "
               "%s' has what was imported)",
               platform, application, application);
        return;
    }
    const bool counted = scenario_stored_traffic(L, application, platform, &remote, &local);
    if (!counted && !scenario_stored_scaled_traffic(L, application, p->platform, &remote, &local)) {
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
    p->computation = scenario_stored_computation(L, p->application, p->platform);
    if (counted)
        scenario_stored_uneven(L, application, p->platform, remote.short_messages, &p->uneven);
    use_traffic(L, p, &remote, &local);
    if (p->refused != NULL)
        return;
    if (!is_lossy(p->platform) && isnan(p->now_utilization))
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

/* ---- what was recorded */

/* What is not known, or assumed, told once each. */
static void tell_notes(lua_State *L, const scenario_profile *p)
{
    scenario_sandbox *s = scenario_sandbox_of(L);
    const clump_recorded *program = p->program;
    for (size_t i = 0; i < program->note_count && s->options->print != NULL; i++) {
        char line[600];
        snprintf(line, sizeof line, "application \"%.100s\": %s", name_of(p->application->name),
                 program->notes[i]);
        if (scenario_tell_once(s, line)) {
            const locale_t ours = uselocale(s->caller_locale);
            s->options->print(line, s->options->context);
            uselocale(ours);
        }
    }
}

static void use_recording(lua_State *L, scenario_profile *p)
{
    const scenario_application *a = p->application;
    if (p->platform == NULL)
        scenario_fail(L,
                      "application \"%s\" was recorded, which tells its messages: expected a "
                      "platform with it that carries them",
                      name_of(a->name));
    if (!has_protocol(L, p, &p->platform->network, "network"))
        return;
    if (is_lossy(p->platform)) {
        refuse(L, p,
               "application \"%s\" was recorded: networks that lose packets are not known "
               "for recordings; expected a platform without loss",
               name_of(a->name));
        return;
    }
    const clump_recorded_options options = {
        .network = &p->platform->network.loggp,
        .shared_memory =
            p->platform->shared_memory.known ? &p->platform->shared_memory.loggp : NULL,
        .half_duplex = p->platform->half_duplex,
        .stripe_bytes = a->stripe_bytes,
        .order = a->rank_order,
    };
    clump_recorded *program = scenario_allocate(L, 1, sizeof *program);
    clump_error error;
    const clump_status status = clump_recorded_make(
        a->recording, &options, scenario_sandbox_of(L)->arena, program, &error);
    if (status == CLUMP_NO_MEMORY)
        scenario_fail_memory(L);
    if (status != CLUMP_OK) {
        refuse(L, p, "application \"%s\": %s", name_of(a->name), error.message);
        return;
    }
    scenario_charge(L, 10 * program->events);
    p->program = program;
    if (a->recording->run->nodes < a->recording->run->ranks) /* what memory costs ranks beside each other is in the times */
        p->misses.now_us = NAN;
    tell_notes(L, p);
}

/* Times depend on the node, and are those of a row. */
static void use_collectives(lua_State *L, scenario_profile *p)
{
    if (p->platform == NULL)
        scenario_fail(L,
                      "application \"%s\": it is described by its collectives, expected a platform "
                      "with it",
                      name_of(p->application->name));
    if (!has_protocol(L, p, &p->platform->network, "network"))
        return;
    if (is_lossy(p->platform))
        refuse(L, p,
               "application \"%s\": networks that lose packets are not known for collectives; "
               "expected a platform without loss",
               name_of(p->application->name));
}

void scenario_profile_place(lua_State *L, scenario_profile *p, scenario_numbers processors)
{
    const double own = p->platform != NULL ? (double)p->platform->processors : 1;
    const size_t count = processors.values != NULL ? processors.count : 1;
    if (p->program == NULL || p->refused != NULL)
        return;
    clump_recorded_placed *placed = scenario_allocate(L, count, sizeof *placed);
    const char **misplaced = scenario_allocate(L, count, sizeof *misplaced);
    for (size_t i = 0; i < count; i++) {
        const size_t P = (size_t)(processors.values != NULL ? processors.values[i] : own);
        const clump_recorded *program = p->program;
        clump_error error;
        scenario_charge(L, program->operations);
        const clump_status status = clump_recorded_place(program, P, &placed[i], &error);
        if (status == CLUMP_NO_MEMORY)
            scenario_fail_memory(L);
        if (status == CLUMP_OK)
            continue;
        placed[i].processors = P;
        misplaced[i] = scenario_copy_quietly(L, error.message);
        if (misplaced[i] == NULL)
            scenario_fail_memory(L);
    }
    p->placed = placed;
    p->misplaced = misplaced;
    p->placed_count = count;
}

/* What was measured on the platform of that name, as the script says. */
static void use_times(scenario_profile *p)
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
static void begin(lua_State *L, scenario_profile *p, const scenario_application *application,
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
        .appetite = application != NULL ? application->appetite : SCENARIO_NO_APPETITE,
    };
    wants_memory = wants_memory || p->appetite.share > 0 || p->appetite.traffic > 0;
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
    if (platform != NULL &&
        (application->kind == SCENARIO_BY_TRAFFIC || application->kind == SCENARIO_BY_STORE ||
         application->kind == SCENARIO_BY_RECORDING))
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
    begin(L, p, application, platform, wanted.memory);
    if (application == NULL) {
        if (!wanted.utilization)
            scenario_fail(L, "scenario: found neither application nor utilization, expected one");
        if (is_lossy(platform))
            use_full_packets(L, p);
        return;
    }
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
    case SCENARIO_BY_RECORDING:
        use_recording(L, p);
        break;
    case SCENARIO_BY_COLLECTIVES:
        use_collectives(L, p);
        break;
    case SCENARIO_BY_PHASES:
        break;
    }
    if (p->refused != NULL)
        return;
    if (is_lossy(platform) && !p->has_traffic && p->program == NULL &&
        application->kind != SCENARIO_BY_COLLECTIVES)
        use_full_packets(L, p);
    if (!p->has_traffic)
        p->clean_time = p->now_time;
    use_times(p);
}

/* ---- compared with another platform */

/* On a node with one processor everything is remote. */
static bool compare_traffic(lua_State *L, scenario_profile *p, const clump_traffic *remote,
                            const clump_traffic *local, size_t split)
{
    clump_traffic all = *remote;
    if (p->platform->processors > 1) {
        p->split_processors = split;
        return set_traffic(L, p, remote, local);
    }
    all.short_messages += local->short_messages;
    all.bulk_messages += local->bulk_messages;
    all.bulk_bytes += local->bulk_bytes;
    return set_traffic(L, p, &all, &(clump_traffic){0, 0, 0});
}

/* That which the store knows on the platform, or else on the other one. */
static bool compare_stored_traffic(lua_State *L, scenario_profile *p,
                                   const scenario_platform *other)
{
    const scenario_platform *const from[] = {p->platform, other};
    const char *application = p->application->name;
    clump_traffic remote, local;
    for (size_t i = 0; i < 2; i++)
        if (from[i]->origin != NULL &&
            scenario_stored_traffic(L, application, from[i]->origin, &remote, &local)) {
            scenario_platform counted = *from[i];
            counted.name = from[i]->origin;
            counted.processors = from[i]->origin_processors;
            if (p->platform->processors > 1)
                scenario_stored_uneven(L, application, &counted, remote.short_messages, &p->uneven);
            return compare_traffic(L, p, &remote, &local, from[i]->origin_processors);
        }
    for (size_t i = 0; i < 2; i++)
        if (from[i]->stored &&
            scenario_stored_scaled_traffic(L, application, from[i], &remote, &local))
            return compare_traffic(L, p, &remote, &local, from[i]->processors);
    refuse(
        L, p,
        "application \"%s\": the store has its traffic neither on platform \"%s\" nor on \"%s\"; "
        "describe it with application { ... }, or add what was measured ('clumpmodel data show %s' "
        "has what was imported)",
        application, name_of(p->platform->name), name_of(other->name), application);
    return false;
}

/* Times of the program on the basis: there, and on its NOW. */
static void time_basis(lua_State *L, scenario_profile *p)
{
    const scenario_application *a = p->application;
    const scenario_platform *platform = p->platform;
    double half_width;
    clump_error error;
    if (a->kind == SCENARIO_BY_STORE && platform->stored) {
        scenario_stored_time(L, a->name, platform->name, &p->measured_time, &half_width);
        if (platform->counterpart != NULL)
            scenario_stored_time(L, a->name, platform->counterpart, &p->now_time, &half_width);
    }
    use_times(p);
    double now_time = p->now_time;
    if (!exchange_network(L, p, &now_time))
        return;
    p->clean_time = now_time;
    p->now_factor = 1; /* platforms are compared by their times, not with that NOW */
    p->now_utilization = NAN;
    if (isnan(now_time) && isnan(p->computation)) {
        if (isnan(p->measured_time))
            refuse(
                L, p,
                "application \"%s\": its time on \"%s\", with which it is compared, is not known: "
                "expected that, or that on a NOW",
                name_of(a->name), name_of(platform->name));
        return;
    }
    double *utilization = scenario_allocate(L, 1, sizeof *utilization);
    const clump_status status =
        scenario_profile_time(p, now_time, p->computation, utilization, &error);
    if (status == CLUMP_NO_MEMORY)
        scenario_fail_memory(L);
    p->clean_time = isnan(now_time) && status == CLUMP_OK
                        ? p->computation + *utilization * p->now_time / p->loss_factor
                        : now_time;
    if (status == CLUMP_OK)
        return;
    p->now_time = p->clean_time = NAN;
    if (isnan(p->measured_time))
        refuse(L, p, "application \"%s\" on platform \"%s\": %s", name_of(a->name),
               name_of(platform->name), error.message);
}

static void compare_by_traffic(lua_State *L, scenario_profile *p, scenario_profile *other)
{
    const scenario_application *a = p->application;
    scenario_profile *const sides[] = {other, p};
    double half_width;
    for (size_t i = 0; i < 2; i++) {
        scenario_profile *s = sides[i];
        const bool some = a->kind == SCENARIO_BY_STORE
                              ? compare_stored_traffic(L, s, sides[1 - i]->platform)
                              : compare_traffic(L, s, &a->remote, &a->local, 0);
        if (!some)
            return;
        if (is_lossy(s->platform))
            scenario_reliability_charge(L, &s->platform->reliability.network);
    }
    /* What is computed is known from the machine that it is compared with, or else from this one. */
    for (size_t i = 0; i < 2 && a->kind == SCENARIO_BY_STORE && isnan(other->computation); i++)
        if (sides[i]->platform->stored) {
            other->computation = scenario_stored_computation(L, a, sides[i]->platform);
            other->overlaps = true;
        }
    p->computation = other->computation;
    p->overlaps = other->overlaps;
    time_basis(L, other);
    if (a->kind == SCENARIO_BY_STORE && p->platform->stored)
        scenario_stored_time(L, a->name, p->platform->name, &p->measured_time, &half_width);
    use_times(p);
    /* What follows from a time on the NOW follows in scenario_compare_set_up. */
    p->now_time = p->clean_time = p->measured_slowdown = NAN;
}

void scenario_profile_compare(lua_State *L, const scenario_application *application,
                              const scenario_platform *platform,
                              const scenario_platform *other_platform, scenario_wanted wanted,
                              scenario_profile *profile, scenario_profile *other)
{
    if (application != NULL &&
        (application->kind == SCENARIO_BY_TRAFFIC || application->kind == SCENARIO_BY_STORE)) {
        begin(L, profile, application, platform, wanted.memory);
        begin(L, other, application, other_platform, wanted.memory);
        profile->computation = other->computation; /* what is known holds there */
        compare_by_traffic(L, profile, other);
    } else {
        scenario_profile_make(L, application, platform, wanted, profile);
        scenario_profile_make(L, application, other_platform, wanted, other);
    }
    profile->other = other;
    if (profile->refused == NULL)
        profile->refused = other->refused;
}
