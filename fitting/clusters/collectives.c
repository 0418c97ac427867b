/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "fitting/clusters/collectives.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* From how many bytes on data go around in a ring of processes, below which the distance of partners
 * doubles: an allreduce of so many, an allgather of so many of all processes together. Those of Open MPI
 * 4.0, and others choose similarly. */
#define RING_ALLREDUCE 10000
#define RING_ALLGATHER 50000

/* ---- the part of the NICs */

static double latency_us(const clump_collective_nics *nics, double size)
{
    const clump_cluster_sample *s = nics->latencies;
    const size_t count = nics->latency_count;
    size_t above = 0;
    while (above < count && (double)s[above].size_bytes < size)
        above++;
    if (above == 0)
        return s[0].value;
    if (above == count)
        return s[count - 1].value * size / (double)s[count - 1].size_bytes;
    const clump_cluster_sample *low = &s[above - 1], *high = &s[above];
    return low->value * pow(high->value / low->value,
                            log(size / (double)low->size_bytes) /
                                log((double)high->size_bytes / (double)low->size_bytes));
}

double clump_collective_message_us(const clump_collective_nics *nics, double sharing,
                                   double size_bytes)
{
    return fmax(latency_us(nics, size_bytes),
                sharing * size_bytes / clump_nic_rate(nics->rates, sharing, size_bytes));
}

/* Messages of which each waits for the one before it: us that they are on their way between nodes, and us
 * that the busiest NIC needs for all. */
typedef struct chain {
    double us, busy_us;
} chain;

/* Partners at the distances 1, 2, 4...: of a node all have one on another node, or none. What is passed
 * on is of the same size, or doubles. */
static chain doubling(const clump_collective_call *c, const clump_collective_nics *nics,
                      bool growing)
{
    const double each = c->processes / c->nodes;
    chain sum = {0, 0};
    double size = growing ? c->size_bytes * each : c->size_bytes;
    for (double nodes = 1; nodes < c->nodes; nodes *= 2, size *= growing ? 2 : 1)
        sum.us += clump_collective_message_us(nics, each, size);
    return sum;
}

/* From each process to the next, `laps` times around: each time as many messages leave a node as there
 * are processes. */
static chain ring(const clump_collective_call *c, const clump_collective_nics *nics, double laps,
                  double size)
{
    const double hops = laps * (c->processes - 1);
    return (chain){hops * c->nodes / c->processes * clump_collective_message_us(nics, 1, size),
                   hops * size / clump_nic_rate(nics->rates, 1, size)};
}

static chain find_chain(const clump_collective_call *c, const clump_collective_nics *nics)
{
    const double n = c->size_bytes;
    if (c->operation == CLUMP_ALLREDUCE)
        return n < RING_ALLREDUCE ? doubling(c, nics, false) : ring(c, nics, 2, n / c->processes);
    return n * c->processes < RING_ALLGATHER ? doubling(c, nics, true) : ring(c, nics, 1, n);
}

/* All messages at once: us that a NIC needs for those to other nodes. */
static double exchange_us(const clump_collective_call *c, const clump_collective_nics *nics)
{
    const double each = c->processes / c->nodes;
    return each * (c->processes - each) * c->size_bytes /
           clump_nic_rate(nics->rates, each, c->size_bytes);
}

double clump_collective_predict(const clump_collective_call *call, double us,
                                const clump_collective_nics *from, const clump_collective_nics *to)
{
    if (call->operation == CLUMP_ALLTOALL) {
        /* Whatever is slower, NICs or the rest; a NIC that gets faster leaves the rest unknown. */
        const double before = exchange_us(call, from), after = exchange_us(call, to);
        return fmax(after, us - fmin(us, fmax(0, before - after)));
    }
    const chain before = find_chain(call, from), after = find_chain(call, to);
    const double nics = fmin(us, before.us);
    return fmax(after.busy_us, us + (before.us > 0 ? nics * (after.us / before.us - 1) : 0));
}

/* ---- samples */

/* Names of benchmarks end so, in whatever case. */
static bool find_operation(const char *benchmark, clump_collective *operation)
{
    static const struct {
        const char *end;
        clump_collective operation;
    } names[] = {
        {"llreduce", CLUMP_ALLREDUCE}, {"llgather", CLUMP_ALLGATHER}, {"lltoall", CLUMP_ALLTOALL}};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const size_t length = strlen(benchmark), end = strlen(names[i].end);
        if (length >= end && strcmp(benchmark + length - end, names[i].end) == 0) {
            *operation = names[i].operation;
            return true;
        }
    }
    return false;
}

/* By what was run, then on which platform. */
static int compare_operations(const clump_cluster_sample *a, const clump_cluster_sample *b)
{
    int order = strcmp(a->platform, b->platform);
    order = order != 0 ? order : strcmp(a->transport, b->transport);
    order = order != 0 ? order : strcmp(a->benchmark, b->benchmark);
    order = order != 0 ? order : strcmp(a->statistic, b->statistic);
    return order != 0 ? order : (a->processes > b->processes) - (a->processes < b->processes);
}

