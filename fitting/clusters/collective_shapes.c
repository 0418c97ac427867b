/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "fitting/clusters/collective_shapes.h"

#include <math.h>
#include <string.h>

/* From how many bytes on data go from neighbour to neighbour, below which the distance of partners
 * doubles: an allreduce of so many, an allgather of so many of all processes together. Those of Open MPI
 * 4.0 (coll_tuned_decision_fixed.c), and others choose similarly. */
#define RING_ALLREDUCE 10000
#define NEIGHBOUR_ALLGATHER 50000

bool clump_collective_in_rings(const char *transport)
{
    static const char *const libraries[] = {"impi", "intel", "mpich", "mvapich"};
    for (size_t i = 0; i < sizeof libraries / sizeof *libraries; i++)
        if (strstr(transport, libraries[i]) != NULL)
            return true;
    return false;
}

double clump_collective_message_us(const clump_collective_nics *nics, double sharing,
                                   double size_bytes)
{
    return fmax(clump_cluster_time_at(nics->latencies, nics->latency_count, size_bytes),
                sharing * size_bytes / clump_nic_rate(nics->rates, sharing, size_bytes));
}

static double message_us(const void *context, double flows, double runs, double bytes)
{
    (void)runs;
    return clump_collective_message_us(context, flows, bytes);
}

static double busy_us(const void *context, double flows, double runs, double bytes)
{
    (void)runs;
    const clump_collective_nics *nics = context;
    return flows * bytes / clump_nic_rate(nics->rates, flows, bytes);
}

static double exchange_us(const void *context, double flows, double messages, double bytes)
{
    return messages * busy_us(context, flows, 1, bytes);
}

static clump_collective_kind kind_of(clump_collective operation)
{
    return operation == CLUMP_ALLREDUCE   ? CLUMP_COLLECTIVE_ALLREDUCE
           : operation == CLUMP_ALLGATHER ? CLUMP_COLLECTIVE_ALLGATHER
                                          : CLUMP_COLLECTIVE_ALLTOALL;
}

static clump_collective_algorithm algorithm_of(const clump_collective_call *c)
{
    if (c->operation == CLUMP_ALLTOALL)
        return CLUMP_COLLECTIVE_LINEAR;
    if (c->operation == CLUMP_ALLREDUCE)
        return c->size_bytes < RING_ALLREDUCE ? CLUMP_COLLECTIVE_RECURSIVE_DOUBLING
                                              : CLUMP_COLLECTIVE_RING;
    if (c->size_bytes * c->processes < NEIGHBOUR_ALLGATHER)
        return CLUMP_COLLECTIVE_RECURSIVE_DOUBLING;
    return c->in_rings ? CLUMP_COLLECTIVE_RING : CLUMP_COLLECTIVE_NEIGHBOUR;
}

clump_collective_chain clump_collective_chain_of(const clump_collective_call *c,
                                                 const clump_collective_nics *nics)
{
    const clump_collective_between between = {message_us, busy_us, exchange_us, nics};
    const clump_collective_layout layout = {c->processes, c->processes / c->nodes, 1};
    clump_collective_chain chain = {.us = NAN};
    clump_collective_chain_make(kind_of(c->operation), algorithm_of(c), c->size_bytes, &layout,
                                &between, &chain, NULL);
    return chain;
}

double clump_collective_behind(const clump_collective_call *call, double us,
                               const clump_collective_nics *from, const clump_collective_nics *to)
{
    const clump_collective_chain before = clump_collective_chain_of(call, from);
    const clump_collective_chain after = clump_collective_chain_of(call, to);
    if (call->operation == CLUMP_ALLTOALL) /* a NIC that gets faster leaves the rest unknown */
        return fmax(after.busy_us, us - fmin(us, fmax(0, before.busy_us - after.busy_us)));
    const double nics = fmin(us, before.us);
    return fmax(after.busy_us, us + (before.us > 0 ? nics * (after.us / before.us - 1) : 0));
}
