/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "fitting/node/node_samples.h"
#include "fitting/clusters/pair_samples.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char both_ways[] = "transfer_rate_both_ways";

/* ---- order */

static int by_number(int64_t a, int64_t b)
{
    return (a > b) - (a < b);
}

static bool is_both_ways(const clump_cluster_sample *s)
{
    return strcmp(s->quantity, both_ways) == 0;
}

/* Runs that can be compared. Windows may differ from size to size. */
static int compare_tables(const clump_cluster_sample *a, const clump_cluster_sample *b)
{
    int order = (int)is_both_ways(a) - (int)is_both_ways(b);
    order = order != 0 ? order : strcmp(a->transport, b->transport);
    order = order != 0 ? order : strcmp(a->variant, b->variant);
    order = order != 0 ? order : strcmp(a->benchmark, b->benchmark);
    return order != 0 ? order : strcmp(a->statistic, b->statistic);
}

static int compare_jobs(const clump_cluster_sample *a, const clump_cluster_sample *b)
{
    int order = compare_tables(a, b);
    order = order != 0 ? order : by_number(a->processes, b->processes);
    order = order != 0 ? order : strcmp(a->source, b->source);
    return order != 0 ? order : by_number(a->run, b->run);
}

/* Of one size the largest window comes first. */
static int compare_samples(const void *first, const void *second)
{
    const clump_cluster_sample *a = first, *b = second;
    int order = compare_jobs(a, b);
    order = order != 0 ? order : by_number(a->size_bytes, b->size_bytes);
    return order != 0 ? order : -by_number(a->window, b->window);
}

/* The same once repetitions have their numbers, in `window`. */
static int compare_runs(const void *first, const void *second)
{
    const clump_cluster_sample *a = first, *b = second;
    int order = compare_jobs(a, b);
    order = order != 0 ? order : by_number(a->window, b->window);
    return order != 0 ? order : by_number(a->size_bytes, b->size_bytes);
}

/* ---- what can be used */

static bool fits(const char *wanted, const char *found)
{
    return wanted == NULL || strcmp(wanted, found) == 0;
}

static void leave_wanted(const clump_node_filter *filter, clump_node_samples *samples)
{
    clump_cluster_samples *all = &samples->all;
    size_t kept = 0;
    for (size_t i = 0; i < all->count; i++) {
        const clump_cluster_sample *s = &all->items[i];
        const bool many = s->processes > 2 * (int64_t)CLUMP_NODE_MOST_PAIRS;
        samples->too_many += many;
        if (many || !isfinite(s->value) || !fits(filter->transport, s->transport) ||
            !fits(filter->variant, s->variant) ||
            (!fits(filter->benchmark, s->benchmark) && !is_both_ways(s)) ||
            (filter->transport == NULL && !clump_pair_is_remote(s)))
            continue;
        all->items[kept++] = *s;
    }
    all->count = kept;
}

/* One value a size: of other windows the first. The same again is another run. */
static void number_repetitions(clump_cluster_samples *all)
{
    size_t kept = 0;
    clump_cluster_sample before = {.source = NULL};
    if (all->count > 0)
        qsort(all->items, all->count, sizeof *all->items, compare_samples);
    int64_t repetition = 0;
    for (size_t i = 0; i < all->count; i++) {
        const clump_cluster_sample s = all->items[i];
        const bool same_place = before.source != NULL && compare_jobs(&before, &s) == 0 &&
                                before.size_bytes == s.size_bytes;
        if (same_place && compare_samples(&before, &s) != 0)
            continue;
        repetition = same_place ? repetition + 1 : 0;
        before = s;
        all->items[kept] = s;
        all->items[kept++].window = repetition;
    }
    all->count = kept;
    if (kept > 0)
        qsort(all->items, kept, sizeof *all->items, compare_runs);
}

/* ---- which table */

