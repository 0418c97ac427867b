/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "fitting/clusters/collectives.h"
#include "fitting/clusters/cluster_judges.h"
#include "fitting/clusters/node_rates.h"
#include "fitting/clusters/pair_samples.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- the fit */

/* Logarithms of costs; the first two always count. */
enum { LATENCY, GAP, LONG_LATENCY, LONG_GAP, COMBINE, COSTS };

typedef struct cost_fit {
    bool counts[COSTS]; /* which of them there are */
    bool known[COSTS];  /* and which are not fitted */
    double long_from;
    double logs[COSTS];
    double least; /* the sum that they leave */
} cost_fit;

static clump_collective_local local_of(const cost_fit *f, const double logs[COSTS])
{
    double costs[COSTS];
    for (size_t i = 0; i < COSTS; i++)
        costs[i] = f->counts[i] ? exp(logs[i]) : 0;
    return (clump_collective_local){.latency_us = costs[LATENCY],
                                    .gap_us_per_byte = costs[GAP],
                                    .combine_us_per_byte = costs[COMBINE],
                                    .long_from = f->long_from,
                                    .long_latency_us = costs[LONG_LATENCY],
                                    .long_gap_us_per_byte = costs[LONG_GAP]};
}

static double distance(const clump_collective_point *points, size_t count, const cost_fit *f,
                       const double logs[COSTS])
{
    const clump_collective_local local = local_of(f, logs);
    double sum = 0;
    for (size_t i = 0; i < count; i++)
        sum += points[i].weight *
               fabs(log(clump_collective_us(&points[i].chain, &local) / points[i].us));
    return sum;
}

/* Steps along the axes, halved when none is better. */
static void search(const clump_collective_point *points, size_t count, cost_fit *f, double precise)
{
    double steps[COSTS], longest = 1;
    f->least = distance(points, count, f, f->logs);
    for (size_t axis = 0; axis < COSTS; axis++)
        steps[axis] = f->counts[axis] && !f->known[axis] ? 1 : 0;
    while (longest > precise) {
        longest = 0;
        for (size_t axis = 0; axis < COSTS; axis++) {
            const double before = f->least;
            for (int sign = 1; sign >= -1 && steps[axis] > 0 && f->least == before; sign -= 2) {
                double tried[COSTS];
                memcpy(tried, f->logs, sizeof tried);
                tried[axis] = fmin(20, fmax(-30, tried[axis] + sign * steps[axis]));
                const double found = distance(points, count, f, tried);
                if (found < f->least) {
                    f->least = found;
                    f->logs[axis] = tried[axis];
                }
            }
            if (f->least == before)
                steps[axis] /= 2;
            longest = fmax(longest, steps[axis]);
        }
    }
}

/* us and us/B of shared memory, fast and slow. */
static cost_fit fit_from_all(const clump_collective_point *points, size_t count, bool combine,
                             double precise)
{
    static const double starts[][2] = {{0.3, 1e-4}, {0.3, 1e-3}, {2, 1e-4}, {2, 1e-3}};
    cost_fit best = {.least = INFINITY};
    for (size_t i = 0; i < sizeof starts / sizeof *starts; i++) {
        cost_fit f = {.counts = {[LATENCY] = true, [GAP] = true, [COMBINE] = combine},
                      .logs = {[LATENCY] = log(starts[i][0]),
                               [GAP] = log(starts[i][1]),
                               [COMBINE] = log(starts[i][1])}};
        search(points, count, &f, precise);
        if (f.least < best.least)
            best = f;
    }
    return best;
}

/* Of two fits the one with the lower criterion is taken: what it leaves, and a price for each parameter (Schwarz, 1978,
 * for errors whose absolute values count). */
static double criterion(const cost_fit *f, size_t count)
{
    const double n = (double)count;
    double parameters = f->long_from > 0 ? 1 : 0;
    for (size_t i = 0; i < COSTS; i++)
        parameters += f->counts[i] && !f->known[i] ? 1 : 0;
    return n * log(fmax(f->least, 1e-9)) + parameters * log(n);
}

static double message_bytes(const clump_collective_chain *c)
{
    return c->local_hops > 0   ? c->local_bytes / c->local_hops
           : c->inner_hops > 0 ? c->inner_bytes / c->inner_hops
                               : 0;
}

static bool is_fetched(const clump_collective_chain *c)
{
    return c->fetched_from > 0 && message_bytes(c) >= c->fetched_from;
}

/* Those that are known to be fetched behind the others. */
static int by_bytes(const void *a, const void *b)
{
    const clump_collective_point *p = a, *q = b;
    const int order = is_fetched(&p->chain) - is_fetched(&q->chain);
    const double x = message_bytes(&p->chain), y = message_bytes(&q->chain);
    return order != 0 ? order : (x > y) - (x < y);
}

