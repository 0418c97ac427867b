/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "fitting/slowdown/slowdown_runs.h"
#include "fitting/validation/validation_lookup.h"
#include "model/workload/traffic.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- traffic */

/*
 * U, f, V and h of an application on a platform, from the traffic and LogGP parameters in the
 * store.
 * @param now_time_s  its time on the NOW; NAN: not known
 * @param known  false if the store lacks one of these, or they contradict the time: `reason` says
 *               which, and how; nothing is written to `profile` then
 * @param contradicted  it is the latter
 * Errors: a store that failed.
 */
static clump_status find_profile(clump_store *store, const char *application, const char *platform,
                                 double now_time_s, clump_demand_profile *profile, bool *known,
                                 bool *contradicted, clump_error *reason, clump_error *error)
{
    static const char layer[] = CLUMP_STORE_PREFERRED_VARIANT;
    validation_reader reader = {.store = store};
    clump_workload workload = {.memory_penalty = 1, .time_us = 1e6 * now_time_s};
    clump_loggp network, shared_memory;
    clump_error why = {CLUMP_OK, ""};
    *known = *contradicted = false;
    snprintf(reason->message, sizeof reason->message, "its time on the NOW is not in the database");
    if (isnan(now_time_s))
        return CLUMP_OK;
    const char *lacking = NULL;
    bool lockstep = false, mutual = false;
    const validation_answer far =
        validation_traffic(&reader, platform, application, "network", &workload.remote, &why);
    validation_answer answer = far == VALIDATION_FAILED
                                   ? far
                                   : validation_traffic(&reader, platform, application,
                                                        "shared-memory", &workload.local, &why);
    if (answer == VALIDATION_UNKNOWN)
        answer = far;
    if (answer == VALIDATION_UNKNOWN)
        lacking = "its traffic is";
    if (answer == VALIDATION_KNOWN) {
        answer = validation_loggp(&reader, platform, "network", layer, true, &network, &why);
        lacking = answer == VALIDATION_UNKNOWN ? "LogGP parameters of the network are" : NULL;
    }
    if (answer == VALIDATION_KNOWN) {
        answer =
            validation_loggp(&reader, platform, "shared-memory", layer, true, &shared_memory, &why);
        lacking = answer == VALIDATION_UNKNOWN ? "LogGP parameters of shared memory are" : NULL;
    }
    if (answer == VALIDATION_FAILED)
        return clump_fail(error, CLUMP_INCONSISTENT, "%s", why.message);
    if (lacking != NULL) {
        snprintf(reason->message, sizeof reason->message, "%s not in the database", lacking);
        return CLUMP_OK;
    }
    if (validation_waited_share(&reader, application, &workload.waited_share, &why) ==
            VALIDATION_FAILED ||
        clump_store_lockstep(store, application, &lockstep) != CLUMP_STORE_OK ||
        clump_store_mutual_exchange(store, application, &mutual) != CLUMP_STORE_OK)
        return clump_fail(error, CLUMP_INCONSISTENT, "%.250s", clump_store_message(store));
    workload.lockstep = lockstep;
    workload.exchange = mutual;
    *known =
        clump_traffic_profile(&workload, &network, &shared_memory, profile, reason) == CLUMP_OK;
    *contradicted = !*known;
    return CLUMP_OK;
}

/* ---- runs from the store: the times of an application on platforms */

enum { VARIANT = 64 };

typedef struct candidate {
    clump_slowdown_record record;
    char variant[VARIANT];
} candidate;

typedef struct loading {
    clump_slowdown_runs *runs;
    clump_store *store;
    const clump_slowdown_selection *selection;
    candidate *candidates;
    size_t count, room;
    bool no_memory;
    clump_error *error;
} loading;

static clump_status fail_store(const loading *l, clump_store_status status)
{
    return clump_fail(l->error,
                      status == CLUMP_STORE_FAILED ? CLUMP_INCONSISTENT : CLUMP_BAD_ARGUMENT,
                      "%.250s", clump_store_message(l->store));
}

static bool is_same_spread(double a, double b)
{
    return (isnan(a) && isnan(b)) || !(fabs(a - b) > 0);
}

/* Documents print the same number twice: from another source it counts once. */
static bool is_reprint(const loading *l, const clump_store_sample *s)
{
    for (size_t i = 0; i < l->count; i++) {
        const clump_slowdown_record *r = &l->candidates[i].record;
        if (strcmp(r->platform, s->platform) == 0 &&
            strcmp(l->candidates[i].variant, s->variant) == 0 &&
            strcmp(r->source, s->source->name) != 0 &&
            !(fabs(r->run.time_s - s->measured.value) > 0) &&
            is_same_spread(r->half_width, s->measured.half_width) && s->measured.run == 0)
            return true;
    }
    return false;
}

