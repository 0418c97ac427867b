/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "fitting/clusters/collectives.h"
#include "fitting/clusters/cluster_judges.h"

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
    size_t first, count;
    clump_collective_call call;
} table;

typedef struct group {
    const clump_collective_samples *from;
    const clump_cluster_sample *sample; /* its first one */
    table *tables;
    size_t table_count;
    size_t alone_count;       /* of these, the first ones: on one node */
    clump_nic_rates rates[2]; /* the same twice */
    clump_collective_nics nics;
    clump_collective_point *points;
    double fetched_gap; /* us/B of messages that receivers fetch in a node; 0: not known */
    const char *problem;
} group;

/*
 * Open MPI's allreduce of memory of GPUs: copied to the host, reduced there, copied back (4.0.5: ompi/mca/coll/cuda/coll_cuda_allreduce.c). What the copies cost is what it took longer on one node than with memory of the host.
 */
typedef struct staging {
    group host;
    table *tables;
    clump_collective_point *points;
    const table *table; /* of the host, on as many nodes; NULL: it is not known */
    const table *alone, *host_alone;
    clump_collective_local local;
} staging;

static clump_collective_chain chain_of(const group *g, const table *t, double size_bytes)
{
    clump_collective_call call = t->call;
    call.size_bytes = size_bytes;
    clump_collective_chain chain = clump_collective_chain_of(&call, &g->nics);
    if (!(g->fetched_gap >
          0)) /* then latency and gap of what is fetched could not be told apart, and sizes decide */
        chain.fetched_from = 0;
    return chain;
}

static clump_collective_chain chain_at(const group *g, const table *t, size_t i)
{
    return chain_of(g, t, (double)g->from->operations.items[t->first + i].size_bytes);
}

/* Its reductions go by the host, so that they tell nothing of messages between GPUs. */
static bool is_staged(const clump_cluster_sample *s, clump_collective operation)
{
    return operation == CLUMP_ALLREDUCE && strncmp(s->transport, "openmpi", 7) == 0 &&
           clump_collective_in_gpus(s->transport);
}

