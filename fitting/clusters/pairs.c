/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "fitting/clusters/cluster_judges.h"
#include "fitting/clusters/node_rates.h"
#include "fitting/clusters/pair_samples.h"

#include <math.h>
#include <string.h>

/* The greatest bandwidth that one pair reached, with any transport: all use the same NIC. */
static double find_bandwidth(const clump_cluster_samples *all, const clump_cluster_sample *like)
{
    double most = 0;
    for (size_t i = 0; i < all->count; i++) {
        clump_cluster_sample s = all->items[i];
        const bool counts = s.processes == 2 && clump_pair_is_remote(&s);
        s.transport = like->transport;
        s.window = like->window;
        if (counts && clump_cluster_compare_tables(&s, like) == 0)
            most = fmax(most, s.value);
    }
    return most;
}

/* Runs of one benchmark: sorted by processes and size. */
typedef struct runs {
    const clump_cluster_sample *items;
    size_t count;
    int64_t most;     /* processes */
    double bandwidth; /* B/us, of one pair */
    clump_node_rates node;
} runs;

static double find(const runs *r, int64_t processes, int64_t size)
{
    clump_cluster_sample wanted = r->items[0];
    wanted.processes = processes;
    wanted.size_bytes = size;
    return clump_cluster_find(r->items, r->count, &wanted);
}

/* What all reach together is given to the second rival, too. */
static void set_rivals(const runs *r, double pairs, double one, clump_cluster_row *row)
{
    const double size = (double)row->size_bytes;
    row->rivals[0] = r->node.ping_pong ? one : pairs * one;
    row->rivals[1] = r->node.ping_pong ? fmax(one, pairs * size / clump_node_rates_total(&r->node))
                                       : fmin(row->rivals[0],
                                              fmax(r->bandwidth, clump_node_rates_total(&r->node)));
}

static void add_row(clump_cluster_work *work, const runs *r, const char *set, int64_t processes,
                    const clump_cluster_sample *one)
{
    const double pairs = (double)processes / 2;
    clump_cluster_row row = {
        .set = set,
        .part = clump_cluster_text(work, "%lld pairs", (long long)(processes / 2)),
        .platform = one->platform,
        .transport = one->transport,
        .variant = one->variant,
        .subject = one->benchmark,
        .quantity = one->quantity,
        .nodes = 2,
        .processes = processes,
        .size_bytes = one->size_bytes,
        .measured = find(r, processes, one->size_bytes),
    };
    row.predicted = clump_node_rates_at(&r->node, pairs, (double)one->size_bytes, &row.limit);
    set_rivals(r, pairs, one->value, &row);
    clump_cluster_add(work, &row);
}

/* Numbers of pairs that were measured, and powers of two. */
static int64_t next_processes(const runs *r, int64_t processes)
{
    int64_t next = 2;
    while (next <= processes)
        next *= 2;
    for (size_t i = 0; i < r->count; i++)
        if (r->items[i].processes > processes && r->items[i].processes < next)
            next = r->items[i].processes;
    return next;
}

static void predict(clump_cluster_work *work, const runs *r)
{
    const clump_cluster_sample *s = &r->items[0];
    const char *set =
        clump_cluster_text(work, "%s%s%s, %s%s%s", s->platform, s->transport[0] != '\0' ? ", " : "",
                           s->transport, s->benchmark[0] != '\0' ? s->benchmark : s->quantity,
                           s->variant[0] != '\0' ? ", " : "", s->variant);
    for (int64_t p = next_processes(r, 2); p <= r->most; p = next_processes(r, p))
        for (size_t i = 0; i < r->count && r->items[i].processes == 2; i++)
            if (p != r->most || !clump_node_rates_reads(&r->node, (double)r->items[i].size_bytes))
                add_row(work, r, set, p, &r->items[i]);
}

static void predict_platform(clump_cluster_work *work, const clump_cluster_sources *from,
                             const char *platform, const char *same)
{
    (void)same;
    const clump_cluster_samples *all = &from->pairs;
    size_t length;
    for (size_t first = 0; first < all->count; first += length) {
        const clump_cluster_sample *s = &all->items[first];
        length = clump_cluster_table_length(s, all->count - first, false);
        runs r = {.items = s, .count = length, .most = s[length - 1].processes};
        if (strcmp(s->platform, platform) != 0 || !clump_pair_is_remote(s) || r.most <= 2)
            continue;
        r.bandwidth = find_bandwidth(all, s);
        if (clump_node_rates_make(s, length, CLUMP_NODE_THREE_SIZES, r.bandwidth, &r.node) &&
            r.node.cost_count > 0)
            predict(work, &r);
    }
}

static void load(clump_cluster_work *work, clump_cluster_sources *from)
{
    clump_pair_samples_load(work, work->request->platform, &from->pairs);
    clump_ping_pongs_load(work, work->request->platform, &from->pairs);
}

static const char *platform_of(const clump_cluster_sources *from, size_t place)
{
    return place < from->pairs.count ? from->pairs.items[place].platform : NULL;
}

const clump_cluster_judge clump_judge_pairs = {
    .load = load,
    .platform = platform_of,
    .predict = predict_platform,
    .nothing = "found no rates of one pair of processes and of several, expected osu_mbw_mr, IMB "
               "Uniband or osu_multi_lat with 2 processes and with more, on the same platform and "
               "transport",
};
