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
    const clump_store_sample *first;
    int statistic;
    size_t place,
        newest; /* of the first sample, and of the last of its source: what is newer comes later */
} group;

typedef struct found {
    clump_arena *arena;
    clump_store_samples samples;
    group *groups; /* the best first */
    size_t group_count;
    bool together; /* sources are not told apart */
} found;

/* -1: the least of several, a percentile: nothing to compute with. */
static int statistic_of(const clump_store_sample *s)
{
    for (int i = 0; i < STATISTICS; i++)
        if (strcmp(s->statistic, statistics[i]) == 0)
            return i;
    return -1;
}

/* Whether a sample is of the group, or of the same kind from another source, if these count. */
static bool is_of(const found *all, const clump_store_sample *s, const group *g)
{
    return (all->together || s->source == g->first->source) &&
           s->reference == g->first->reference && strcmp(s->variant, g->first->variant) == 0 &&
           strcmp(s->statistic, g->first->statistic) == 0;
}

/* The first sample from a source (NULL: any) that is of this variant, or of another one; NULL: there is none. */
static const clump_store_sample *find(const found *all, const clump_store_source *source,
                                      const char *variant, bool same)
{
    for (size_t i = 0; i < all->samples.count; i++) {
        const clump_store_sample *s = &all->samples.items[i];
        if ((source == NULL || s->source == source) && statistic_of(s) >= 0 &&
            (strcmp(s->variant, variant) == 0) == same)
            return s;
    }
    return NULL;
}

static int compare_sizes(size_t a, size_t b)
{
    return (a > b) - (a < b);
}

/* The user's before those that ship, then the newest source, and of one source the best statistic. */
static int compare(const void *a, const void *b)
{
    const group *x = a, *y = b;
    if (x->first->reference != y->first->reference)
        return x->first->reference ? 1 : -1;
    if (x->newest != y->newest)
        return compare_sizes(y->newest, x->newest);
    return x->statistic != y->statistic ? x->statistic - y->statistic
                                        : compare_sizes(x->place, y->place);
}

static bool find_groups(found *all)
{
    for (size_t i = 0; i < all->samples.count; i++) {
        const clump_store_sample *s = &all->samples.items[i];
        size_t k = 0;
        if (statistic_of(s) < 0)
            continue;
        while (k < all->group_count && !is_of(all, s, &all->groups[k]))
            k++;
        if (k == all->group_count) {
            group *groups = clump_arena_more(all->arena, all->groups, k, sizeof *groups);
            if (groups == NULL)
                return false;
            all->groups = groups;
            groups[all->group_count++] =
                (group){.first = s, .statistic = statistic_of(s), .place = i};
        }
        for (k = 0; k < all->group_count; k++)
            if (all->groups[k].first->source == s->source)
                all->groups[k].newest = i;
    }
    if (all->group_count > 0)
        qsort(all->groups, all->group_count, sizeof *all->groups, compare);
    return true;
}

/* ---- one curve */

/* The mean of the samples of `processes`; false: there are none. */
static bool average(const found *all, const group *of, int64_t processes,
                    clump_store_memory_point *point)
{
    double squares = 0;
    *point = (clump_store_memory_point){.half_width = NAN};
    for (size_t i = 0; i < all->samples.count; i++) {
        const clump_store_sample *s = &all->samples.items[i];
        const clump_store_measurement *m = &s->measured;
        if (!is_of(all, s, of) || m->doubtful || s->processes != processes)
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
static bool is_good(const found *all, const group *of, size_t *most, size_t *doubtful, reason *why)
{
    *most = *doubtful = 0;
    for (size_t i = 0; i < all->samples.count; i++) {
        const clump_store_sample *s = &all->samples.items[i];
        const clump_store_measurement *m = &s->measured;
        if (!is_of(all, s, of))
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
static clump_store_memory_curve *make(const found *all, const group *of, reason *why)
{
    const clump_store_sample *first = of->first;
    const char *const texts[] = {first->platform, first->source->name, first->variant};
    size_t most = 0, doubtful = 0;
    *why = (reason){.text = ""};
    if (!is_good(all, of, &most, &doubtful, why))
        return NULL;
    const size_t points_size = most * sizeof(clump_store_memory_point);
    const size_t sizes[] = {strlen(texts[0]) + 1, strlen(texts[1]) + 1, strlen(texts[2]) + 1};
    clump_store_memory_curve *curve =
        malloc(sizeof *curve + points_size + sizes[0] + sizes[1] + sizes[2]);
    if (curve == NULL)
        return NULL;
    clump_store_memory_point *points = (clump_store_memory_point *)(curve + 1);
    char *text = (char *)(points + most);
    memcpy(text, texts[0], sizes[0]);
    memcpy(text + sizes[0], texts[1], sizes[1]);
    memcpy(text + sizes[0] + sizes[1], texts[2], sizes[2]);
    for (size_t k = 1; k <= most; k++)
        average(all, of, (int64_t)k, &points[k - 1]);
    *curve = (clump_store_memory_curve){.processes = most,
                                        .points = points,
                                        .doubtful = doubtful,
                                        .platform = text,
                                        .source = text + sizes[0],
                                        .variant = text + sizes[0] + sizes[1],
                                        .statistic = statistics[of->statistic],
                                        .reference = first->reference};
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
                                  clump_store_memory_curve **curve, reason *first)
{
    for (size_t i = 0; i < all->group_count; i++) {
        const group *g = &all->groups[i];
        const clump_store_source *source = g->first->source;
        const char *own = g->first->variant, *wanted = variant;
        if (wanted == NULL && find(all, source, "triad", true) != NULL)
            wanted = "triad";
        const clump_store_sample *other = find(all, source, own, false);
        reason why;
        if (wanted != NULL ? strcmp(own, wanted) != 0 : other != NULL) {
            if (wanted == NULL && first->text[0] == '\0')
                snprintf(first->text, sizeof first->text,
                         "'%.60s' has '%.60s' and '%.60s': say which variant", source->name, own,
                         other->variant);
            continue;
        }
        *curve = make(all, g, &why);
        if (*curve != NULL)
            return CLUMP_STORE_OK;
        if (why.text[0] == '\0')
            return clump_store_fail_memory(store);
        if (first->text[0] == '\0') {
            snprintf(first->text, sizeof first->text, "in '%.60s', %.*s", source->name, (int)WHY,
                     why.text);
            first->wrong = why.wrong;
        }
    }
    return CLUMP_STORE_NOT_FOUND;
}

/* Sources by themselves, then all together. */
static clump_store_status choose(clump_store *store, found *all, const char *platform,
                                 const char *variant, clump_store_memory_curve **curve)
{
    reason first = {.text = ""};
    clump_store_status status = try_all(store, all, variant, curve, &first);
    all->together = true;
    if (status == CLUMP_STORE_NOT_FOUND && first.text[0] != '\0')
        status = try_all(store, all, variant, curve, &first);
    if (status != CLUMP_STORE_NOT_FOUND)
        return status;
    if (first.text[0] == '\0' && all->group_count > 0)
        return clump_store_fail(store, CLUMP_STORE_NOT_FOUND,
                                "the memory bandwidth of platform '%.60s' was not measured with "
                                "'%.60s'; there is '%.60s'",
                                platform, variant, find(all, NULL, variant, false)->variant);
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
    if (status == CLUMP_STORE_OK)
        status = choose(store, &all, platform, variant, curve);
    clump_arena_free(all.arena);
    return status;
}