static int take(const clump_store_sample *s, void *context)
{
    loading *l = context;
    const bool usual = strcmp(s->statistic, "mean") == 0 || strcmp(s->statistic, "single") == 0 ||
                       strcmp(s->statistic, "median") == 0;
    if (!usual || s->platform[0] == '\0' || !(s->measured.value > 0) || is_reprint(l, s))
        return 0;
    if (l->count == l->room) {
        const size_t room = l->room > 0 ? 2 * l->room : 32;
        candidate *larger = realloc(l->candidates, room * sizeof *larger);
        l->no_memory = larger == NULL;
        if (l->no_memory)
            return 1;
        l->candidates = larger;
        l->room = room;
    }
    candidate *c = &l->candidates[l->count++];
    c->record = clump_slowdown_record_default();
    c->record.run.time_s = s->measured.value;
    c->record.half_width = s->measured.half_width;
    c->record.std_dev = s->measured.std_dev;
    snprintf(c->record.platform, sizeof c->record.platform, "%s", s->platform);
    snprintf(c->record.source, sizeof c->record.source, "%s", s->source->name);
    snprintf(c->variant, sizeof c->variant, "%.63s", s->variant);
    return 0;
}

static clump_status gather(loading *l)
{
    const clump_slowdown_selection *s = l->selection;
    const clump_store_filter filter = {.application = s->application,
                                       .quantity =
                                           s->quantity != NULL ? s->quantity : "execution_time",
                                       .variant = s->variant,
                                       .sure = true};
    const clump_store_status status = clump_store_each_sample(l->store, &filter, take, l);
    if (l->no_memory)
        return clump_fail_memory(l->error, "the runs");
    if (status != CLUMP_STORE_OK)
        return fail_store(l, status);
    if (l->count == 0)
        return clump_fail(l->error, CLUMP_BAD_ARGUMENT,
                          "application '%.60s': the database has no %.40s of it; import some "
                          "(clumpmodel import csv), or give times with --run or --file",
                          s->application, filter.quantity);
    return CLUMP_OK;
}

/* The variant to use on a platform: the preferred one, or else the only one. */
static clump_status find_variant(const loading *l, const char *platform, const char **variant)
{
    *variant = NULL;
    const char *other = NULL;
    for (size_t i = 0; i < l->count; i++) {
        const candidate *c = &l->candidates[i];
        if (strcmp(c->record.platform, platform) != 0)
            continue;
        if (strcmp(c->variant, CLUMP_STORE_PREFERRED_VARIANT) == 0) {
            *variant = c->variant;
            return CLUMP_OK;
        }
        if (*variant != NULL && strcmp(*variant, c->variant) != 0)
            other = c->variant;
        else
            *variant = c->variant;
    }
    return other == NULL
               ? CLUMP_OK
               : clump_fail(l->error, CLUMP_BAD_ARGUMENT,
                            "platform '%.60s': found times of variants '%.30s' and '%.30s', "
                            "expected --variant to say which",
                            platform, *variant, other);
}

static bool is_listed(const loading *l, const char *name)
{
    for (size_t i = 0; i < l->selection->platform_count; i++)
        if (strcmp(l->selection->platforms[i], name) == 0)
            return true;
    return l->selection->platforms == NULL;
}

static bool is_counterpart(const loading *l, const char *name, bool of_listed, bool *found,
                           clump_status *status)
{
    *found = false;
    for (size_t i = 0; i < l->count && !*found; i++) {
        clump_store_platform *p = NULL;
        const char *platform = l->candidates[i].record.platform;
        if (of_listed && !is_listed(l, platform))
            continue;
        const clump_store_status read = clump_store_find_platform(l->store, platform, &p);
        if (read != CLUMP_STORE_OK) {
            *status = fail_store(l, read);
            return false;
        }
        *found = p->counterpart != NULL && strcmp(p->counterpart, name) == 0;
        clump_store_free(p);
    }
    return true;
}

static clump_status set_base(const loading *l, const clump_store_platform *p,
                             clump_slowdown_record *record)
{
    clump_status status = CLUMP_OK;
    bool is_now = false;
    const char *base = p->counterpart;
    if (base == NULL) {
        is_counterpart(l, p->name, false, &is_now, &status);
        base = is_now ? p->name : "";
    }
    snprintf(record->base, sizeof record->base, "%s", base);
    return status;
}

