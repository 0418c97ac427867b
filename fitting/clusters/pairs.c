/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "fitting/clusters/pairs.h"
#include "fitting/clusters/cluster_judges.h"
#include "fitting/clusters/pair_samples.h"

#include <math.h>
#include <string.h>

/* Sizes below are left out: a NIC takes as long for them, and the first sizes of a run also pay for connections that
 * are made then. */
#define SHORT_MESSAGE 8

/* ---- the station */

clump_nic_station clump_nic_station_of(double bandwidth, double size_bytes, double rate,
                                       double nics)
{
    /* What the most pairs reach the NICs can do. */
    const double message = nics * size_bytes / rate;
    clump_nic_station station = {.nics = nics};
    station.gap_us_per_byte = fmin(1 / bandwidth, message / size_bytes);
    station.gap_us = message - size_bytes * station.gap_us_per_byte;
    return station;
}

double clump_nic_station_rate(const clump_nic_station *station, double size_bytes, double processes)
{
    return fmin(processes, station->nics) /
           (station->gap_us + size_bytes * station->gap_us_per_byte);
}

/* ---- predictions */

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
    int64_t most; /* processes */
    int64_t size; /* at which the most pairs are known */
    double rate;  /* B/us, of them */
    double bandwidth;
    clump_nic_station station;
} runs;

static double find(const runs *r, int64_t processes, int64_t size)
{
    clump_cluster_sample wanted = r->items[0];
    wanted.processes = processes;
    wanted.size_bytes = size;
    return clump_cluster_find(r->items, r->count, &wanted);
}

/* The size at which the most pairs are taken to be known; false: there is none. */
static bool choose_size(runs *r)
{
    r->most = r->items[r->count - 1].processes;
    r->size = 0;
    for (size_t i = 0; i < r->count && r->size < SHORT_MESSAGE; i++)
        if (r->items[i].processes == r->most)
            r->size = r->items[i].size_bytes;
    r->rate = find(r, r->most, r->size);
    return r->most > 2 && r->items[0].processes == 2;
}

static void add_row(clump_cluster_work *work, const runs *r, const char *set, int64_t processes,
                    const clump_cluster_sample *one)
{
    const double pairs = (double)processes / 2, size = (double)one->size_bytes;
    const double processes_only = pairs * one->value;
    const double nics = size * clump_nic_station_rate(&r->station, size, pairs);
    const clump_cluster_row row = {
        .set = set,
        .part = clump_cluster_text(work, "%lld pairs", (long long)(processes / 2)),
        .platform = one->platform,
        .transport = one->transport,
        .variant = one->variant,
        .subject = one->benchmark,
        .quantity = one->quantity,
        .limit = nics < processes_only ? "NIC" : "processes",
        .nodes = 2,
        .processes = processes,
        .size_bytes = one->size_bytes,
        .measured = find(r, processes, one->size_bytes),
        .predicted = fmin(processes_only, nics),
        .rivals = {processes_only, fmin(processes_only, r->bandwidth * r->station.nics)},
    };
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
            if (p != r->most || r->items[i].size_bytes != r->size)
                add_row(work, r, set, p, &r->items[i]);
}

static void predict_platform(clump_cluster_work *work, const clump_cluster_sources *from,
                             const char *platform, const char *same)
{
    (void)same;
    const clump_cluster_samples *all = &from->pairs;
    const clump_cluster_node node = clump_cluster_node_of(work, platform);
    size_t length;
    for (size_t first = 0; first < all->count; first += length) {
        const clump_cluster_sample *s = &all->items[first];
        length = clump_cluster_table_length(s, all->count - first, false);
        runs r = {.items = s, .count = length};
        if (strcmp(s->platform, platform) != 0 || !clump_pair_is_remote(s) || !choose_size(&r))
            continue;
        r.bandwidth = find_bandwidth(all, s);
        r.station = clump_nic_station_of(r.bandwidth, (double)r.size, r.rate,
                                         node.is_static ? fmax(node.nics, 1) : 1);
        predict(work, &r);
    }
}

static void load(clump_cluster_work *work, clump_cluster_sources *from)
{
    clump_pair_samples_load(work, work->request->platform, &from->pairs);
}

static const char *platform_of(const clump_cluster_sources *from, size_t place)
{
    return place < from->pairs.count ? from->pairs.items[place].platform : NULL;
}

const clump_cluster_judge clump_judge_pairs = {
    .load = load,
    .platform = platform_of,
    .predict = predict_platform,
    .nothing = "found no rates of one pair of processes and of several, expected osu_mbw_mr or IMB "
               "Uniband with 2 processes and with more, on the same platform and transport",
};