static int compare(const void *first, const void *second)
{
    const clump_cluster_sample *a = first, *b = second;
    const int order = compare_operations(a, b);
    return order != 0 ? order : (a->size_bytes > b->size_bytes) - (a->size_bytes < b->size_bytes);
}

/* Sorted, repetitions as their mean; only what `keep` wants. */
static void tidy(clump_cluster_samples *all, bool (*keep)(const clump_cluster_sample *sample))
{
    size_t kept = 0;
    for (size_t i = 0; i < all->count; i++) {
        const clump_cluster_sample *s = &all->items[i];
        if (s->size_bytes > 0 && s->value > 0 && s->variant[0] == '\0' && !s->doubtful && keep(s))
            all->items[kept++] = *s;
    }
    all->count = kept;
    if (kept > 0)
        qsort(all->items, kept, sizeof *all->items, compare);
    kept = 0;
    for (size_t i = 0; i < all->count;) {
        clump_cluster_sample mean = all->items[i];
        double same = 1;
        for (i++; i < all->count && compare(&mean, &all->items[i]) == 0; i++, same++)
            mean.value += all->items[i].value;
        mean.value /= same;
        all->items[kept++] = mean;
    }
    all->count = kept;
}

static bool is_collective(const clump_cluster_sample *s)
{
    clump_collective operation;
    return s->processes > 0 && find_operation(s->benchmark, &operation);
}

static bool is_one_pair(const clump_cluster_sample *s)
{
    return s->processes == 2 && strcmp(s->transport, "shared-memory") != 0;
}

static clump_status load(clump_cluster_work *work, const char *quantity,
                         bool (*keep)(const clump_cluster_sample *sample),
                         clump_cluster_samples *all)
{
    const clump_store_filter filter = {.application = "", .quantity = quantity};
    const clump_status status = clump_cluster_samples_load(work, &filter, all);
    if (status == CLUMP_OK)
        tidy(all, keep);
    return status;
}

/* ---- from one platform to another */

typedef struct sources {
    clump_cluster_samples operations, latencies;
} sources;

/* Samples that agree in all but size, from `first` on. */
static size_t length_of(const clump_cluster_samples *all, size_t first)
{
    size_t length = 1;
    while (first + length < all->count &&
           compare_operations(&all->items[first], &all->items[first + length]) == 0)
        length++;
    return length;
}

/* The half round trips of a platform and transport. */
static clump_collective_nics find_nics(const sources *from, const clump_cluster_sample *like,
                                       const char *platform, const clump_nic_rates *rates)
{
    const clump_cluster_samples *all = &from->latencies;
    clump_collective_nics nics = {.rates = rates};
    for (size_t i = 0; i < all->count && nics.latency_count == 0; i += length_of(all, i))
        if (strcmp(all->items[i].platform, platform) == 0 &&
            strcmp(all->items[i].transport, like->transport) == 0)
            nics = (clump_collective_nics){rates, &all->items[i], length_of(all, i)};
    return nics;
}

/* The same on another platform. */
static double find_measured(const sources *from, const clump_cluster_sample *sample,
                            const char *platform)
{
    clump_cluster_sample wanted = *sample;
    wanted.platform = platform;
    const clump_cluster_sample *found =
        from->operations.count > 0
            ? bsearch(&wanted, from->operations.items, from->operations.count,
                      sizeof *from->operations.items, compare)
            : NULL;
    return found != NULL ? found->value : NAN;
}

