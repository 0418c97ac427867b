/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "scenarios/bandwidth.h"

#include "data/store/memory_curve.h"
#include "scenarios/store_answers.h"

#include <math.h>

static const scenario_range rate_range = {1e-50, 1e50, false, false, NULL};
static const scenario_range feeds_range = {1, 1e9, false, false, NULL};

/* ---- what an application wants */

scenario_memory_demand scenario_memory_demand_read(scenario_table table)
{
    static const double line = 64;
    static const char *const keys[] = {"memory_share", "memory_traffic", "cache_misses"};
    const char *found = NULL;
    for (size_t i = 0; i < 3; i++) {
        if (!scenario_has(table, keys[i]))
            continue;
        if (found != NULL)
            scenario_fail(table.L, "%s: found %s and %s, expected one of them", table.what, found,
                          keys[i]);
        found = keys[i];
    }
    const double misses = scenario_number(table, "cache_misses", &scenario_not_negative, NAN);
    const double bytes = scenario_number(table, "cache_line", &scenario_positive, NAN);
    if (!isnan(bytes) && isnan(misses))
        scenario_fail(table.L, "%s: found cache_line, expected cache_misses beside it", table.what);
    return (scenario_memory_demand){
        .share = scenario_number(table, "memory_share", &scenario_share, NAN),
        .traffic = isnan(misses)
                       ? scenario_number(table, "memory_traffic", &scenario_not_negative, NAN)
                       : misses * (isnan(bytes) ? line : bytes),
    };
}

/* ---- what a platform has */

/* Rates in units of the first, which becomes 1. */
static void set_curve(lua_State *L, scenario_bandwidth *b, const double *values, size_t count)
{
    double *curve = scenario_allocate(L, count, sizeof *curve);
    for (size_t i = 0; i < count; i++)
        curve[i] = i > 0 ? values[i] / values[0] : 1;
    b->memory.curve = curve;
    b->memory.curve_length = count;
}

scenario_bandwidth scenario_bandwidth_read(scenario_table outer, const char *key,
                                           const scenario_bandwidth *like)
{
    lua_State *L = outer.L;
    scenario_bandwidth b = {.known = true};
    scenario_table table;
    clump_error error;
    if (!scenario_table_open(outer, key, "feeds curve bandwidth law", &table))
        return *like;
    const char *what = table.what;
    b.memory.law = (clump_memory_law)scenario_choice(table, "law", "queue roofline measured",
                                                     CLUMP_MEMORY_QUEUE);
    b.memory.feeds = scenario_number(table, "feeds", &feeds_range, 0);
    const scenario_numbers curve = scenario_number_list(table, "curve", &rate_range);
    const scenario_numbers bytes = scenario_number_list(table, "bandwidth", &rate_range);
    const bool measured = bytes.count > 1;
    if ((b.memory.feeds > 0) + (curve.count > 0) + measured != 1)
        scenario_fail(L,
                      "%s: expected feeds, or curve, or a list of bandwidth for 1, 2, ... "
                      "processes, and one of them only",
                      what);
    if (bytes.count > 0)
        b.one = bytes.values[0];
    if (curve.count > 0)
        set_curve(L, &b, curve.values, curve.count);
    else if (measured)
        set_curve(L, &b, bytes.values, bytes.count);
    if (curve.count > 0 && !(fabs(curve.values[0] - 1) <= 1e-12))
        scenario_fail(L, "%s: the curve begins with %f, expected 1, the rate of one processor",
                      what, curve.values[0]);
    if (clump_memory_check(&b.memory, &error) != CLUMP_OK)
        scenario_fail(L, "%s: %s", what, error.message);
    lua_pop(L, 2);
    return b;
}

/* ---- of a platform of the store */

/* The factor by which the bandwidths of all these points are off together, drawn. Errors of the points of one
 * run have a common cause (a clock, pages that were unlucky): drawn one by one they would average out. */
static double draw_factor(lua_State *L, const char *platform, const char *of,
                          const clump_store_memory_point *points, size_t count)
{
    double square = 0;
    size_t known = 0;
    for (size_t i = 0; i < count; i++)
        if (points[i].half_width > 0) {
            const double relative = points[i].half_width / points[i].bandwidth;
            square += relative * relative;
            known++;
        }
    if (known == 0)
        return 1;
    return scenario_draw_normal(L, 1, sqrt(square / (double)known) / CLUMP_UNCERTAIN_95, 0.01,
                                HUGE_VAL, "%.80s memory_bandwidth of %s", platform, of);
}