/* Samples from `first` on of one table. */
typedef struct table {
    size_t first, count, numbers; /* numbers: of pairs, different ones */
} table;

static table table_at(const clump_cluster_samples *all, size_t first)
{
    table t = {first, 0, 0};
    const clump_cluster_sample *items = all->items;
    for (size_t i = first; i < all->count && compare_tables(&items[first], &items[i]) == 0; i++) {
        t.numbers += i == first || items[i].processes != items[i - 1].processes;
        t.count++;
    }
    return t;
}

/* More numbers of pairs, or else samples. */
static bool is_better(const table *t, const table *than)
{
    if (than->count == 0 || t->numbers != than->numbers)
        return t->numbers > than->numbers;
    return t->count > than->count;
}

/* The one transport there is, or the variant that stands for all: into the filter. */
static clump_status choose_transport(const clump_node_samples *samples, clump_node_filter *filter,
                                     clump_error *error)
{
    const clump_cluster_samples *all = &samples->all;
    for (size_t i = 0; i < all->count; i++) {
        if (filter->transport == NULL)
            filter->transport = all->items[i].transport;
        else if (strcmp(filter->transport, all->items[i].transport) != 0)
            return clump_fail(error, CLUMP_BAD_ARGUMENT,
                              "found rates of pairs with the transports '%.60s' and '%.60s', "
                              "expected --transport to say which",
                              filter->transport, all->items[i].transport);
    }
    return CLUMP_OK;
}

static clump_status choose_variant(clump_node_samples *samples, clump_node_filter *filter,
                                   clump_error *error)
{
    const clump_cluster_samples *all = &samples->all;
    const char *named = NULL, *other = NULL;
    bool none = false, spread = false;
    for (size_t i = 0; i < all->count; i++) {
        const char *variant = all->items[i].variant;
        if (is_both_ways(&all->items[i]))
            continue;
        none = none || variant[0] == '\0';
        spread = spread || strcmp(variant, "spread") == 0;
        if (variant[0] == '\0' || (named != NULL && strcmp(named, variant) == 0))
            continue;
        other = named != NULL ? variant : other;
        named = named != NULL ? named : variant;
    }
    if (filter->variant == NULL)
        filter->variant = none ? "" : spread ? "spread" : named;
    if (filter->variant == named && other != NULL)
        return clump_fail(error, CLUMP_BAD_ARGUMENT,
                          "found rates of pairs of the variants '%.60s' and '%.60s', expected "
                          "--variant to say which",
                          named, other);
    samples->other_variant = named != NULL && strcmp(named, filter->variant) != 0 ? named : other;
    if (samples->other_variant != NULL && strcmp(samples->other_variant, filter->variant) == 0)
        samples->other_variant = NULL;
    return CLUMP_OK;
}

static table choose_table(const clump_cluster_samples *all, bool both, const clump_node_filter *f,
                          const char **other)
{
    table best = {0, 0, 0}, t;
    for (size_t first = 0; first < all->count; first += t.count) {
        t = table_at(all, first);
        const clump_cluster_sample *s = &all->items[first];
        if (is_both_ways(s) != both || !fits(f->transport, s->transport) ||
            !fits(f->variant, s->variant))
            continue;
        const bool better = is_better(&t, &best);
        const clump_cluster_sample *beaten = better ? &all->items[best.first] : s;
        if (best.count > 0 && other != NULL &&
            strcmp(all->items[best.first].benchmark, s->benchmark) != 0)
            *other = beaten->benchmark;
        if (better)
            best = t;
    }
    return best;
}

/* ---- runs */

