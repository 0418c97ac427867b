/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Applications by what a processor sends: LogGP parameters of the platform make shares of the time of it. */
#include "scenarios/kind.h"
#include "scenarios/setup.h"

#include "scenarios/uneven.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---- application { ... } */

/* Whoever gives the bytes of one message, or has exchanged both numbers, would be told of NICs that have nothing to do. */
static void compare_sizes(lua_State *L, const char *what, const clump_traffic *t)
{
    char line[300];
    if (!(t->bulk_bytes > 0) || t->bulk_bytes >= t->bulk_messages)
        return;
    snprintf(
        line, sizeof line,
        "%.100s: bulk_bytes %g for %g bulk_messages is less than a byte for each: they are the "
        "bytes of all of them together",
        what, t->bulk_bytes, t->bulk_messages);
    scenario_tell(L, line);
}

/* @return whether some of it differs from processor to processor */
static bool read_traffic(scenario_table outer, const char *key, clump_traffic *traffic,
                         scenario_spread spreads[3], size_t *processors)
{
    static const char *const keys[] = {"short_messages", "bulk_messages", "bulk_bytes"};
    scenario_table table;
    bool uneven = false;
    *traffic = (clump_traffic){0, 0, 0};
    if (!scenario_table_open(outer, key, "short_messages bulk_messages bulk_bytes", &table))
        return false;
    for (size_t i = 0; i < 3; i++)
        uneven = scenario_spread_field(table, keys[i], &spreads[i], processors) || uneven;
    *traffic = (clump_traffic){spreads[0].of.mean, spreads[1].of.mean, spreads[2].of.mean};
    compare_sizes(table.L, table.what, traffic);
    lua_pop(table.L, 2);
    return uneven;
}

static void read_all_traffic(scenario_table table, scenario_application *a)
{
    scenario_uneven *u = scenario_allocate(table.L, 1, sizeof *u);
    const bool remote =
        read_traffic(table, "remote_traffic", &a->remote, u->remote, &u->processors);
    const bool local = read_traffic(table, "local_traffic", &a->local, u->local, &u->processors);
    a->uneven = remote || local ? u : NULL;
}

static void read_style(scenario_table table, scenario_application *a)
{
    enum { STREAMING, BLOCKING, EXCHANGE };
    const size_t style = scenario_choice(table, "style", "streaming blocking exchange", STREAMING);
    a->waited_share = scenario_number(table, "waited_share", &scenario_share, style != STREAMING);
    a->exchange = style == EXCHANGE;
    if (scenario_has(table, "style") && scenario_has(table, "waited_share"))
        scenario_fail(table.L, "%s: found style and waited_share, expected one of them",
                      table.what);
}

static void read_all(scenario_table table, scenario_application *a)
{
    read_all_traffic(table, a);
    read_style(table, a);
    a->lockstep = scenario_truth(table, "lockstep");
}

/* ---- on a platform */

/* NICs that the mean remote message keeps busy while the processor handles one (8.5.3). */
static double automatic_nics(const clump_traffic *remote, const clump_loggp *network)
{
    const double messages = remote->short_messages + remote->bulk_messages;
    const double extra = fmax(remote->bulk_bytes - remote->bulk_messages, 0);
    return messages > 0 ? clump_loggp_max_nics_bulk(network, 1 + extra / messages)
                        : clump_loggp_max_nics(network);
}

/* Where the NOW has a network of its own: the time that it would take with that of the platform, which
 * section 8 compares with. NAN stays. false: it is invalid. */
static bool exchange_network(lua_State *L, scenario_profile *p, double *now_time)
{
    scenario_platform now = *p->platform;
    scenario_profile there = *p;
    clump_error error;
    double own, others, given = *now_time;
    if (!p->platform->now_network.known || scenario_is_lossy(p->platform) ||
        (isnan(given) && isnan(p->computation)))
        return true;
    if (p->application->uneven != NULL) {
        scenario_application_invalid(
            L, p,
            "its NOW has a network of its own (now_network), which traffic "
            "that "
            "differs from processor to processor is not converted to");
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
        scenario_application_invalid(L, p, "%s", error.message);
        return false;
    }
    if (isnan(given))
        given = p->computation + others;
    if (others > given) {
        scenario_application_invalid(
            L, p,
            "the traffic takes %f s on the NOW by its LogGP parameters, more "
            "than the %f s given for the whole run",
            others, given);
        return false;
    }
    if (!isnan(*now_time))
        *now_time = given - others + own;
    p->now_factor = (given - others + own) / given;
    p->now_utilization = others / given;
    return true;
}

