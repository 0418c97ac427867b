/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "fitting/clusters/nic_rates.h"
#include "fitting/clusters/pair_samples.h"

#include <math.h>
#include <string.h>

/* Runs of one benchmark: `count` samples from `first` on. */
typedef struct table {
    const clump_cluster_sample *first;
    size_t count;
} table;

static table next_table(const clump_cluster_samples *all, const table *before)
{
    table t = {before->first == NULL ? all->items : before->first + before->count, 0};
    if (t.first != NULL)
        t.count =
            clump_cluster_table_length(t.first, all->count - (size_t)(t.first - all->items), false);
    return t;
}

/* By the same benchmark, on whatever platforms. */
static bool are_alike(const clump_cluster_sample *a, const clump_cluster_sample *b)
{
    clump_cluster_sample moved = *a;
    moved.platform = b->platform;
    return clump_cluster_compare_tables(&moved, b) == 0;
}

static bool has_processes(const table *t, int64_t processes)
{
    for (size_t i = 0; i < t->count; i++)
        if (t->first[i].processes == processes)
            return true;
    return false;
}

/* The most that were measured on both; 0: no number of them was. */
static int64_t most_processes(const table *a, const table *b)
{
    for (size_t i = a->count; i > 0; i--)
        if (has_processes(b, a->first[i - 1].processes))
            return a->first[i - 1].processes;
    return 0;
}

static bool is_both_ways(const table *t)
{
    return strcmp(t->first->quantity, "transfer_rate_both_ways") == 0;
}

typedef struct choice {
    table tables[2];
    table one_way[2];          /* the same of those with one direction in use */
    int64_t one_way_processes; /* 0: none yet */
    int64_t processes;         /* the most on both; 0: none yet */
    const char *transport;
    const char *other_transport; /* another one that both have; NULL: none */
} choice;

static void offer(choice *c, const table *a, const table *b)
{
    if (c->transport == NULL)
        c->transport = a->first->transport;
    else if (strcmp(c->transport, a->first->transport) != 0)
        c->other_transport = a->first->transport;
    const int64_t most = most_processes(a, b);
    if (most == 0)
        return;
    if (!is_both_ways(a) && most > c->one_way_processes) {
        c->one_way[0] = *a;
        c->one_way[1] = *b;
        c->one_way_processes = most;
    }
    if (most > c->processes ||
        (most == c->processes && is_both_ways(a) && !is_both_ways(&c->tables[0]))) {
        c->tables[0] = *a;
        c->tables[1] = *b;
        c->processes = most;
    }
}

static choice choose(const clump_cluster_samples all[2], const char *transport)
{
    choice c = {.processes = 0};
    table none = {NULL, 0};
    for (table a = next_table(&all[0], &none); a.count > 0; a = next_table(&all[0], &a)) {
        if (!clump_pair_is_remote(a.first) ||
            (transport != NULL && strcmp(a.first->transport, transport) != 0))
            continue;
        for (table b = next_table(&all[1], &none); b.count > 0; b = next_table(&all[1], &b))
            if (are_alike(a.first, b.first))
                offer(&c, &a, &b);
    }
    return c;
}

/* What both have: rates of some pairs cannot be compared with those of more. Nothing of an empty table. */
static clump_cluster_samples common(clump_cluster_work *work, const table *t, const table *other)
{
    clump_cluster_samples samples = {
        .items = t->count > 0 ? clump_cluster_take(work, t->count * sizeof *samples.items) : NULL};
    bool wanted = false;
    for (size_t i = 0; samples.items != NULL && i < t->count; i++) {
        if (i == 0 || t->first[i].processes != t->first[i - 1].processes)
            wanted = has_processes(other, t->first[i].processes);
        if (wanted)
            samples.items[samples.count++] = t->first[i];
    }
    return samples;
}