/* Time of the NOW that a platform is compared with, for shares of its time; NAN if unknown. */
static double base_time(const loading *l, const clump_store_platform *p)
{
    const char *variant;
    double sum = 0;
    size_t count = 0;
    if (p->counterpart == NULL || find_variant(l, p->counterpart, &variant) != CLUMP_OK)
        return NAN;
    for (size_t i = 0; i < l->count; i++) {
        const candidate *c = &l->candidates[i];
        if (strcmp(c->record.platform, p->counterpart) == 0 && strcmp(c->variant, variant) == 0) {
            sum += c->record.run.time_s;
            count++;
        }
    }
    return count > 0 ? sum / (double)count : NAN;
}

static clump_status describe(loading *l, const clump_store_platform *p,
                             clump_slowdown_record *record)
{
    clump_slowdown_run *run = &record->run;
    run->processors = (size_t)p->processors;
    run->nics = (size_t)p->nics;
    run->mapping = l->selection->mapping;
    if (p->mapping != NULL)
        clump_mapping_parse(p->mapping, &run->mapping);
    clump_status status = set_base(l, p, record);
    if (status != CLUMP_OK || run->processors == 1)
        return status;
    clump_demand_profile profile;
    clump_error reason;
    bool known = false, contradicted = false;
    status = find_profile(l->store, l->selection->application, p->name, base_time(l, p), &profile,
                          &known, &contradicted, &reason, l->error);
    if (status != CLUMP_OK)
        return status;
    if (!known)
        snprintf(record->unknown, sizeof record->unknown, "%s", reason.message);
    if (contradicted)
        clump_slowdown_runs_notice(l->runs, "its traffic on '%s' is not used: %s", p->name,
                                   reason.message);
    else if (!known)
        clump_slowdown_runs_notice(l->runs,
                                   "its traffic on '%s' is not known: what share of it leaves a "
                                   "node is that of --fix f, or all",
                                   p->name);
    if (known) {
        run->utilization = profile.utilization;
        run->remote_fraction = profile.coupling.remote_fraction;
        run->cost_ratio = profile.coupling.cost_ratio;
        run->waiting_fraction = profile.coupling.waiting_fraction;
    }
    return CLUMP_OK;
}

/* All times of one platform, of one variant. */
static clump_status add_platform(loading *l, const char *name)
{
    const char *variant;
    clump_store_platform *p = NULL;
    clump_status status = find_variant(l, name, &variant);
    if (status != CLUMP_OK)
        return status;
    const clump_store_status read = clump_store_find_platform(l->store, name, &p);
    if (read != CLUMP_STORE_OK)
        return fail_store(l, read);
    clump_slowdown_record common = clump_slowdown_record_default();
    status = describe(l, p, &common);
    clump_store_free(p);
    for (size_t i = 0; i < l->count && status == CLUMP_OK; i++) {
        const candidate *c = &l->candidates[i];
        if (strcmp(c->record.platform, name) != 0 || strcmp(c->variant, variant) != 0)
            continue;
        clump_slowdown_record record = c->record;
        const double time = record.run.time_s;
        record.run = common.run;
        record.run.time_s = time;
        memcpy(record.base, common.base, sizeof record.base);
        memcpy(record.unknown, common.unknown, sizeof record.unknown);
        status = clump_slowdown_runs_add(l->runs, &record, l->error);
    }
    return status;
}

static clump_status add_all(loading *l)
{
    for (size_t i = 0; i < l->count; i++) {
        const char *name = l->candidates[i].record.platform;
        clump_status status = CLUMP_OK;
        bool wanted = is_listed(l, name), seen = false;
        for (size_t j = 0; j < i && !seen; j++)
            seen = strcmp(l->candidates[j].record.platform, name) == 0;
        if (seen)
            continue;
        if (!wanted && !is_counterpart(l, name, true, &wanted, &status))
            return status;
        if (wanted)
            status = add_platform(l, name);
        if (status != CLUMP_OK)
            return status;
    }
    return CLUMP_OK;
}

static clump_status check_listed(const loading *l)
{
    for (size_t k = 0; k < l->selection->platform_count; k++) {
        bool found = false;
        for (size_t i = 0; i < l->count && !found; i++)
            found = strcmp(l->candidates[i].record.platform, l->selection->platforms[k]) == 0;
        if (!found)
            return clump_fail(l->error, CLUMP_BAD_ARGUMENT,
                              "application '%.60s': the database has no time of it on platform "
                              "'%.60s'",
                              l->selection->application, l->selection->platforms[k]);
    }
    return CLUMP_OK;
}

clump_status clump_slowdown_runs_load(clump_slowdown_runs *runs, clump_store *store,
                                      const clump_slowdown_selection *selection, clump_error *error)
{
    loading l = {.runs = runs, .store = store, .selection = selection, .error = error};
    clump_status status = gather(&l);
    if (status == CLUMP_OK)
        status = check_listed(&l);
    if (status == CLUMP_OK)
        status = add_all(&l);
    free(l.candidates);
    return status;
}
