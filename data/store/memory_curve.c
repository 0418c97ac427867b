/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "data/store/memory_curve.h"
#include "data/store/handle.h"
#include "data/store/sample_list.h"

#include <gsl/gsl_cdf.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* In order of preference: what runs say, what somebody made of them, the best of them (STREAM). */
static const char *const statistics[] = {"single", "mean", "median", "max"};
enum { STATISTICS = sizeof statistics / sizeof *statistics, NAME = CLUMP_STORE_NAME + 1 };

/* Samples of one source, variant and statistic: what a curve can be made of. */
typedef struct group {
    const char *source, *variant, *platform;
    int statistic;
    bool reference;
    size_t last; /* place of its last sample among all: what is newer comes later */
} group;

typedef struct found {
    clump_arena *arena;
    clump_store_samples samples;
    size_t *group_of; /* of each sample; none: no_group */
    group *groups;
    size_t group_count;
    bool together; /* sources are not told apart */
} found;

static const size_t no_group = SIZE_MAX;

static int statistic_of(const char *name)
{
    for (int i = 0; i < STATISTICS; i++)
        if (strcmp(name, statistics[i]) == 0)
            return i;
    return -1;
}

/* The group of a sample, a new one if need be; NULL: out of memory. */
static group *group_of(found *all, const clump_store_sample *s, int statistic)
{
    for (size_t i = 0; i < all->group_count; i++) {
        group *g = &all->groups[i];
        if (g->statistic == statistic && g->reference == s->reference &&
            strcmp(g->source, s->source->name) == 0 && strcmp(g->variant, s->variant) == 0)
            return g;
    }
    group *groups = clump_arena_more(all->arena, all->groups, all->group_count, sizeof *groups);
    if (groups == NULL)
        return NULL;
    all->groups = groups;
    group *g = &groups[all->group_count++];
    *g = (group){.statistic = statistic,
                 .reference = s->reference,
                 .source = s->source->name,
                 .variant = s->variant,
                 .platform = s->platform};
    return g;
}

static bool find_groups(found *all)
{
    all->group_of = clump_arena_take(all->arena, (all->samples.count + 1) * sizeof *all->group_of);
    for (size_t i = 0; i < all->samples.count && all->group_of != NULL; i++) {
        const clump_store_sample *s = &all->samples.items[i];
        const int statistic = statistic_of(s->statistic);
        all->group_of[i] = no_group;
        if (statistic < 0) /* the least of several, a percentile: nothing to compute with */
            continue;
        group *g = group_of(all, s, statistic);
        if (g == NULL)
            return false;
        g->last = i;
        all->group_of[i] = (size_t)(g - all->groups);
    }
    return all->group_of != NULL;
}

/* ---- which of them */

static bool same_source(const group *a, const group *b)
{
    return a->reference == b->reference && strcmp(a->source, b->source) == 0;
}

/* Place of the last sample of a group's source. */
static size_t last_of_source(const found *all, const group *of)
{
    size_t last = 0;
    for (size_t i = 0; i < all->group_count; i++)
        if (same_source(&all->groups[i], of) && all->groups[i].last > last)
            last = all->groups[i].last;
    return last;
}

/* Whether `a` is to be preferred to `b`, both of variants that were asked for. */
static bool is_better(const found *all, const group *a, const group *b)
{
    if (a->reference != b->reference)
        return b->reference;
    return same_source(a, b) ? a->statistic < b->statistic
                             : last_of_source(all, a) > last_of_source(all, b);
}

static bool has_variant(const found *all, const group *of, const char *variant)
{
    for (size_t i = 0; i < all->group_count; i++)
        if (same_source(&all->groups[i], of) && strcmp(all->groups[i].variant, variant) == 0)
            return true;
    return false;
}

/* A variant of the same source that is not this one; NULL: there is none. */
static const char *other_variant(const found *all, const group *of)
{
    for (size_t i = 0; i < all->group_count; i++)
        if (same_source(&all->groups[i], of) && strcmp(all->groups[i].variant, of->variant) != 0)
            return all->groups[i].variant;
    return NULL;
}

/* ---- one curve */

/* Whether a sample is of the group, or of the same kind from another source, if these count. */
static bool is_of(const found *all, size_t sample, size_t group_index)
{
    if (all->group_of[sample] == no_group)
        return false;
    const group *a = &all->groups[all->group_of[sample]], *b = &all->groups[group_index];
    return a == b || (all->together && a->statistic == b->statistic &&
                      a->reference == b->reference && strcmp(a->variant, b->variant) == 0);
}

