/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Applications whose traffic and times the store has, platform by platform. */
#include "scenarios/kind.h"
#include "scenarios/setup.h"
#include "scenarios/stored.h"

#include <math.h>

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
        scenario_profile_invalid(
            L, p,
            "platform \"%s\": the store names no NOW as its counterpart, expected one "
            "on which application \"%s\" was measured; or describe it in a scenario, with "
            "application { computation = ..., remote_traffic = ... } ('clumpmodel data show "
            "%s' has what was imported)",
            platform, application, application);
        return;
    }
    const bool counted = scenario_stored_traffic(L, application, platform, &remote, &local);
    if (!counted && !scenario_stored_scaled_traffic(L, application, p->platform, &remote, &local)) {
        scenario_profile_invalid(
            L, p,
            "application \"%s\": the store does not have its traffic on platform \"%s\"; "
            "describe it with application { ... }, or add what was measured",
            application, platform);
        return;
    }
    if (!scenario_stored_time(L, application, now, &p->now_time, &now_half_width)) {
        scenario_application_invalid(L, p,
                                     "the store does not have its time on \"%s\", the NOW to "
                                     "compare platform \"%s\" with",
                                     now, platform);
        return;
    }
    const double now_time = p->now_time;
    p->computation = scenario_stored_computation(L, p->application, p->platform);
    if (counted)
        p->uneven = scenario_stored_uneven(L, application, p->platform, &remote, &local);
    scenario_traffic_use(L, p, &remote, &local);
    if (p->invalid != NULL)
        return;
    if (!scenario_is_lossy(p->platform) && isnan(p->now_utilization))
        p->now_time = now_time; /* not rounded by units */
    p->split_processors = p->platform->processors;
    if (!scenario_is_lossy(p->platform) &&
        scenario_stored_time(L, application, platform, &p->measured_time, &half_width))
        use_measured(p, now_half_width, half_width);
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
                p->uneven = scenario_stored_uneven(L, application, &counted, &remote, &local);
            return scenario_traffic_set(L, p, &remote, &local, from[i]->origin_processors);
        }
    for (size_t i = 0; i < 2; i++)
        if (from[i]->stored &&
            scenario_stored_scaled_traffic(L, application, from[i], &remote, &local))
            return scenario_traffic_set(L, p, &remote, &local, from[i]->processors);
    scenario_profile_invalid(
        L, p,
        "application \"%s\": the store has its traffic neither on platform \"%s\" nor on \"%s\"; "
        "describe it with application { ... }, or add what was measured ('clumpmodel data show %s' "
        "has what was imported)",
        application, scenario_name_of(p->platform->name), scenario_name_of(other->name),
        application);
    return false;
}

static void use_store_on_both(lua_State *L, scenario_profile *p, scenario_profile *other)
{
    const char *name = p->application->name;
    const scenario_platform *platform = p->platform, *basis = other->platform;
    const scenario_platform *const both[] = {basis, platform};
    double half_width;
    if (!compare_stored_traffic(L, other, platform) || !compare_stored_traffic(L, p, basis))
        return;
    /* What is computed is known from the machine that it is compared with, or else from this one. */
    for (size_t i = 0; i < 2 && isnan(other->computation); i++)
        if (both[i]->stored) {
            other->computation = scenario_stored_computation(L, p->application, both[i]);
            other->overlaps = true;
        }
    if (basis->stored)
        scenario_stored_time(L, name, basis->name, &other->measured_time, &half_width);
    if (basis->stored && basis->counterpart != NULL)
        scenario_stored_time(L, name, basis->counterpart, &other->now_time, &half_width);
    if (platform->stored)
        scenario_stored_time(L, name, platform->name, &p->measured_time, &half_width);
    scenario_traffic_compare(L, p, other);
}

const scenario_kind scenario_by_store = {
    .is_of_messages = true,
    .losses = SCENARIO_LOSSES_OF_KIND,
    .profile = use_store,
    .profile_both = use_store_on_both,
};
