/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "fitting/clusters/cluster_samples.h"
#include "fitting/slowdown/slowdown_runs.h"
#include "fitting/validation/validation_lookup.h"
#include "model/workload/traffic.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---- traffic */

/*
 * U, f, V and h of an application on a platform, from the traffic and LogGP parameters in the store.
 * @param now_time_s    its time on the NOW; NAN: not known
 * @param contradicted  these contradict the time
 * @return false if the store lacks one of these, or they contradict the time: the reader has the reason
 */
static bool find_profile(validation_reader *reader, const char *application, const char *platform,
                         double now_time_s, clump_demand_profile *profile, bool *contradicted)
{
    static const char layer[] = CLUMP_STORE_PREFERRED_VARIANT;
    clump_workload w = {.memory_penalty = 1, .time_us = 1e6 * now_time_s};
    clump_loggp network, shared_memory;
    *contradicted = false;
    if (isnan(now_time_s))
        return validation_lacks(reader, "its time on the NOW is not in the database");
    const bool far = validation_traffic(reader, platform, application, "network", &w.remote);
    const bool near = validation_traffic(reader, platform, application, "shared-memory", &w.local);
    if (!far && !near)
        return validation_lacks(reader, "its traffic is not in the database");
    if (!validation_loggp(reader, platform, "network", layer, true, &network))
        return validation_lacks(reader, "LogGP parameters of the network are not in the database");
    if (!validation_loggp(reader, platform, "shared-memory", layer, true, &shared_memory))
        return validation_lacks(reader,
                                "LogGP parameters of shared memory are not in the database");
    validation_waited_share(reader, application, &w.waited_share);
    bool lockstep = false, exchange = false;
    reader->failed =
        !validation_ok(reader, clump_store_lockstep(reader->store, application, &lockstep)) ||
        !validation_ok(reader, clump_store_mutual_exchange(reader->store, application, &exchange));
    if (reader->failed)
        return false;
    w.lockstep = lockstep;
    w.exchange = exchange;
    *contradicted =
        clump_traffic_profile(&w, &network, &shared_memory, profile, &reader->why) != CLUMP_OK;
    return !*contradicted;
}

/* ---- the times of an application on platforms */

/* A platform that it was measured on. */
typedef struct place {
    clump_store_platform *platform;
    bool listed;    /* by the user, or nobody has listed any */
    bool of_listed; /* it is the NOW of one that is listed */
    bool is_now;    /* it is the NOW of any of them */
} place;

typedef struct loading {
    clump_slowdown_runs *runs;
    const clump_slowdown_selection *selection;
    clump_cluster_work work;
    clump_cluster_samples times;
    place *places;
    size_t place_count;
    clump_error *error;
} loading;

static clump_status fail_store(const loading *l, clump_store_status status)
{
    return clump_fail(l->error,
                      status == CLUMP_STORE_FAILED ? CLUMP_INCONSISTENT : CLUMP_BAD_ARGUMENT,
                      "%.250s", clump_store_message(l->work.store));
}

static bool is_usual(const clump_cluster_sample *s)
{
    return (strcmp(s->statistic, "mean") == 0 || strcmp(s->statistic, "single") == 0 ||
            strcmp(s->statistic, "median") == 0) &&
           s->platform[0] != '\0' && s->value > 0;
}

static bool is_same_spread(double a, double b)
{
    return (isnan(a) && isnan(b)) || !(fabs(a - b) > 0);
}

/* Documents print the same number twice: from another source it counts once. */
static void drop_reprints(clump_cluster_samples *times)
{
    size_t kept = 0;
    for (size_t i = 0; i < times->count; i++) {
        const clump_cluster_sample s = times->items[i];
        bool reprint = false;
        for (size_t k = 0; k < kept && s.run == 0 && !reprint; k++) {
            const clump_cluster_sample *t = &times->items[k];
            reprint = strcmp(t->platform, s.platform) == 0 && strcmp(t->variant, s.variant) == 0 &&
                      strcmp(t->source, s.source) != 0 && !(fabs(t->value - s.value) > 0) &&
                      is_same_spread(t->half_width, s.half_width);
        }
        if (!reprint)
            times->items[kept++] = s;
    }
    times->count = kept;
}