/* The traffic itself, on a platform with the LogGP parameters for it; false: it is invalid. */
static bool set_traffic(lua_State *L, scenario_profile *p, const clump_traffic *remote,
                        const clump_traffic *local)
{
    const bool inside = local->short_messages > 0 || local->bulk_messages > 0;
    if (!scenario_profile_has(L, p, &p->platform->network, "network") ||
        (inside && !scenario_profile_has(L, p, &p->platform->shared_memory, "shared_memory")))
        return false;
    p->has_traffic = true;
    p->remote = *remote;
    p->local = *local;
    p->waited_share = p->application->waited_share;
    p->automatic_nics = automatic_nics(remote, &p->platform->network.loggp);
    return true;
}

/* Everything that follows from the traffic and that time on the NOW, or the computation. */
static clump_status take_time(lua_State *L, scenario_profile *p, double now_time,
                              clump_error *error)
{
    double *utilization = scenario_allocate(L, 1, sizeof *utilization);
    const clump_status status =
        scenario_profile_time(p, now_time, p->computation, utilization, error);
    if (status == CLUMP_NO_MEMORY)
        scenario_fail_memory(L);
    p->clean_time = isnan(now_time) && status == CLUMP_OK
                        ? p->computation + *utilization * p->now_time / p->loss_factor
                        : now_time;
    return status;
}

static void refuse_time(lua_State *L, scenario_profile *p, const clump_error *error)
{
    scenario_profile_invalid(L, p, "application \"%s\" on platform \"%s\": %s",
                             scenario_name_of(p->application->name),
                             scenario_name_of(p->platform->name), error->message);
}

void scenario_traffic_use(lua_State *L, scenario_profile *p, const clump_traffic *remote,
                          const clump_traffic *local)
{
    double now_time = p->now_time;
    clump_error error;
    if (!set_traffic(L, p, remote, local) || !exchange_network(L, p, &now_time))
        return;
    if (isnan(now_time) && isnan(p->computation))
        scenario_application_invalid(
            L, p,
            "found neither now_time nor computation; times on platforms alone are for "
            "compare_with");
    else if (take_time(L, p, now_time, &error) != CLUMP_OK)
        refuse_time(L, p, &error);
}

static void use_own(lua_State *L, scenario_profile *p)
{
    if (p->platform == NULL)
        scenario_fail(L,
                      "application \"%s\": it is described by its traffic, expected a platform "
                      "with it",
                      scenario_name_of(p->application->name));
    scenario_traffic_use(L, p, &p->application->remote, &p->application->local);
}

/* ---- compared with another platform */

/* On a node with one processor everything is remote. */
bool scenario_traffic_set(lua_State *L, scenario_profile *p, const clump_traffic *remote,
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

/* Times of the program on the basis: there, and on its NOW. */
static void time_basis(lua_State *L, scenario_profile *p)
{
    clump_error error;
    scenario_profile_measured(p);
    double now_time = p->now_time;
    const bool measured = !isnan(p->measured_time);
    if (!exchange_network(L, p, &now_time))
        return;
    p->clean_time = now_time;
    p->now_factor = 1; /* platforms are compared by their times, not with that NOW */
    p->now_utilization = NAN;
    if (isnan(now_time) && isnan(p->computation)) {
        if (!measured)
            scenario_application_invalid(
                L, p,
                "its time on \"%s\", with which it is compared, is not known: expected that, or "
                "that on a NOW",
                scenario_name_of(p->platform->name));
    } else if (take_time(L, p, now_time, &error) != CLUMP_OK) {
        p->now_time = p->clean_time = NAN;
        if (!measured)
            refuse_time(L, p, &error);
    }
}

void scenario_traffic_compare(lua_State *L, scenario_profile *p, scenario_profile *other)
{
    p->computation = other->computation;
    p->overlaps = other->overlaps;
    time_basis(L, other);
    scenario_profile_measured(p);
    /* What follows from a time on the NOW follows in scenario_compare_set_up. */
    p->now_time = p->clean_time = p->measured_slowdown = NAN;
}

static void use_own_on_both(lua_State *L, scenario_profile *p, scenario_profile *other)
{
    const scenario_application *a = p->application;
    if (scenario_traffic_set(L, other, &a->remote, &a->local, 0) &&
        scenario_traffic_set(L, p, &a->remote, &a->local, 0))
        scenario_traffic_compare(L, p, other);
}

const scenario_kind scenario_by_traffic = {
    .fields = "remote_traffic local_traffic style waited_share computation lockstep "
              "now_computation node_computation",
    .is_of_messages = true,
    .losses = SCENARIO_LOSSES_OF_KIND,
    .needs_time = true,
    .tells_times = true,
    .read = read_all,
    .profile = use_own,
    .profile_both = use_own_on_both,
};