/* Copies of the curve, in bytes a second. */
static scenario_bandwidth use_curve(lua_State *L, const clump_store_memory_curve *curve,
                                    const char *platform)
{
    const clump_store_memory_point *points = curve->points;
    const double of_one = draw_factor(L, platform, "one process", points, 1);
    const double of_more =
        draw_factor(L, platform, "several processes", points + 1, curve->processes - 1);
    scenario_bandwidth b = {.known = true, .one = 1e6 * of_one * points[0].bandwidth};
    double *rates = scenario_allocate_quietly(L, curve->processes, sizeof *rates);
    for (size_t i = 0; i < curve->processes && rates != NULL; i++)
        rates[i] = i > 0 ? of_more * points[i].bandwidth / (of_one * points[0].bandwidth) : 1;
    b.memory.curve = rates;
    b.memory.curve_length = curve->processes;
    return b;
}

scenario_bandwidth scenario_stored_bandwidth(lua_State *L, const char *platform)
{
    scenario_bandwidth found = {.known = false};
    clump_store_memory_curve *curve = NULL;
    const clump_store_status status =
        clump_store_find_memory_curve(scenario_store_of(L), platform, NULL, NULL, &curve);
    if (status == CLUMP_STORE_BAD_INPUT || status == CLUMP_STORE_FAILED)
        scenario_store_fail(L, status, "platform");
    if (curve == NULL) {
        found.problem =
            scenario_copy_quietly(L, clump_store_message(scenario_sandbox_of(L)->options->store));
        return found;
    }
    found = use_curve(L, curve, platform);
    clump_store_free(curve);
    if (found.memory.curve == NULL)
        scenario_fail_memory(L);
    return found;
}

/* ---- both together */

clump_status scenario_memory_station(const scenario_bandwidth *b,
                                     const scenario_memory_demand *memory_demand, double share,
                                     double feeds, size_t processors, const char *platform,
                                     clump_memory *memory, clump_error *error)
{
    scenario_bandwidth own = b != NULL ? *b : (scenario_bandwidth){.known = false};
    const char *name = scenario_name_of(platform);
    *memory = (clump_memory){.share = 0};
    if (!isnan(feeds)) {
        own.known = true;
        own.memory = (clump_memory){.feeds = feeds, .law = own.memory.law};
        if (own.memory.law == CLUMP_MEMORY_MEASURED)
            own.memory.law = CLUMP_MEMORY_QUEUE;
    }
    const bool whole = own.known && own.memory.law == CLUMP_MEMORY_MEASURED;
    const double traffic =
        isnan(share) && isnan(memory_demand->share) ? memory_demand->traffic : NAN;
    if (isnan(share))
        share = memory_demand->share;
    if (processors == 1 || (isnan(share) && isnan(traffic) && !whole))
        return CLUMP_OK;
    if (!own.known && (share > 0 || traffic > 0))
        return clump_fail(error, CLUMP_BAD_ARGUMENT,
                          "a share of memory is wanted, but nothing is known of the memory of "
                          "\"%.60s\": expected memory = { feeds = ... } of the platform, "
                          "memory_feeds, or a curve that 'calibrate memory' measured%s%s",
                          name, own.problem != NULL ? "; the database: " : "",
                          own.problem != NULL ? own.problem : "");
    if (!own.known)
        return CLUMP_OK;
    if (!isnan(traffic) && !whole && !(own.one > 0))
        return clump_fail(error, CLUMP_BAD_ARGUMENT,
                          "memory_traffic is %.4g B/s, but what one process draws of the memory of "
                          "\"%.60s\" is not known: expected bandwidth in its memory = { ... }, or "
                          "memory_share",
                          traffic, name);
    if (!isnan(traffic) && !whole) {
        share = traffic / own.one;
        if (share > 1)
            return clump_fail(error, CLUMP_BAD_ARGUMENT,
                              "memory_traffic is %.4g B/s, more than the %.4g B/s that one process "
                              "draws of the memory of \"%.60s\"",
                              traffic, own.one, name);
    }
    *memory = own.memory;
    memory->share = isnan(share) ? 0 : share;
    return CLUMP_OK;
}