/* The mean of the samples of `processes`; false: there are none. */
static bool average(const found *all, size_t of, int64_t processes, clump_store_memory_point *point)
{
    double squares = 0;
    *point = (clump_store_memory_point){.half_width = NAN};
    for (size_t i = 0; i < all->samples.count; i++) {
        const clump_store_measurement *m = &all->samples.items[i].measured;
        if (!is_of(all, i, of) || m->doubtful || all->samples.items[i].processes != processes)
            continue;
        const double difference = m->value - point->bandwidth;
        point->bandwidth += difference / (double)++point->runs;
        squares += difference * (m->value - point->bandwidth);
        point->half_width = m->half_width; /* of one alone, what is said of it */
    }
    const double runs = (double)point->runs;
    if (point->runs > 1)
        point->half_width = gsl_cdf_tdist_Pinv(0.975, runs - 1) * sqrt(squares / (runs - 1) / runs);
    return point->runs > 0;
}

enum { WHY = 240 };

/* Why there is no curve. */
typedef struct reason {
    char text[WHY + 2 * NAME]; /* "": out of memory */
    bool wrong;                /* something that cannot be; else something is missing */
} reason;

/* What there is of a group: the most processes. False: `why` says what makes it useless. */
static bool is_good(const found *all, size_t of, size_t *most, size_t *doubtful, reason *why)
{
    *most = *doubtful = 0;
    for (size_t i = 0; i < all->samples.count; i++) {
        const clump_store_sample *s = &all->samples.items[i];
        const clump_store_measurement *m = &s->measured;
        if (!is_of(all, i, of))
            continue;
        *doubtful += m->doubtful;
        if (s->processes < 1 || s->processes > CLUMP_STORE_CURVE_PROCESSES) {
            why->wrong = true;
            snprintf(why->text, WHY, "a sample is of %lld processes; expected 1 to %d",
                     (long long)s->processes, CLUMP_STORE_CURVE_PROCESSES);
            return false;
        }
        if (!m->doubtful && !(m->value > 0)) {
            why->wrong = true;
            snprintf(why->text, WHY, "%lld processes have a bandwidth of %g; expected more than 0",
                     (long long)s->processes, m->value);
            return false;
        }
        if (!m->doubtful && (size_t)s->processes > *most)
            *most = (size_t)s->processes;
    }
    if (*most >= 2)
        return true;
    snprintf(why->text, WHY, "%s%s; expected 1 and more processes",
             *most == 1 ? "only one process was measured" : "all of its samples are doubtful",
             *most == 1 && *doubtful > 0 ? " without doubt" : "");
    return false;
}

/* Fill points that were not measured from their neighbours, which are at most twice as many. */
static bool interpolate(clump_store_memory_point *points, size_t most, size_t *interpolated,
                        reason *why)
{
    *interpolated = 0;
    if (points[0].runs == 0) {
        snprintf(why->text, WHY,
                 "one process alone was not measured, which is the unit of the others");
        return false;
    }
    for (size_t low = 1, high = 2; high <= most; low = high, high++) {
        while (points[high - 1].runs == 0) /* the last one was measured */
            high++;
        if (high > 2 * low) {
            snprintf(why->text, WHY,
                     "nothing was measured between %zu and %zu processes; expected %zu as well",
                     low, high, 2 * low);
            return false;
        }
        for (size_t k = low + 1; k < high; k++, ++*interpolated) {
            const double share = (double)(k - low) / (double)(high - low);
            points[k - 1] =
                (clump_store_memory_point){.bandwidth = (1 - share) * points[low - 1].bandwidth +
                                                        share * points[high - 1].bandwidth,
                                           .half_width = NAN};
        }
    }
    return true;
}

/* The curve of a group as one block; NULL: `why` says why not. */
static clump_store_memory_curve *make(const found *all, size_t of, reason *why)
{
    const group *g = &all->groups[of];
    size_t most = 0, doubtful = 0;
    *why = (reason){.text = ""};
    if (!is_good(all, of, &most, &doubtful, why))
        return NULL;
    const size_t points_size = most * sizeof(clump_store_memory_point);
    const size_t sizes[] = {strlen(g->platform) + 1, strlen(g->source) + 1, strlen(g->variant) + 1};
    clump_store_memory_curve *curve =
        malloc(sizeof *curve + points_size + sizes[0] + sizes[1] + sizes[2]);
    if (curve == NULL)
        return NULL;
    clump_store_memory_point *points = (clump_store_memory_point *)(curve + 1);
    char *text = (char *)(points + most);
    memcpy(text, g->platform, sizes[0]);
    memcpy(text + sizes[0], g->source, sizes[1]);
    memcpy(text + sizes[0] + sizes[1], g->variant, sizes[2]);
    for (size_t k = 1; k <= most; k++)
        average(all, of, (int64_t)k, &points[k - 1]);
    *curve = (clump_store_memory_curve){.processes = most,
                                        .points = points,
                                        .doubtful = doubtful,
                                        .platform = text,
                                        .source = text + sizes[0],
                                        .variant = text + sizes[0] + sizes[1],
                                        .statistic = statistics[g->statistic],
                                        .reference = g->reference};
    if (!interpolate(points, most, &curve->interpolated, why)) {
        free(curve);
        return NULL;
    }
    return curve;
}