static void compare(clump_cluster_work *work, clump_nic_comparison *made)
{
    const char *const platforms[2] = {made->from, made->to}, *transport = made->transport;
    clump_cluster_samples all[2] = {{.items = NULL}, {.items = NULL}};
    for (size_t i = 0; i < 2; i++)
        clump_pair_samples_load(work, platforms[i], &all[i]);
    const choice c = choose(all, transport);
    if (c.other_transport != NULL)
        made->problem = clump_cluster_text(
            work,
            "found benchmarks of pairs with the transports '%.60s' and '%.60s' on both platforms, "
            "expected --transport or that of the program to say which is the program's",
            c.transport, c.other_transport);
    else if (c.processes == 0)
        made->problem = clump_cluster_text(
            work,
            "found no benchmark of pairs (osu_mbw_mr, osu_bw, IMB Biband) that was run on '%.80s' "
            "and on '%.80s'%s%.60s, expected one",
            platforms[0], platforms[1], transport != NULL ? " with transport " : "",
            transport != NULL ? transport : "");
    if (made->problem != NULL)
        return;
    const bool both = is_both_ways(&c.tables[0]);
    for (size_t i = 0; i < 2; i++) {
        made->rates[i] = (clump_nic_rates){.samples = common(work, &c.tables[i], &c.tables[1 - i]),
                                           .share = both ? 0.5 : 1};
        if (both)
            made->rates[i].one_way = common(work, &c.one_way[i], &c.one_way[1 - i]);
    }
}

static bool is_same(const char *a, const char *b)
{
    return a == b || (a != NULL && b != NULL && strcmp(a, b) == 0);
}

const clump_nic_comparison *clump_nic_rates_compare(clump_cluster_work *work, const char *from,
                                                    const char *to, const char *transport)
{
    static const clump_nic_comparison failed = {.problem = "not enough memory"};
    for (const clump_nic_comparison *c = work->compared; c != NULL; c = c->before)
        if (is_same(c->from, from) && is_same(c->to, to) && is_same(c->transport, transport))
            return c;
    clump_nic_comparison *made = clump_cluster_take(work, sizeof *made);
    if (made == NULL)
        return &failed;
    *made = (clump_nic_comparison){
        .from = from, .to = to, .transport = transport, .before = work->compared};
    compare(work, made);
    work->compared = made;
    return work->status == CLUMP_OK ? made : &failed;
}

/* B/us of all pairs together. */
static double look_up(const clump_cluster_samples *samples, double processes, double size_bytes)
{
    const clump_cluster_sample *items = samples->items;
    const size_t count = samples->count;
    size_t first = 0, end = 0;
    while (end < count) { /* of a number of processes each */
        first = end;
        while (end < count && items[end].processes == items[first].processes)
            end++;
        if ((double)items[first].processes >= 2 * processes)
            break;
    }
    size_t above = first;
    while (above < end && (double)items[above].size_bytes < size_bytes)
        above++;
    if (above == first)
        return items[first].value * size_bytes / (double)items[first].size_bytes;
    if (above == end)
        return items[end - 1].value;
    return clump_cluster_between(&items[above - 1], &items[above], size_bytes);
}

double clump_nic_rate(const clump_nic_rates *rates, double processes, double size_bytes)
{
    const double rate = rates->share * look_up(&rates->samples, processes, size_bytes);
    /* Even if it moved data in one direction at a time. */
    return rates->one_way.count > 0
               ? fmax(rate, 0.5 * look_up(&rates->one_way, processes, size_bytes))
               : rate;
}

double clump_nic_rates_pairs(const clump_nic_rates *rates)
{
    const size_t count = rates->samples.count;
    return count > 0 ? (double)rates->samples.items[count - 1].processes / 2 : 0;
}

double clump_nic_rates_best(const clump_nic_rates *rates)
{
    double best = 0;
    for (size_t i = 0; i < rates->samples.count; i++)
        best = fmax(best, rates->share * rates->samples.items[i].value);
    return best;
}