/* A table of one operation, from `first` on. */
static clump_status predict(clump_cluster_work *work, const sources *from, size_t first,
                            double nodes, const char *to)
{
    const clump_cluster_sample *s = &from->operations.items[first];
    const char *const platforms[2] = {s->platform, to};
    const char *transport = s->transport[0] != '\0' ? s->transport : work->request->transport;
    clump_nic_rates rates[2] = {{.share = 1}, {.share = 1}};
    clump_cluster_row row = {.part = s->benchmark,
                             .platform = to,
                             .transport = s->transport,
                             .variant = "",
                             .subject = s->benchmark,
                             .quantity = "operation_time",
                             .nodes = llround(nodes),
                             .processes = s->processes,
                             .size_bytes = -1,
                             .measured = NAN,
                             .predicted = NAN,
                             .rivals = {NAN, NAN}};
    row.set = clump_cluster_text(work, "%s%s%s from %s", to, s->transport[0] != '\0' ? ", " : "",
                                 s->transport, s->platform);
    clump_status status =
        row.set == NULL ? CLUMP_NO_MEMORY
                        : clump_nic_rates_load(work, platforms, transport, rates, &row.problem);
    const clump_collective_nics nics[2] = {find_nics(from, s, s->platform, &rates[0]),
                                           find_nics(from, s, to, &rates[1])};
    if (status == CLUMP_OK && row.problem == NULL &&
        (nics[0].latency_count == 0 || nics[1].latency_count == 0))
        row.problem =
            "found no half_round_trip of one pair on both platforms, expected osu_latency "
            "or IMB PingPong with the same transport";
    if (status == CLUMP_OK && row.problem != NULL)
        status = clump_cluster_add(work, &row);
    const size_t count = length_of(&from->operations, first);
    clump_collective_call call = {.processes = (double)s->processes, .nodes = nodes};
    find_operation(s->benchmark, &call.operation);
    for (size_t i = 0; i < count && status == CLUMP_OK && row.problem == NULL; i++) {
        row.size_bytes = s[i].size_bytes;
        call.size_bytes = (double)s[i].size_bytes;
        row.measured = find_measured(from, &s[i], to);
        row.predicted = clump_collective_predict(&call, s[i].value, &nics[0], &nics[1]);
        row.rivals[0] = s[i].value;
        row.rivals[1] =
            s[i].value * clump_nic_rates_best(&rates[0]) / clump_nic_rates_best(&rates[1]);
        status = clump_cluster_add(work, &row);
    }
    for (size_t i = 0; i < 2; i++)
        clump_nic_rates_free(&rates[i]);
    return status;
}

/* Nodes that the processes fill; 0: unknown, or one. */
static clump_status find_nodes(clump_cluster_work *work, const clump_cluster_sample *s,
                               double *nodes)
{
    clump_store_platform *platform = NULL;
    const clump_status status = clump_cluster_platform(work, s->platform, &platform);
    *nodes = platform != NULL && s->processes > platform->processors
                 ? ceil((double)s->processes / (double)platform->processors)
                 : 0;
    clump_store_free(platform);
    return status;
}

static bool is_wanted(const char *wanted, const char *platform)
{
    return wanted == NULL || strcmp(wanted, platform) == 0;
}

/* To another platform: all operations of this one that were measured there, or all that there are. */
static clump_status predict_to(clump_cluster_work *work, const sources *from, const char *platform,
                               const char *to)
{
    const clump_cluster_samples *all = &from->operations;
    clump_status status = CLUMP_OK;
    for (size_t i = 0; i < all->count && status == CLUMP_OK; i += length_of(all, i)) {
        const clump_cluster_sample *s = &all->items[i];
        double nodes = 0;
        if (strcmp(s->platform, platform) != 0)
            continue;
        bool measured = work->request->from != NULL && work->request->platform != NULL;
        for (size_t k = 0; k < length_of(all, i) && !measured; k++)
            measured = isfinite(find_measured(from, &s[k], to));
        if (measured)
            status = find_nodes(work, s, &nodes);
        if (status == CLUMP_OK && nodes >= 2)
            status = predict(work, from, i, nodes, to);
    }
    return status;
}

static clump_status predict_all(clump_cluster_work *work, const sources *from)
{
    const clump_cluster_samples *all = &from->operations;
    const clump_cluster_request *request = work->request;
    clump_status status = CLUMP_OK;
    for (size_t i = 0; i < all->count && status == CLUMP_OK; i++) {
        const char *platform = all->items[i].platform;
        bool reached = false;
        if ((i > 0 && strcmp(all->items[i - 1].platform, platform) == 0) ||
            !is_wanted(request->from, platform))
            continue;
        for (size_t j = 0; j < all->count && status == CLUMP_OK; j++) {
            const char *to = all->items[j].platform;
            if ((j > 0 && strcmp(all->items[j - 1].platform, to) == 0) ||
                strcmp(platform, to) == 0 || !is_wanted(request->platform, to))
                continue;
            reached = true;
            status = predict_to(work, from, platform, to);
        }
        if (!reached && request->from != NULL && request->platform != NULL && status == CLUMP_OK &&
            strcmp(platform, request->platform) != 0)
            status = predict_to(work, from, platform, request->platform);
    }
    return status;
}

clump_status clump_cluster_collectives(clump_cluster_work *work)
{
    sources from = {.operations = {.items = NULL}};
    clump_status status = load(work, "operation_time", is_collective, &from.operations);
    if (status == CLUMP_OK)
        status = load(work, "half_round_trip", is_one_pair, &from.latencies);
    if (status == CLUMP_OK)
        status = predict_all(work, &from);
    clump_cluster_samples_free(&from.operations);
    clump_cluster_samples_free(&from.latencies);
    if (status == CLUMP_OK && work->count == 0)
        return clump_fail(work->error, CLUMP_BAD_ARGUMENT,
                          "found no allreduce, allgather or alltoall of several nodes on two "
                          "platforms, expected some with their number of processes (import "
                          "--processes), or --from and --platform");
    return status;
}