static clump_status gather(loading *l)
{
    const clump_slowdown_selection *s = l->selection;
    const clump_store_filter filter = {.application = s->application,
                                       .quantity =
                                           s->quantity != NULL ? s->quantity : "execution_time",
                                       .variant = s->variant,
                                       .sure = true};
    const clump_store_status status = clump_cluster_samples_load(&l->work, &filter, &l->times);
    if (l->work.status == CLUMP_NO_MEMORY)
        return CLUMP_NO_MEMORY;
    if (status != CLUMP_STORE_OK)
        return fail_store(l, status);
    clump_cluster_samples_keep(&l->times, is_usual);
    drop_reprints(&l->times);
    if (l->times.count == 0)
        return clump_fail(l->error, CLUMP_BAD_ARGUMENT,
                          "application '%.60s': the database has no %.40s of it; import some "
                          "(clumpmodel import csv), or give times with --run or --file",
                          s->application, filter.quantity);
    return CLUMP_OK;
}

static place *find_place(const loading *l, const char *name)
{
    for (size_t k = 0; name != NULL && k < l->place_count; k++)
        if (strcmp(l->places[k].platform->name, name) == 0)
            return &l->places[k];
    return NULL;
}

static bool is_listed(const clump_slowdown_selection *s, const char *name)
{
    for (size_t i = 0; i < s->platform_count; i++)
        if (strcmp(s->platforms[i], name) == 0)
            return true;
    return s->platforms == NULL;
}

static clump_status find_places(loading *l)
{
    const clump_slowdown_selection *s = l->selection;
    l->places = clump_cluster_take(&l->work, l->times.count * sizeof *l->places);
    if (l->places == NULL)
        return l->work.status;
    for (size_t i = 0; i < l->times.count; i++) {
        const char *name = l->times.items[i].platform;
        place *p = &l->places[l->place_count];
        if (find_place(l, name) != NULL)
            continue;
        const clump_store_status found =
            clump_store_find_platform(l->work.store, name, &p->platform);
        if (found != CLUMP_STORE_OK)
            return fail_store(l, found);
        p->listed = is_listed(s, name);
        l->place_count++;
    }
    for (size_t k = 0; k < l->place_count; k++) {
        place *now = find_place(l, l->places[k].platform->counterpart);
        if (now != NULL) {
            now->is_now = true;
            now->of_listed = now->of_listed || l->places[k].listed;
        }
    }
    for (size_t k = 0; k < s->platform_count; k++)
        if (find_place(l, s->platforms[k]) == NULL)
            return clump_fail(l->error, CLUMP_BAD_ARGUMENT,
                              "application '%.60s': the database has no time of it on platform "
                              "'%.60s'",
                              s->application, s->platforms[k]);
    return CLUMP_OK;
}

/* The variant to use on a platform: the preferred one, or else the only one; NULL if there are several. */
static const char *find_variant(const loading *l, const char *platform)
{
    const char *variant = NULL, *other = NULL;
    for (size_t i = 0; i < l->times.count; i++) {
        const clump_cluster_sample *s = &l->times.items[i];
        if (strcmp(s->platform, platform) != 0)
            continue;
        if (strcmp(s->variant, CLUMP_STORE_PREFERRED_VARIANT) == 0)
            return s->variant;
        if (variant != NULL && strcmp(variant, s->variant) != 0)
            other = s->variant;
        else
            variant = s->variant;
    }
    if (other == NULL)
        return variant;
    clump_fail(l->error, CLUMP_BAD_ARGUMENT,
               "platform '%.60s': found times of variants '%.30s' and '%.30s', "
               "expected --variant to say which",
               platform, variant, other);
    return NULL;
}

static bool is_of(const clump_cluster_sample *s, const char *platform, const char *variant)
{
    return strcmp(s->platform, platform) == 0 && strcmp(s->variant, variant) == 0;
}