/* Points of operations on one node, if there are some, else of the other operations; each table weighs the same. */
static size_t find_points(const group *g, const table *but)
{
    size_t count = 0;
    for (size_t k = 0; k < (g->alone_count > 0 ? g->alone_count : g->table_count); k++) {
        const table *t = &g->tables[k];
        const bool wanted = g->alone_count > 0 || t->call.operation != but->call.operation;
        const bool tells = wanted && (is_staged(g->sample, but->call.operation) ||
                                      !is_staged(g->sample, t->call.operation));
        for (size_t i = 0; tells && i < t->count; i++)
            g->points[count++] = (clump_collective_point){
                chain_at(g, t, i), g->from->operations.items[t->first + i].value,
                1 / (double)t->count};
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

static clump_status find_host(clump_cluster_work *work, const group *g, const table *t, staging *s);

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

static double table_us(const group *g, const table *t, double size_bytes)
{
    return clump_cluster_time_at(&g->from->operations.items[t->first], t->count, size_bytes);
}

static double staged_us(const group *g, const staging *s, double size_bytes)
{
    const clump_collective_chain chain = chain_of(&s->host, s->table, size_bytes);
    const double copies =
        table_us(g, s->alone, size_bytes) - table_us(&s->host, s->host_alone, size_bytes);
    return clump_collective_us(&chain, &s->local) + fmax(copies, 0);
}

static void free_host(staging *s)
{
    clump_nic_rates_free(s->host.rates);
    free(s->tables);
    free(s->points);
}

/* By what NCCL says of itself, on the node that the request describes. nccl-tests starts the next call without waiting
 * for the end of one. */
static clump_status nccl_us(const clump_cluster_work *work, const table *t, double size_bytes,
                            double *us, clump_error *error)
{
    clump_nccl_node node = *work->request->nccl;
    const clump_nccl_call call = {clump_collective_kind_in_engine(t->call.operation), size_bytes,
                                  true};
    clump_nccl_time time = {.us = NAN};
    node.nodes = t->call.nodes;
    const clump_status status = clump_nccl_time_of(&node, &call, &time, error);
    *us = time.us;
    return status;
}

/* Why there is no such time, or NULL; in `status` whether that could be told. */
static const char *find_nccl_problem(clump_cluster_work *work, const table *t, clump_status *status)
{
    const double gpus = work->request->nccl->gpus, there = t->call.processes / t->call.nodes;
    const char *problem = NULL;
    clump_error error;
    double us;
    if (fabs(gpus - there) > 1e-9)
        problem = clump_cluster_text(
            work, "found %g GPUs in the topology, expected %g as on the nodes that were measured",
            gpus, there);
    else if (nccl_us(work, t, 0, &us, &error) != CLUMP_OK)
        problem = clump_cluster_text(work, "%s", error.message);
    else
        return NULL;
    *status = problem == NULL ? CLUMP_NO_MEMORY : CLUMP_OK;
    return problem;
}

static clump_status predict(clump_cluster_work *work, const group *g, const table *t)
{
    const bool nccl = t->call.nccl && work->request->nccl != NULL;
    staging staged = {.table = NULL};
    const clump_cluster_sample *s = &g->from->operations.items[t->first];
    const size_t points = g->problem == NULL ? find_points(g, t) : 0;
    const clump_collective_local local =
        points > 0 ? clump_collective_fit(g->points, points, g->fetched_gap)
                   : (clump_collective_local){.latency_us = 0};
    clump_cluster_row row = clump_collective_row(s, t->call.nodes);
    row.set = clump_cluster_text(work, "%s%s%s", s->platform, s->transport[0] != '\0' ? ", " : "",
                                 s->transport);
    row.problem = g->problem;
    const clump_collective_local none = {.latency_us = 0};
    if (row.set == NULL)
        return CLUMP_NO_MEMORY;
    clump_status status = find_host(work, g, t, &staged);
    if (row.problem == NULL && points == 0 && !nccl)
        row.problem = "found no other operation of as many processes, expected one to fit messages "
                      "within nodes to";
    if (nccl && status == CLUMP_OK)
        row.problem = find_nccl_problem(work, t, &status);
    const bool hopeless = row.problem != NULL;
    if (status == CLUMP_OK && hopeless)
        status = clump_cluster_add(work, &row);
    for (size_t i = 0; i < t->count && status == CLUMP_OK && !hopeless; i++) {
        row.size_bytes = s[i].size_bytes;
        row.measured = s[i].value;
        if (g->problem == NULL) {
            const clump_collective_chain chain = chain_at(g, t, i);
            row.predicted = clump_collective_us(&chain, &local);
            row.rivals[0] = alone_us(g, t, (double)s[i].size_bytes);
            row.rivals[1] = clump_collective_us(&chain, &none);
        }
        if (staged.table != NULL)
            row.predicted = staged_us(g, &staged, (double)s[i].size_bytes);
        if (nccl)
            status = nccl_us(work, t, (double)s[i].size_bytes, &row.predicted, work->error);
        if (status == CLUMP_OK)
            status = clump_cluster_add(work, &row);
        row.predicted = NAN;
    }
    free_host(&staged);
    return status;
}

/* Which operations are compared with each other. */
static bool belong_together(const clump_cluster_sample *a, const clump_cluster_sample *b)
{
    return strcmp(a->platform, b->platform) == 0 && strcmp(a->transport, b->transport) == 0;
}

/* Tables of the group that begins at `first`: those with the most processes of several nodes; returns
 * where the next group begins. */
static clump_status find_tables(clump_cluster_work *work, group *g, size_t first, size_t *next)
{
    const clump_cluster_samples *all = &g->from->operations;
    clump_status status = CLUMP_OK;
    g->sample = &all->items[first];
    g->table_count = g->alone_count = 0;
    for (*next = first; *next < all->count && status == CLUMP_OK;) {
        const clump_cluster_sample *s = &all->items[*next];
        table t = {.first = *next, .count = clump_collective_table_length(all, *next)};
        if (!belong_together(g->sample, s))
            break;
        *next += t.count;
        status = clump_collective_find_nodes(work, s, &t.call.nodes);
        t.call.processes = (double)s->processes;
        t.call.in_rings = clump_collective_in_rings(s->transport);
        t.call.nccl = clump_collective_is_nccl(s->transport);
        t.call.in_gpus = clump_collective_in_gpus(s->transport);
        clump_collective_find(s->benchmark, &t.call.operation);
        const bool alone = t.call.nodes < 2 && s->processes > 2;
        if (alone) { /* before the others */
            t.call.nodes = 1;
            g->tables[g->table_count++] = g->tables[g->alone_count];
            g->tables[g->alone_count++] = t;
        } else if (t.call.nodes >= 2) {
            g->tables[g->table_count++] = t;
        }
    }
    return status;
}

static clump_status find_nics(clump_cluster_work *work, group *g)
{
    const clump_cluster_sample *s = g->sample;
    const char *const platforms[2] = {s->platform, s->platform};
    const char *other = work->request->transport;
    const char *transport = s->transport[0] != '\0' ? s->transport : other;
    clump_status status = clump_nic_rates_load(work, platforms, transport, g->rates, &g->problem);
    if (status == CLUMP_OK && g->problem != NULL && other != NULL && transport != other) {
        transport = other; /* as NCCL has no benchmarks of pairs */
        clump_nic_rates_free(g->rates);
        status = clump_nic_rates_load(work, platforms, transport, g->rates, &g->problem);
    }
    g->nics = clump_collective_find_nics(
        g->from, s->platform, transport != NULL ? transport : s->transport, &g->rates[0]);
    if (status == CLUMP_OK && g->problem == NULL && g->nics.latency_count == 0)
        g->problem = "found no half_round_trip of one pair, expected osu_latency or IMB PingPong "
                     "with the same transport";
    return status;
}

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

/* What is there after an error is released by free_host, too. */
static clump_status find_host(clump_cluster_work *work, const group *g, const table *t, staging *s)
{
    const clump_cluster_samples *all = &g->from->operations;
    size_t first = 0, next;
    if (!is_staged(g->sample, t->call.operation))
        return CLUMP_OK;
    while (first < all->count && !is_host_of(&all->items[first], g->sample))
        first++;
    if (first == all->count)
        return CLUMP_OK;
    s->tables = malloc((all->count + 1) * sizeof *s->tables);
    s->points = malloc((all->count + 1) * sizeof *s->points);
    if (s->tables == NULL || s->points == NULL)
        return clump_fail_memory(work->error, "operations");
    s->host = (group){.from = g->from, .tables = s->tables, .points = s->points};
    clump_status status = find_tables(work, &s->host, first, &next);
    if (status == CLUMP_OK)
        status = find_nics(work, &s->host);
    const table *found = find_table(&s->host, t, t->call.nodes);
    s->alone = find_table(g, t, 1);
    s->host_alone = find_table(&s->host, t, 1);
    if (status != CLUMP_OK || found == NULL || s->alone == NULL || s->host_alone == NULL ||
        s->host.problem != NULL)
        return status;
    s->local = clump_collective_fit(s->points, find_points(&s->host, found), 0);
    s->table = found;
    return CLUMP_OK;
}

static clump_status predict_group(clump_cluster_work *work, group *g)
{
    clump_status status = find_nics(work, g);
    g->fetched_gap = fetched_gap(work, g);
    for (size_t i = g->alone_count; i < g->table_count && status == CLUMP_OK; i++)
        status = predict(work, g, &g->tables[i]);
    clump_nic_rates_free(g->rates);
    return status;
}

static clump_status predict_platform(clump_cluster_work *work, const clump_cluster_sources *from,
                                     const char *platform, const char *same)
{
    (void)same;
    const clump_cluster_samples *all = &from->collectives.operations;
    const char *wanted = work->request->platform;
    clump_status status = CLUMP_OK;
    group g = {.from = &from->collectives,
               .tables = malloc((all->count + 1) * sizeof *g.tables),
               .points = malloc((all->count + 1) * sizeof *g.points)};
    if (g.tables == NULL || g.points == NULL)
        status = clump_fail_memory(work->error, "operations");
    for (size_t first = 0, next = 0; first < all->count && status == CLUMP_OK; first = next) {
        status = find_tables(work, &g, first, &next);
        if (status == CLUMP_OK && g.table_count > g.alone_count &&
            strcmp(g.sample->platform, platform) == 0 &&
            (wanted == NULL || strcmp(wanted, platform) == 0))
            status = predict_group(work, &g);
    }
    free(g.tables);
    free(g.points);
    return status;
}

const clump_cluster_judge clump_judge_collectives = {
    .load = clump_collective_load,
    .platform = clump_collective_platform,
    .predict = predict_platform,
    .nothing =
        "found no allreduce, allgather, alltoall or broadcast of several nodes, expected some "
        "with their number of processes (import --processes)",
};