/* Limits of libraries between messages that are copied and such that are fetched are in this range; on either side of one so
 * many points are needed. */
static const double LEAST_LONG = 1024, MOST_SHORT = 262144;
enum { FEWEST_POINTS = 5 };

/* With other costs of the points from the `first` on. */
static cost_fit fit_parts(const clump_collective_point *points, size_t count, size_t first,
                          const cost_fit *one, double fetched_gap)
{
    const double coarse = 1e-2, below = message_bytes(&points[first - 1].chain);
    const cost_fit shorter = fit_from_all(points, first, false, coarse);
    const cost_fit longer = fit_from_all(points + first, count - first, false, coarse);
    const bool known = fetched_gap > 0;
    cost_fit f = {.counts = {true, true, true, true, one->counts[COMBINE]},
                  .known = {[LONG_GAP] = known},
                  .long_from = sqrt(fmax(below, 1) * message_bytes(&points[first].chain)),
                  .logs = {shorter.logs[LATENCY], shorter.logs[GAP], longer.logs[LATENCY],
                           known ? log(fetched_gap) : longer.logs[GAP], one->logs[COMBINE]}};
    search(points, count, &f, coarse);
    return f;
}

/* From some size on: that between two sizes of messages, in the middle, which leaves least; or where the library is known to
 * have them fetched, if there are enough points of both. Points are sorted. */
static cost_fit fit_two(const clump_collective_point *points, size_t count, const cost_fit *one,
                        double fetched_gap)
{
    cost_fit best = {.least = INFINITY};
    for (size_t i = FEWEST_POINTS; i + FEWEST_POINTS <= count; i++) {
        const clump_collective_chain *before = &points[i - 1].chain, *from = &points[i].chain;
        const double below = message_bytes(before), above = message_bytes(from);
        if (from->fetched_from > 0
                ? is_fetched(before) || !is_fetched(from)
                : !(above > below * (1 + 1e-9)) || above < LEAST_LONG || below > MOST_SHORT)
            continue;
        const cost_fit f = fit_parts(points, count, i, one, fetched_gap);
        if (f.least < best.least)
            best = f;
    }
    if (isfinite(best.least))
        search(points, count, &best, 1e-6);
    return best;
}

clump_collective_local clump_collective_fit(clump_collective_point *points, size_t count,
                                            double fetched_gap)
{
    size_t combining = 0;
    cost_fit best = fit_from_all(points, count, false, 1e-6);
    for (size_t i = 0; i < count; i++)
        combining += points[i].chain.combined_bytes > 0;
    if (combining >= FEWEST_POINTS && count - combining >= FEWEST_POINTS) {
        const cost_fit added = fit_from_all(points, count, true, 1e-6);
        if (criterion(&added, count) < criterion(&best, count))
            best = added;
    }
    qsort(points, count, sizeof *points, by_bytes);
    const cost_fit two = fit_two(points, count, &best, fetched_gap);
    const bool documented = points[0].chain.fetched_from > 0;
    if (isfinite(two.least) && (documented || criterion(&two, count) < criterion(&best, count)))
        best = two;
    return local_of(&best, best.logs);
}

/* ---- operations of one platform and transport */

/* A table, and what it is predicted from. */
typedef struct table {
    const clump_cluster_sample *items;
    size_t count;
    clump_collective_call call;
} table;

typedef struct group {
    const clump_collective_samples *from;
    const clump_cluster_sample *sample; /* its first one */
    table *tables;
    size_t table_count;
    size_t alone_count; /* of these, the first ones: on one node */
    clump_collective_nics nics;
    clump_collective_point *points; /* room for all */
    double fetched_gap; /* us/B of messages that receivers fetch in a node; 0: not known */
    double measured_gb; /* one way, all NICs of a node, as pairs reached; 0: not known */
    const char *problem;
} group;

static clump_collective_chain chain_of(const group *g, const table *t, double size_bytes)
{
    clump_collective_call call = t->call;
    call.size_bytes = size_bytes;
    clump_collective_chain chain = clump_collective_chain_of(&call, &g->nics);
    /* Else latency and gap of what is fetched could not be told apart, and sizes decide. */
    if (!(g->fetched_gap > 0))
        chain.fetched_from = 0;
    return chain;
}

/* Open MPI's reductions of memory of GPUs go by the host, so that they tell nothing of messages between GPUs. */
static bool is_staged(const clump_collective_call *call, const char *transport)
{
    return call->operation == CLUMP_ALLREDUCE && call->in_gpus &&
           strncmp(transport, "openmpi", 7) == 0;
}

