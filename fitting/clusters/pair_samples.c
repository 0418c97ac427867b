/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "fitting/clusters/pair_samples.h"

#include <stdlib.h>
#include <string.h>

static const char one_way[] = "transfer_rate", both_ways[] = "transfer_rate_both_ways";
static const char messages[] = "message_rate";

/* What one log says of one benchmark: rates of bytes and of messages, in all columns. */
static int compare_logs(const clump_cluster_sample *a, const clump_cluster_sample *b)
{
    int order = strcmp(a->source, b->source);
    order = order != 0 ? order : strcmp(a->platform, b->platform);
    order = order != 0 ? order : strcmp(a->transport, b->transport);
    order = order != 0 ? order : strcmp(a->variant, b->variant);
    return order != 0 ? order : strcmp(a->benchmark, b->benchmark);
}

/* The most processes first. */
static int compare_sources(const void *first, const void *second)
{
    const clump_cluster_sample *a = first, *b = second;
    const int order = compare_logs(a, b);
    return order != 0 ? order : (a->processes < b->processes) - (a->processes > b->processes);
}

static bool counts_messages(const clump_cluster_sample *s)
{
    return strcmp(s->quantity, messages) == 0;
}

static bool is_imb(const clump_cluster_sample *s)
{
    return strncmp(s->benchmark, "IMB ", 4) == 0;
}

static clump_cluster_sample in_bytes(clump_cluster_sample s)
{
    if (!counts_messages(&s))
        return s;
    s.quantity = strcmp(s.benchmark, "IMB Biband") == 0 ? both_ways : one_way;
    s.value *= (double)s.size_bytes;
    return s;
}

/*
 * The one place that knows which rows of a log are pairs of two nodes, and which are told twice. IMB that is started with
 * many processes also measures with the first few of them, which then are of one node: of each log only the most processes
 * count, whichever column it is. Rates of messages count where there are none of bytes.
 */
static void leave_pairs_of_nodes(clump_cluster_samples *all)
{
    size_t kept = 0, end;
    if (all->count > 0)
        qsort(all->items, all->count, sizeof *all->items, compare_sources);
    for (size_t first = 0; first < all->count; first = end) {
        const clump_cluster_sample log = all->items[first];
        bool has_bytes = false;
        for (end = first; end < all->count && compare_logs(&log, &all->items[end]) == 0; end++)
            has_bytes = has_bytes || !counts_messages(&all->items[end]);
        for (size_t i = first; i < end; i++) {
            const clump_cluster_sample s = all->items[i];
            if ((s.processes == log.processes || !is_imb(&s)) &&
                !(has_bytes && counts_messages(&s)))
                all->items[kept++] = in_bytes(s);
        }
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
    const char *const quantities[] = {one_way, both_ways, messages};
    for (size_t q = 0; q < 3; q++) {
        const clump_store_filter filter = {.platform = platform,
                                           .application = "",
                                           .quantity = quantities[q],
                                           .inherit = platform != NULL};
        clump_cluster_samples_load(work, &filter, samples);
    }
    clump_cluster_samples_leave_central(work, samples);
    leave_pairs_of_nodes(samples);
    clump_cluster_samples_keep(samples, clump_pair_is_usable);
}

void clump_pair_samples_load(clump_cluster_work *work, const char *platform,
                             clump_cluster_samples *samples)
{
    clump_pair_samples_load_runs(work, platform, samples);
    clump_cluster_samples_merge(samples, clump_cluster_compare);
}

void clump_ping_pongs_load(clump_cluster_work *work, const char *platform,
                           clump_cluster_samples *samples)
{
    const clump_store_filter filter = {.platform = platform,
                                       .application = "",
                                       .quantity = "half_round_trip",
                                       .inherit = platform != NULL};
    clump_cluster_samples_load(work, &filter, samples);
    clump_cluster_samples_leave_central(work, samples);
    clump_cluster_samples_keep(samples, clump_pair_is_usable);
    clump_cluster_samples_merge(samples, clump_cluster_compare);
}