static clump_status make_runs(clump_node_samples *samples, const table *t, clump_node_runs *runs,
                              clump_error *error)
{
    const clump_cluster_sample *items = samples->all.items + t->first;
    if (t->count == 0)
        return CLUMP_OK;
    runs->items = clump_arena_take(samples->arena, t->count * sizeof *runs->items);
    if (runs->items == NULL)
        return clump_fail_memory(error, "runs");
    runs->benchmark = items[0].benchmark;
    runs->account = strncmp(runs->benchmark, "osu_", 4) == 0   ? CLUMP_NODE_MEAN_TIME
                    : strncmp(runs->benchmark, "IMB ", 4) == 0 ? CLUMP_NODE_LONGEST_TIME
                                                               : CLUMP_NODE_STEADY;
    for (size_t i = 0; i < t->count; i++) {
        clump_node_run *last = runs->count > 0 ? &runs->items[runs->count - 1] : NULL;
        if (last != NULL && compare_jobs(last->items, &items[i]) == 0 &&
            last->items->window == items[i].window)
            last->count++;
        else
            runs->items[runs->count++] =
                (clump_node_run){&items[i], 1, (double)items[i].processes / 2};
    }
    return CLUMP_OK;
}

static clump_status list_sources(clump_node_samples *samples, clump_error *error)
{
    const clump_node_runs *const both[] = {&samples->one_way, &samples->both_ways};
    const size_t most = both[0]->count + both[1]->count;
    size_t count = 0;
    samples->sources = clump_arena_take(samples->arena, most * sizeof *samples->sources);
    if (samples->sources == NULL)
        return clump_fail_memory(error, "sources");
    for (size_t k = 0; k < 2; k++)
        for (size_t i = 0; i < both[k]->count; i++)
            samples->sources[count++] = both[k]->items[i].items->source;
    samples->source_count = clump_cluster_unique(samples->sources, count);
    return CLUMP_OK;
}

static clump_status choose(clump_node_samples *samples, const clump_node_filter *given,
                           clump_error *error)
{
    clump_node_filter filter = *given;
    clump_status status = choose_transport(samples, &filter, error);
    if (status == CLUMP_OK)
        status = choose_variant(samples, &filter, error);
    if (status != CLUMP_OK)
        return status;
    const table one = choose_table(&samples->all, false, &filter, &samples->other_benchmark);
    const table both = choose_table(&samples->all, true, &filter, NULL);
    if (one.count == 0)
        return clump_fail(error, CLUMP_BAD_ARGUMENT,
                          "found no rates of pairs of processes of two nodes%s, expected "
                          "osu_mbw_mr or IMB Uniband with 1, 2, 4... pairs, or calibrate mpi",
                          samples->all.count > 0 ? " in one direction" : "");
    samples->transport = filter.transport;
    samples->variant = filter.variant;
    status = make_runs(samples, &one, &samples->one_way, error);
    if (status == CLUMP_OK)
        status = make_runs(samples, &both, &samples->both_ways, error);
    return status == CLUMP_OK ? list_sources(samples, error) : status;
}

clump_status clump_node_samples_read(clump_store *store, const clump_node_filter *filter,
                                     clump_node_samples *samples, clump_error *error)
{
    clump_store_platform *platform = NULL;
    const clump_store_status found = clump_store_find_platform(store, filter->platform, &platform);
    clump_store_free(platform);
    if (found != CLUMP_STORE_OK)
        return clump_fail(error,
                          found == CLUMP_STORE_FAILED ? CLUMP_INCONSISTENT : CLUMP_BAD_ARGUMENT,
                          "%.250s", clump_store_message(store));
    samples->arena = clump_arena_new();
    if (samples->arena == NULL)
        return clump_fail_memory(error, "samples");
    clump_cluster_work work = {.store = store, .arena = samples->arena, .error = error};
    clump_pair_samples_load_runs(&work, filter->platform, &samples->all);
    if (work.status != CLUMP_OK)
        return work.status;
    leave_wanted(filter, samples);
    number_repetitions(&samples->all);
    return choose(samples, filter, error);
}

void clump_node_samples_free(clump_node_samples *samples)
{
    clump_arena_free(samples->arena);
    *samples = (clump_node_samples){.arena = NULL};
}