/* Points of operations on one node, if there are some, else of the other operations; each table weighs the same. */
static size_t find_points(const group *g, const table *but)
{
    const char *transport = g->sample->transport;
    size_t count = 0;
    for (size_t k = 0; k < (g->alone_count > 0 ? g->alone_count : g->table_count); k++) {
        const table *t = &g->tables[k];
        const bool wanted = g->alone_count > 0 || t->call.operation != but->call.operation;
        const bool tells =
            wanted && (is_staged(&but->call, transport) || !is_staged(&t->call, transport));
        for (size_t i = 0; tells && i < t->count; i++)
            g->points[count++] =
                (clump_collective_point){chain_of(g, t, (double)t->items[i].size_bytes),
                                         t->items[i].value, 1 / (double)t->count};
    }
    return count;
}

/* Each message as long as that of one pair between nodes. */
static double alone_us(const group *g, const table *t, double size)
{
    const double p = t->call.processes, rounds = ceil(log2(p) - 1e-9);
    const clump_collective_nics *nics = &g->nics;
    double sum = 0;
    if (t->call.operation == CLUMP_ALLREDUCE || t->call.operation == CLUMP_BROADCAST)
        return rounds * clump_collective_message_us(nics, 1, size);
    if (t->call.operation == CLUMP_ALLTOALL)
        return (p - 1) * clump_collective_message_us(nics, 1, size);
    for (double passed = 1; passed < p; passed *= 2)
        sum += clump_collective_message_us(nics, 1, passed * size);
    return sum;
}

/* us/B of memory of a GPU that another one of the node fetches, if the request describes the node's links: 0, if not. */
static double fetched_gap(const clump_cluster_work *work, const group *g)
{
    const clump_nccl_node *node = work->request->nccl;
    if (node == NULL || !g->tables[0].call.in_gpus || g->tables[0].call.nccl)
        return 0;
    const bool links =
        node->nvlink && !node->nvswitch && node->gpus > 1; /* to each of the others */
    return 1e-3 * (links ? node->gpus - 1 : 1) / node->inside_gb;
}

/* Of the least time, below which a measurement is that of something else. */
#define MOST_DOUBT 0.8

/* Which operations are compared with each other. */
static bool belong_together(const clump_cluster_sample *a, const clump_cluster_sample *b)
{
    return strcmp(a->platform, b->platform) == 0 && strcmp(a->transport, b->transport) == 0;
}

/* Tables of the group that begins at `first`, of several nodes and of one with more than two processes; `next` receives
 * where the next group begins. */
static group find_tables(clump_cluster_work *work, const clump_collective_samples *from,
                         size_t first, size_t *next)
{
    const clump_cluster_samples *all = &from->operations;
    group g = {.from = from, .sample = &all->items[first]};
    size_t count = 0, points = 0;
    for (*next = first; *next < all->count && belong_together(g.sample, &all->items[*next]);
         count++, points = *next - first)
        *next += clump_collective_table_length(all, *next);
    g.tables = clump_cluster_take(work, count * sizeof *g.tables);
    g.points = clump_cluster_take(work, points * sizeof *g.points);
    for (size_t i = first; g.points != NULL && i < *next;) {
        const clump_cluster_sample *s = &all->items[i];
        table t = {.items = s,
                   .count = clump_collective_table_length(all, i),
                   .call = clump_collective_call_of(s, clump_collective_find_nodes(work, s))};
        i += t.count;
        if (t.call.nodes >= 2) {
            g.tables[g.table_count++] = t;
        } else if (s->processes > 2) { /* before the others */
            t.call.nodes = 1;
            g.tables[g.table_count++] = g.tables[g.alone_count];
            g.tables[g.alone_count++] = t;
        }
    }
    return g;
}

static void find_nics(clump_cluster_work *work, group *g)
{
    const clump_cluster_sample *s = g->sample;
    const char *other = work->request->transport;
    const char *transport = s->transport[0] != '\0' ? s->transport : other;
    const clump_nic_comparison *nics =
        clump_nic_rates_compare(work, s->platform, s->platform, transport);
    if (nics->problem != NULL && other != NULL && transport != other) {
        transport = other; /* as NCCL has no benchmarks of pairs */
        nics = clump_nic_rates_compare(work, s->platform, s->platform, transport);
    }
    g->problem = nics->problem;
    g->nics = clump_collective_find_nics(
        g->from, s->platform, transport != NULL ? transport : s->transport, &nics->rates[0]);
    if (g->problem == NULL && g->nics.latency_count == 0)
        g->problem = "found no half_round_trip of one pair, expected osu_latency or IMB PingPong "
                     "with the same transport";
}

