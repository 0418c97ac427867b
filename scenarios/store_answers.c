/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "scenarios/store_answers.h"

#include "data/hash.h"

#include <gsl/gsl_cdf.h>

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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

/* ---- answers that are kept */

enum { BUCKETS = 256, MOST = 20000 };

struct clump_scenario_cache {
    scenario_answer *buckets[BUCKETS];
    size_t count;
    double recording_bytes; /* about */
};

clump_scenario_cache *clump_scenario_cache_new(void)
{
    return calloc(1, sizeof(clump_scenario_cache));
}

void clump_scenario_cache_free(clump_scenario_cache *cache)
{
    for (size_t i = 0; cache != NULL && i < BUCKETS; i++)
        while (cache->buckets[i] != NULL) {
            scenario_answer *first = cache->buckets[i];
            cache->buckets[i] = first->next;
            clump_recorded_kept_free(first->recording);
            free(first->why);
            free(first);
        }
    free(cache);
}

static scenario_answer *find_answer(lua_State *L, const char *const *parts, size_t count)
{
    clump_scenario_cache *cache = scenario_sandbox_of(L)->options->cache;
    char key[400];
    size_t used = 0;
    /* Between parts there is a control character, which no name has; NULL and "" are different. */
    for (size_t i = 0; i < count && used < sizeof key; i++)
        used += (size_t)snprintf(key + used, sizeof key - used, "%s%s\x1f",
                                 parts[i] != NULL ? "=" : "", parts[i] != NULL ? parts[i] : "");
    if (cache == NULL || used >= sizeof key)
        return scenario_allocate(L, 1, sizeof(scenario_answer) + 1);
    scenario_answer **bucket =
        &cache->buckets[clump_hash_bytes(CLUMP_HASH_START, key, used) % BUCKETS];
    for (scenario_answer *a = *bucket; a != NULL; a = a->next)
        if (strcmp(a->key, key) == 0)
            return a;
    scenario_answer *a = cache->count < MOST ? calloc(1, sizeof *a + used + 1) : NULL;
    if (a == NULL)
        return scenario_allocate(L, 1, sizeof *a + 1);
    strcpy(a->key, key);
    a->next = *bucket;
    *bucket = a;
    cache->count++;
    return a;
}

scenario_answer *scenario_answer_of(lua_State *L, const char *kind, const char *name,
                                    const char *other)
{
    return find_answer(L, (const char *const[]){kind, name, other}, 3);
}

scenario_answer *scenario_answer_to(lua_State *L, const clump_store_filter *f)
{
    const char *const parts[] = {f->platform, f->application, f->transport,
                                 f->quantity, f->statistic,   f->variant};
    return find_answer(L, parts, sizeof parts / sizeof *parts);
}

/* The message of the store, as long as the answer. */
static void keep_message(lua_State *L, scenario_answer *a)
{
    const char *message = clump_store_message(scenario_sandbox_of(L)->options->store);
    free(a->why);
    a->why =
        *a->key != '\0' ? strdup(message) : (char *)(uintptr_t)scenario_copy_quietly(L, message);
}

clump_recorded_kept **scenario_answer_recordings(lua_State *L, scenario_answer *a, double bytes)
{
    clump_scenario_cache *cache = scenario_sandbox_of(L)->options->cache;
    if (*a->key == '\0' || cache->recording_bytes + bytes > SCENARIO_RECORDING_BYTES)
        return &scenario_sandbox_of(L)->recordings;
    cache->recording_bytes += bytes;
    return &a->recording;
}

/* ---- numbers, drawn */

double scenario_draw_normal(lua_State *L, double median, double deviation, double least,
                            double most, const char *name, ...)
{
    const clump_scenario_options *options = scenario_sandbox_of(L)->options;
    const clump_uncertain distribution = {
        .kind = CLUMP_UNCERTAIN_NORMAL, .a = median, .b = deviation, .least = least, .most = most};
    char text[160];
    va_list parts;
    if (!(deviation > 0))
        return median;
    scenario_sandbox_of(L)->uncertain = true;
    if (options->draw == NULL || clump_uncertain_check(&distribution, NULL) != CLUMP_OK)
        return median;
    va_start(parts, name);
    vsnprintf(text, sizeof text, name, parts);
    va_end(parts);
    return options->draw(text, &distribution, options->draw_context);
}

double scenario_half_width(const clump_store_measurement *m)
{
    const double n = (double)m->iterations;
    if (m->half_width > 0 || !(m->std_dev > 0))
        return m->half_width;
    return n > 1 ? gsl_cdf_tdist_Pinv(0.975, n - 1) * m->std_dev / sqrt(n)
                 : CLUMP_UNCERTAIN_95 * m->std_dev;
}

/* ---- single values */

clump_store_status scenario_store_value(lua_State *L, const clump_store_filter *filter,
                                        const char **why, clump_store_measurement *measured)
{
    scenario_answer *a = scenario_answer_to(L, filter);
    if (!a->known) {
        clump_store_filter wanted = *filter;
        wanted.variant = CLUMP_STORE_PREFERRED_VARIANT;
        wanted.sure = true;
        a->status = clump_store_value(scenario_store_of(L), &wanted, &a->measured);
        if (a->status == CLUMP_STORE_NOT_FOUND) {
            wanted.variant = NULL;
            a->status = clump_store_value(scenario_store_of(L), &wanted, &a->measured);
        }
        if (a->status == CLUMP_STORE_FAILED)
            scenario_store_fail(L, a->status, "store");
        if (a->status != CLUMP_STORE_OK)
            keep_message(L, a);
        a->measured.note = NULL;
        a->known = a->status == CLUMP_STORE_OK || a->status == CLUMP_STORE_NOT_FOUND;
    }
    *measured = a->measured;
    if (why != NULL)
        *why = a->why;
    return a->status;
}

static int stop_at_first(const clump_store_sample *sample, void *context)
{
    (void)sample;
    (void)context;
    return 1;
}

bool scenario_store_has_transport(lua_State *L, const char *platform, const char *transport)
{
    scenario_answer *a = scenario_answer_of(L, "transport", platform, transport);
    /* Doubtful samples count: they hide what would be inherited. */
    const clump_store_filter filter = {
        .platform = platform, .application = "", .transport = transport, .inherit = true};
    if (!a->known) {
        a->status = clump_store_each_sample(scenario_store_of(L), &filter, stop_at_first, NULL);
        if (a->status == CLUMP_STORE_FAILED)
            scenario_store_fail(L, a->status, "store");
        a->known = true;
    }
    return a->status == CLUMP_STORE_STOPPED || a->status == CLUMP_STORE_BAD_INPUT;
}

bool scenario_store_number(lua_State *L, const clump_store_filter *filter, double *value)
{
    clump_store_measurement m;
    if (scenario_store_value(L, filter, NULL, &m) != CLUMP_STORE_OK)
        return false;
    *value = scenario_draw_measured(L, m.value, m.half_width, "%.50s %.50s %.40s", filter->platform,
                                    filter->application, filter->quantity);
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
