/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "fitting/clusters/pair_samples.h"

#include <stdlib.h>
#include <string.h>

static int compare_sources(const void *first, const void *second)
{
    const clump_cluster_sample *a = first, *b = second;
    int order = strcmp(a->source, b->source);
    order = order != 0 ? order : clump_cluster_compare_tables(a, b);
    return order != 0 ? order : (a->processes < b->processes) - (a->processes > b->processes);
}

/* IMB that is started with many processes also measures with the first few of them, which then are of
 * one node: of each log only the most processes are pairs across nodes. */
static void leave_whole_jobs(clump_cluster_samples *all)
{
    size_t kept = 0, first = 0;
    if (all->count > 0)
        qsort(all->items, all->count, sizeof *all->items, compare_sources);
    for (size_t i = 0; i < all->count; i++) {
        const clump_cluster_sample *s = &all->items[i];
        if (kept == 0 || strcmp(all->items[first].source, s->source) != 0 ||
            clump_cluster_compare_tables(&all->items[first], s) != 0)
            first = kept;
        if (first == kept || all->items[first].processes == s->processes ||
            strncmp(s->benchmark, "IMB ", 4) != 0)
            all->items[kept++] = *s;
    }
    all->count = kept;
}

bool clump_pair_is_usable(const clump_cluster_sample *s)
{
    return s->processes >= 2 && s->processes % 2 == 0 && s->size_bytes > 0 && s->value > 0 &&
           !s->doubtful;
}

bool clump_pair_is_remote(const clump_cluster_sample *sample)
{
    return strcmp(sample->transport, "shared-memory") != 0;
}

void clump_pair_samples_load_runs(clump_cluster_work *work, const char *platform,
                                  clump_cluster_samples *samples)
{
    static const char *const quantities[] = {"transfer_rate", "transfer_rate_both_ways"};
    for (size_t q = 0; q < 2; q++) {
        const clump_store_filter filter = {.platform = platform,
                                           .application = "",
                                           .quantity = quantities[q],
                                           .inherit = platform != NULL};
        clump_cluster_samples_load(work, &filter, samples);
    }
    leave_whole_jobs(samples);
    clump_cluster_samples_keep(samples, clump_pair_is_usable);
}

void clump_pair_samples_load(clump_cluster_work *work, const char *platform,
                             clump_cluster_samples *samples)
{
    clump_pair_samples_load_runs(work, platform, samples);
    clump_cluster_samples_merge(samples, clump_cluster_compare);
}