/* ---- what is reduced on the host */

/*
 * Open MPI's allreduce of memory of GPUs: copied to the host, reduced there, copied back (4.0.5: ompi/mca/coll/cuda/coll_cuda_allreduce.c). What the copies cost is what it took longer on one node than with memory of the host.
 */
typedef struct staging {
    group host;
    const table *table; /* of the host, on as many nodes; NULL: it is not known */
    const table *alone, *host_alone;
    clump_collective_local local;
} staging;

static const table *find_table(const group *g, const table *like, double nodes)
{
    for (size_t i = 0; i < g->table_count; i++)
        if (g->tables[i].call.operation == like->call.operation &&
            fabs(g->tables[i].call.nodes - nodes) < 0.5)
            return &g->tables[i];
    return NULL;
}

/* The transport of the host is named as that of the GPUs without "-gpu". */
static bool is_host_of(const clump_cluster_sample *host, const clump_cluster_sample *gpu)
{
    const size_t length = strlen(host->transport);
    return strcmp(host->platform, gpu->platform) == 0 &&
           strncmp(host->transport, gpu->transport, length) == 0 &&
           strcmp(gpu->transport + length, "-gpu") == 0;
}

static staging find_host(clump_cluster_work *work, const group *g, const table *t)
{
    const clump_cluster_samples *all = &g->from->operations;
    staging s = {.table = NULL};
    size_t first = 0, next;
    if (!is_staged(&t->call, g->sample->transport))
        return s;
    while (first < all->count && !is_host_of(&all->items[first], g->sample))
        first++;
    if (first == all->count)
        return s;
    s.host = find_tables(work, g->from, first, &next);
    find_nics(work, &s.host);
    s.alone = find_table(g, t, 1);
    s.host_alone = find_table(&s.host, t, 1);
    if (s.alone != NULL && s.host_alone != NULL && s.host.problem == NULL)
        s.table = find_table(&s.host, t, t->call.nodes);
    if (s.table != NULL)
        s.local = clump_collective_fit(s.host.points, find_points(&s.host, s.table), 0);
    return s;
}

static double table_us(const table *t, double size_bytes)
{
    return clump_cluster_time_at(t->items, t->count, size_bytes);
}

static double staged_us(const staging *s, double size_bytes)
{
    const clump_collective_chain chain = chain_of(&s->host, s->table, size_bytes);
    const double copies = table_us(s->alone, size_bytes) - table_us(s->host_alone, size_bytes);
    return clump_collective_us(&chain, &s->local) + fmax(copies, 0);
}

/* ---- predictions */

/* By what NCCL says of itself, on the node that the request describes. nccl-tests starts the next call without waiting
 * for the end of one. NAN: the error says why not. */
static double nccl_us(const clump_cluster_work *work, const group *g, const table *t,
                      double size_bytes, clump_error *error)
{
    clump_nccl_node node = *work->request->nccl;
    node.measured_gb = g->measured_gb;
    const clump_nccl_call call = {clump_collective_kind_in_engine(t->call.operation), size_bytes,
                                  true};
    clump_nccl_time time;
    node.nodes = t->call.nodes;
    return clump_nccl_time_of(&node, &call, &time, error) == CLUMP_OK ? time.us : NAN;
}

/* Why there is no such time, or NULL. */
static const char *find_nccl_problem(clump_cluster_work *work, const group *g, const table *t)
{
    const double gpus = work->request->nccl->gpus, there = t->call.processes / t->call.nodes;
    clump_error error;
    if (fabs(gpus - there) > 1e-9)
        return clump_cluster_text(
            work, "found %g GPUs in the topology, expected %g as on the nodes that were measured",
            gpus, there);
    return isnan(nccl_us(work, g, t, 0, &error)) ? clump_cluster_text(work, "%s", error.message)
                                                 : NULL;
}

/* A time that is far below what NICs can do is none of so many processes on so many nodes. NULL: there is none. */
static const char *find_impossible(clump_cluster_work *work, const group *g, const table *t)
{
    /* One pair's best is not what all NICs carry. */
    const bool known = g->problem == NULL && clump_nic_rates_pairs(g->nics.rates) > 1;
    const double rate = known ? clump_nic_rates_best(g->nics.rates) : 0;
    for (size_t i = 0; i < t->count; i++) {
        clump_collective_call call = t->call;
        call.size_bytes = (double)t->items[i].size_bytes;
        const double least = clump_collective_least_us(&call, rate);
        if (t->items[i].value < MOST_DOUBT * least)
            return clump_cluster_text(
                work,
                "found %.4g us for %g bytes, expected at least %.4g: what leaves each of %g nodes "
                "over NICs of %.4g B/us; say how many processes there were (import --processes), "
                "and processors a node",
                t->items[i].value, call.size_bytes, least, call.nodes, rate);
    }
    return NULL;
}