/* ---- all of it */

/* Try groups from the best to the worst. NOT_FOUND: none makes a curve; `first` receives why the
 * first one that was asked for does not, unless it says something already. */
static clump_store_status try_all(clump_store *store, const found *all, const char *variant,
                                  bool *tried, clump_store_memory_curve **curve, reason *first)
{
    reason why;
    memset(tried, 0, all->group_count * sizeof *tried);
    for (;;) {
        size_t best = all->group_count;
        for (size_t i = 0; i < all->group_count; i++)
            if (!tried[i] &&
                (best == all->group_count || is_better(all, &all->groups[i], &all->groups[best])))
                best = i;
        if (best == all->group_count)
            return CLUMP_STORE_NOT_FOUND;
        const group *g = &all->groups[best];
        tried[best] = true;
        const char *wanted = variant;
        if (wanted == NULL && has_variant(all, g, "triad"))
            wanted = "triad";
        const char *other = other_variant(all, g);
        if (wanted != NULL ? strcmp(g->variant, wanted) != 0 : other != NULL) {
            if (wanted == NULL && first->text[0] == '\0')
                snprintf(first->text, sizeof first->text,
                         "'%.60s' has '%.60s' and '%.60s': say which variant", g->source,
                         g->variant, other);
            continue;
        }
        *curve = make(all, best, &why);
        if (*curve != NULL)
            return CLUMP_STORE_OK;
        if (why.text[0] == '\0')
            return clump_store_fail_memory(store);
        if (first->text[0] == '\0') {
            snprintf(first->text, sizeof first->text, "in '%.60s', %.*s", g->source, (int)WHY,
                     why.text);
            first->wrong = why.wrong;
        }
    }
}

/* Sources by themselves, then all together. */
static clump_store_status choose(clump_store *store, found *all, const char *platform,
                                 const char *variant, bool *tried, clump_store_memory_curve **curve)
{
    reason first = {.text = ""};
    clump_store_status status = try_all(store, all, variant, tried, curve, &first);
    all->together = true;
    if (status == CLUMP_STORE_NOT_FOUND && first.text[0] != '\0')
        status = try_all(store, all, variant, tried, curve, &first);
    if (status != CLUMP_STORE_NOT_FOUND)
        return status;
    if (first.text[0] == '\0' && all->group_count > 0)
        return clump_store_fail(store, CLUMP_STORE_NOT_FOUND,
                                "the memory bandwidth of platform '%.60s' was not measured with "
                                "'%.60s'; there is '%.60s'",
                                platform, variant, all->groups[0].variant);
    if (first.text[0] == '\0')
        return clump_store_fail(store, CLUMP_STORE_NOT_FOUND,
                                "the memory bandwidth of platform '%.60s' was not measured; "
                                "'calibrate memory' measures it, 'import' reads it",
                                platform);
    return clump_store_fail(store, first.wrong ? CLUMP_STORE_BAD_INPUT : CLUMP_STORE_NOT_FOUND,
                            "no curve of the memory bandwidth of platform '%.60s': %s", platform,
                            first.text);
}

clump_store_status clump_store_find_memory_curve(clump_store *store, const char *platform,
                                                 const char *source, const char *variant,
                                                 clump_store_memory_curve **curve)
{
    *curve = NULL;
    found all = {.arena = clump_arena_new()};
    if (all.arena == NULL)
        return clump_store_fail_memory(store);
    clump_store_status status =
        clump_store_read_samples(store,
                                 &(clump_store_filter){.platform = platform,
                                                       .application = "",
                                                       .quantity = "memory_bandwidth",
                                                       .source = source,
                                                       .inherit = true},
                                 all.arena, &all.samples);
    if (status == CLUMP_STORE_OK && !find_groups(&all))
        status = clump_store_fail_memory(store);
    if (status == CLUMP_STORE_OK) {
        bool *tried = clump_arena_take(all.arena, (all.group_count + 1) * sizeof *tried);
        status = tried != NULL ? choose(store, &all, platform, variant, tried, curve)
                               : clump_store_fail_memory(store);
    }
    clump_arena_free(all.arena);
    return status;
}
