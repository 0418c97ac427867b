/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "fitting/clusters/collective_samples.h"

#include <math.h>
#include <string.h>

/* Names of benchmarks end so, in whatever case. */
static bool find_operation(const char *benchmark, clump_collective *operation)
{
    static const struct {
        const char *end;
        clump_collective operation;
    } names[] = {{"llreduce", CLUMP_ALLREDUCE},  {"llgather", CLUMP_ALLGATHER},
                 {"lltoall", CLUMP_ALLTOALL},    {"ll_reduce", CLUMP_ALLREDUCE},
                 {"ll_gather", CLUMP_ALLGATHER}, {"_bcast", CLUMP_BROADCAST},
                 {"roadcast", CLUMP_BROADCAST},  {"Bcast", CLUMP_BROADCAST}};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const size_t length = strlen(benchmark), end = strlen(names[i].end);
        if (length >= end && strcmp(benchmark + length - end, names[i].end) == 0) {
            *operation = names[i].operation;
            return true;
        }
    }
    return false;
}

/* Libraries that come of MPICH have rings only. */
static bool is_in_rings(const char *transport)
{
    static const char *const libraries[] = {"impi", "intel", "mpich", "mvapich"};
    for (size_t i = 0; i < sizeof libraries / sizeof *libraries; i++)
        if (strstr(transport, libraries[i]) != NULL)
            return true;
    return false;
}

clump_collective_call clump_collective_call_of(const clump_cluster_sample *s, double nodes)
{
    clump_collective_call call = {.size_bytes = (double)s->size_bytes,
                                  .processes = (double)s->processes,
                                  .nodes = nodes,
                                  .in_rings = is_in_rings(s->transport),
                                  .nccl = strstr(s->transport, "nccl") != NULL,
                                  .in_gpus = strstr(s->transport, "-gpu") != NULL};
    find_operation(s->benchmark, &call.operation);
    return call;
}

static bool is_plain(const clump_cluster_sample *s)
{
    return s->size_bytes > 0 && s->value > 0 && s->variant[0] == '\0' && !s->doubtful;
}

static bool is_collective(const clump_cluster_sample *s)
{
    clump_collective operation;
    return is_plain(s) && s->processes > 0 && find_operation(s->benchmark, &operation);
}

static bool is_one_pair(const clump_cluster_sample *s)
{
    return is_plain(s) && s->processes == 2 && strcmp(s->transport, "shared-memory") != 0;
}

/* Sorted, repetitions as their mean; only what `keep` wants. */
static void load(clump_cluster_work *work, const char *quantity,
                 bool (*keep)(const clump_cluster_sample *sample), clump_cluster_samples *all)
{
    const clump_store_filter filter = {.application = "", .quantity = quantity};
    clump_cluster_samples_load(work, &filter, all);
    clump_cluster_samples_leave_central(work, all);
    clump_cluster_samples_keep(all, keep);
    clump_cluster_samples_merge(all, clump_cluster_compare);
}

void clump_collective_samples_load(clump_cluster_work *work, clump_collective_samples *samples)
{
    load(work, "operation_time", is_collective, &samples->operations);
    load(work, "half_round_trip", is_one_pair, &samples->latencies);
}

/* Samples that agree in all but size, from `first` on. */
size_t clump_collective_table_length(const clump_cluster_samples *all, size_t first)
{
    return clump_cluster_table_length(&all->items[first], all->count - first, true);
}

/* The half round trips of a platform and transport. */
clump_collective_nics clump_collective_find_nics(const clump_collective_samples *from,
                                                 const char *platform, const char *transport,
                                                 const clump_nic_rates *rates)
{
    const clump_cluster_samples *all = &from->latencies;
    clump_collective_nics nics = {.rates = rates};
    for (size_t i = 0; i < all->count && nics.latency_count == 0;
         i += clump_collective_table_length(all, i))
        if (strcmp(all->items[i].platform, platform) == 0 &&
            strcmp(all->items[i].transport, transport) == 0)
            nics = (clump_collective_nics){.rates = rates,
                                           .latencies = &all->items[i],
                                           .latency_count = clump_collective_table_length(all, i)};
    return nics;
}

/* The same on another platform. */
double clump_collective_find_us(const clump_collective_samples *from,
                                const clump_cluster_sample *sample, const char *platform)
{
    clump_cluster_sample wanted = *sample;
    wanted.platform = platform;
    return clump_cluster_find(from->operations.items, from->operations.count, &wanted);
}

/* Nodes that the processes fill; 0: unknown, or one. */
double clump_collective_find_nodes(clump_cluster_work *work, const clump_cluster_sample *s)
{
    const double each = clump_cluster_node_of(work, s->platform).processors;
    return each > 0 && (double)s->processes > each ? ceil((double)s->processes / each) : 0;
}

clump_cluster_row clump_collective_row(const clump_cluster_sample *s, double nodes)
{
    return (clump_cluster_row){
        .part = s->benchmark,
        .platform = s->platform,
        .transport = s->transport,
        .variant = "",
        .subject = s->benchmark,
        .quantity = "operation_time",
        .nodes = llround(nodes),
        .processes = s->processes,
        .size_bytes = -1,
        .measured = NAN,
        .predicted = NAN,
        .rivals = {NAN, NAN},
    };
}

/* Bytes that must leave a node at least, whatever the algorithm: what another node does not have, and needs. */
static double least_bytes(const clump_collective_call *c)
{
    const double each = c->processes / c->nodes;
    switch (c->operation) {
    case CLUMP_ALLTOALL:
        return each * (c->processes - each) * c->size_bytes;
    case CLUMP_ALLGATHER:
        return each * c->size_bytes;
    case CLUMP_BROADCAST: /* by one node, or handed on */
    case CLUMP_ALLREDUCE: /* sums, by all nodes together n - 1 times */
        return c->size_bytes * (c->nodes - 1) / c->nodes;
    }
    return 0;
}

double clump_collective_least_us(const clump_collective_call *call, double rate)
{
    return rate > 0 ? least_bytes(call) / rate : 0;
}