static void predict(clump_cluster_work *work, const group *g, const table *t)
{
    const clump_collective_local none = {.latency_us = 0};
    const bool nccl = t->call.nccl && work->request->nccl != NULL;
    const size_t points = g->problem == NULL ? find_points(g, t) : 0;
    const clump_collective_local local =
        points > 0 ? clump_collective_fit(g->points, points, g->fetched_gap) : none;
    const staging staged = find_host(work, g, t);
    clump_cluster_row row = clump_collective_row(t->items, t->call.nodes);
    row.set = clump_cluster_text(work, "%s%s%s", g->sample->platform,
                                 g->sample->transport[0] != '\0' ? ", " : "", g->sample->transport);
    row.problem = nccl                 ? find_nccl_problem(work, g, t)
                  : g->problem != NULL ? g->problem
                  : points == 0
                      ? "found no other operation of as many processes, expected one to fit "
                        "messages within nodes to"
                      : find_impossible(work, g, t);
    if (row.problem != NULL)
        clump_cluster_add(work, &row);
    for (size_t i = 0; i < t->count && row.problem == NULL; i++) {
        const double size = (double)t->items[i].size_bytes;
        row.size_bytes = t->items[i].size_bytes;
        row.measured = t->items[i].value;
        if (g->problem == NULL) {
            const clump_collective_chain chain = chain_of(g, t, size);
            row.predicted = clump_collective_us(&chain, &local);
            row.rivals[0] = alone_us(g, t, size);
            row.rivals[1] = clump_collective_us(&chain, &none);
        }
        if (staged.table != NULL)
            row.predicted = staged_us(&staged, size);
        if (nccl && isnan(row.predicted = nccl_us(work, g, t, size, work->error)))
            work->status = CLUMP_BAD_ARGUMENT;
        clump_cluster_add(work, &row);
    }
}

/* B/us one way that all NICs of a node were seen to carry: by the benchmark of at least as many pairs that reached most, with memory of
 * GPUs, if there is one. 0: not measured; one pair's best is not the node's. */
static double measured_total(clump_cluster_work *work, const char *platform, double nics)
{
    clump_cluster_samples all = {.items = NULL};
    double most[2] = {0, 0}; /* of host's memory, of GPUs' */
    clump_pair_samples_load(work, platform, &all);
    for (size_t i = 0, length; i < all.count; i += length) {
        const clump_cluster_sample *s = &all.items[i];
        length = clump_cluster_table_length(s, all.count - i, false);
        clump_node_rates node;
        if (!clump_pair_is_remote(s) ||
            !clump_node_rates_make(s, length, CLUMP_NODE_THREE_SIZES, NAN, &node) ||
            node.most < fmax(nics, 2))
            continue;
        const bool both = strcmp(s->quantity, "transfer_rate_both_ways") == 0;
        const double total = clump_node_rates_total(&node) * (both ? 0.5 : 1);
        most[node.gpu] = fmax(most[node.gpu], total);
    }
    return most[1] > 0 ? most[1] : most[0];
}

static void predict_platform(clump_cluster_work *work, const clump_cluster_sources *from,
                             const char *platform, const char *same)
{
    (void)same;
    const clump_cluster_samples *all = &from->collectives.operations;
    const char *wanted = work->request->platform;
    for (size_t first = 0, next; first < all->count && work->status == CLUMP_OK; first = next) {
        next = first + 1;
        if (strcmp(all->items[first].platform, platform) != 0 ||
            (wanted != NULL && strcmp(wanted, platform) != 0))
            continue;
        group g = find_tables(work, &from->collectives, first, &next);
        if (g.table_count == g.alone_count)
            continue;
        find_nics(work, &g);
        g.fetched_gap = fetched_gap(work, &g);
        if (work->request->nccl != NULL && g.tables[0].call.nccl)
            g.measured_gb = 1e-3 * measured_total(work, platform, work->request->nccl->nics);
        for (size_t i = g.alone_count; i < g.table_count; i++)
            predict(work, &g, &g.tables[i]);
    }
}

const clump_cluster_judge clump_judge_collectives = {
    .load = clump_collective_load,
    .platform = clump_collective_platform,
    .predict = predict_platform,
    .nothing =
        "found no allreduce, allgather, alltoall or broadcast of several nodes, expected some "
        "with their number of processes (import --processes)",
};
