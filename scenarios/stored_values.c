/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "scenarios/stored_values.h"

#include "scenarios/field.h"
#include "scenarios/store_cache.h"

#include <gsl/gsl_cdf.h>

#include <math.h>
#include <stdio.h>

clump_store *scenario_store_of(lua_State *L)
{
    clump_store *store = scenario_sandbox_of(L)->options->store;
    if (store == NULL)
        scenario_fail(L,
                      "no database is open, expected one for names of platforms and applications");
    scenario_check_time(L);
    return store;
}

_Noreturn void scenario_store_fail(lua_State *L, clump_store_status status, const char *what)
{
    const clump_store *store = scenario_sandbox_of(L)->options->store;
    const char *message = lua_pushstring(L, clump_store_message(store));
    if (status == CLUMP_STORE_FAILED)
        scenario_fail_hard(L, clump_store_lacked_memory(store), message);
    scenario_fail(L, "%s: %s", what, message);
}

_Noreturn void scenario_store_invalid(lua_State *L, void *record, const char *what,
                                      const char *name, const char *reason)
{
    const char *copy = scenario_copy_quietly(L, name);
    clump_store_free(record);
    scenario_fail(L, "%s \"%s\": %s", what, copy != NULL ? copy : "?", reason);
}

double scenario_draw_normal(lua_State *L, const char *name, double median, double deviation,
                            double least, double most)
{
    const clump_scenario_options *options = scenario_sandbox_of(L)->options;
    const clump_uncertain distribution = {
        .kind = CLUMP_UNCERTAIN_NORMAL, .a = median, .b = deviation, .least = least, .most = most};
    if (!(deviation > 0))
        return median;
    scenario_sandbox_of(L)->uncertain = true;
    if (options->draw == NULL || clump_uncertain_check(&distribution, NULL) != CLUMP_OK)
        return median;
    return options->draw(name, &distribution, options->draw_context);
}

double scenario_draw_measured(lua_State *L, const char *name, double value, double half_width)
{
    return scenario_draw_normal(L, name, value, half_width / CLUMP_UNCERTAIN_95,
                                value >= 0 ? 0 : -HUGE_VAL, HUGE_VAL);
}

double scenario_half_width(const clump_store_measurement *m)
{
    const double n = (double)m->iterations;
    if (m->half_width > 0 || !(m->std_dev > 0))
        return m->half_width;
    return n > 1 ? gsl_cdf_tdist_Pinv(0.975, n - 1) * m->std_dev / sqrt(n)
                 : CLUMP_UNCERTAIN_95 * m->std_dev;
}

clump_store_status scenario_store_value(lua_State *L, const clump_store_filter *filter,
                                        const char **why, clump_store_measurement *measured)
{
    const scenario_cache_key key = scenario_cache_key_of_measurement(L, filter);
    const scenario_cached *known = scenario_cache_find(&key);
    clump_store_filter wanted = *filter;
    if (known != NULL && (why == NULL || known->status == CLUMP_STORE_OK || known->why != NULL)) {
        *measured = known->measured;
        if (why != NULL)
            *why = known->why;
        return known->status;
    }
    wanted.variant = CLUMP_STORE_PREFERRED_VARIANT;
    wanted.sure = true;
    clump_store_status status = clump_store_value(scenario_store_of(L), &wanted, measured);
    if (status == CLUMP_STORE_NOT_FOUND) {
        wanted.variant = NULL;
        status = clump_store_value(scenario_store_of(L), &wanted, measured);
    }
    if (status == CLUMP_STORE_FAILED)
        scenario_store_fail(L, status, "store");
    const char *message = clump_store_message(scenario_sandbox_of(L)->options->store);
    if (known == NULL)
        scenario_cache_keep_measurement(&key, status, measured, message);
    if (why != NULL)
        *why = message;
    return status;
}

static int stop_at_first(const clump_store_sample *sample, void *context)
{
    (void)sample;
    (void)context;
    return 1;
}

bool scenario_store_has_transport(lua_State *L, const char *platform, const char *transport)
{
    const scenario_cache_key key = scenario_cache_key_of(L, "transport", platform, transport);
    const scenario_cached *known = scenario_cache_find(&key);
    /* Doubtful samples count: they hide what would be inherited. */
    const clump_store_filter filter = {
        .platform = platform, .application = "", .transport = transport, .inherit = true};
    if (known != NULL)
        return known->status == CLUMP_STORE_OK;
    const clump_store_status status =
        clump_store_each_sample(scenario_store_of(L), &filter, stop_at_first, NULL);
    if (status == CLUMP_STORE_FAILED)
        scenario_store_fail(L, status, "store");
    const bool has = status == CLUMP_STORE_STOPPED || status == CLUMP_STORE_BAD_INPUT;
    scenario_cached *kept = scenario_cache_add(&key);
    if (kept != NULL)
        kept->status = has ? CLUMP_STORE_OK : CLUMP_STORE_NOT_FOUND;
    return has;
}

bool scenario_store_number(lua_State *L, const clump_store_filter *filter, double *value)
{
    clump_store_measurement measured;
    char name[SCENARIO_DRAWN_NAME];
    if (scenario_store_value(L, filter, NULL, &measured) != CLUMP_STORE_OK)
        return false;
    snprintf(name, sizeof name, "%.50s %.50s %.40s", filter->platform, filter->application,
             filter->quantity);
    *value = scenario_draw_measured(L, name, measured.value, measured.half_width);
    return true;
}

clump_store_platform *scenario_store_platform(lua_State *L, const char *name)
{
    clump_store_platform *record = NULL;
    const clump_store_status status =
        clump_store_find_platform(scenario_store_of(L), name, &record);
    if (status != CLUMP_STORE_OK)
        scenario_store_fail(L, status, "platform");
    return record;
}