/* Time of the NOW that a platform is compared with, for shares of its time; NAN if unknown. */
static double base_time(const loading *l, const char *now)
{
    const char *variant = now != NULL ? find_variant(l, now) : NULL;
    double sum = 0;
    size_t count = 0;
    for (size_t i = 0; variant != NULL && i < l->times.count; i++)
        if (is_of(&l->times.items[i], now, variant)) {
            sum += l->times.items[i].value;
            count++;
        }
    return count > 0 ? sum / (double)count : NAN;
}

/* What all times on a platform have in common. */
static clump_status describe(loading *l, const place *at, clump_slowdown_record *record)
{
    const clump_store_platform *p = at->platform;
    clump_slowdown_run *run = &record->run;
    run->processors = (size_t)p->processors;
    run->nics = (size_t)p->nics;
    run->mapping = l->selection->mapping;
    if (p->mapping != NULL)
        clump_mapping_parse(p->mapping, &run->mapping);
    snprintf(record->platform, sizeof record->platform, "%s", p->name);
    snprintf(record->base, sizeof record->base, "%s",
             p->counterpart != NULL ? p->counterpart
             : at->is_now           ? p->name
                                    : "");
    if (run->processors == 1)
        return CLUMP_OK;
    validation_reader reader = {.store = l->work.store};
    clump_demand_profile profile;
    bool contradicted;
    const bool known = find_profile(&reader, l->selection->application, p->name,
                                    base_time(l, p->counterpart), &profile, &contradicted);
    if (reader.failed)
        return validation_fail(&reader, l->error);
    if (contradicted)
        clump_slowdown_runs_notice(l->runs, "its traffic on '%s' is not used: %s", p->name,
                                   reader.why.message);
    else if (!known)
        clump_slowdown_runs_notice(l->runs,
                                   "its traffic on '%s' is not known: what share of it leaves a "
                                   "node is that of --fix f, or all",
                                   p->name);
    if (!known) {
        snprintf(record->unknown, sizeof record->unknown, "%s", reader.why.message);
        return CLUMP_OK;
    }
    run->utilization = profile.utilization;
    run->remote_fraction = profile.coupling.remote_fraction;
    run->cost_ratio = profile.coupling.cost_ratio;
    run->waiting_fraction = profile.coupling.waiting_fraction;
    return CLUMP_OK;
}

/* All times of one platform, of one variant. */
static clump_status add_place(loading *l, const place *at)
{
    clump_slowdown_record record = clump_slowdown_record_default();
    const char *name = at->platform->name, *variant = find_variant(l, name);
    clump_status status = variant != NULL ? describe(l, at, &record) : CLUMP_BAD_ARGUMENT;
    for (size_t i = 0; i < l->times.count && status == CLUMP_OK; i++) {
        const clump_cluster_sample *s = &l->times.items[i];
        if (!is_of(s, name, variant))
            continue;
        record.run.time_s = s->value;
        record.half_width = s->half_width;
        record.std_dev = s->std_dev;
        snprintf(record.source, sizeof record.source, "%s", s->source);
        status = clump_slowdown_runs_add(l->runs, &record, l->error);
    }
    return status;
}

clump_status clump_slowdown_runs_load(clump_slowdown_runs *runs, clump_store *store,
                                      const clump_slowdown_selection *selection, clump_error *error)
{
    loading l = {.runs = runs,
                 .selection = selection,
                 .work = {.store = store, .arena = clump_arena_new(), .error = error},
                 .error = error};
    if (l.work.arena == NULL)
        return clump_fail_memory(error, "the runs");
    clump_status status = gather(&l);
    if (status == CLUMP_OK)
        status = find_places(&l);
    for (size_t k = 0; k < l.place_count && status == CLUMP_OK; k++)
        if (l.places[k].listed || l.places[k].of_listed)
            status = add_place(&l, &l.places[k]);
    for (size_t k = 0; k < l.place_count; k++)
        clump_store_free(l.places[k].platform);
    clump_arena_free(l.work.arena);
    return status;
}
