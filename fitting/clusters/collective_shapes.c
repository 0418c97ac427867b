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

/* Partners at the distances 1, 2, 4...: of a node all have one on another node, or none. What is passed
 * on is of the same size, or doubles. */
static clump_collective_chain doubling(const clump_collective_call *c,
                                       const clump_collective_nics *nics, bool growing)
{
    const double each = c->processes / c->nodes;
    clump_collective_chain sum = {.local_hops = ceil(log2(each) - 1e-9)};
    double size = growing ? c->size_bytes * each : c->size_bytes;
    sum.local_bytes = growing ? c->size_bytes * (each - 1) : c->size_bytes * sum.local_hops;
    for (double nodes = 1; nodes < c->nodes; nodes *= 2, size *= growing ? 2 : 1)
        sum.us += clump_collective_message_us(nics, each, size);
    return sum;
}

/* From each process to the next, `laps` times around: each time as many messages leave a node as there
 * are processes. */
static clump_collective_chain ring(const clump_collective_call *c,
                                   const clump_collective_nics *nics, double laps, double size)
{
    const double hops = laps * (c->processes - 1), crossing = hops * c->nodes / c->processes;
    return (clump_collective_chain){
        .us = crossing * clump_collective_message_us(nics, 1, size),
        .busy_us = hops * size / clump_nic_rate(nics->rates, 1, size),
        .local_hops = hops - crossing,
        .local_bytes = (hops - crossing) * size,
    };
}

/* Allgather of an even number of processes: in turns with the neighbour on either side, each step after the
 * first passing on the two blocks that the last one brought (Chen et al., HPC Asia 2005). Both wait for each
 * other. Those at the two ends of a node have every second exchange with another node; those in between
 * have none. */
static clump_collective_chain neighbours(const clump_collective_call *c,
                                         const clump_collective_nics *nics)
{
    const double n = c->size_bytes, each = c->processes / c->nodes, steps = c->processes / 2;
    const bool alone = each<1.5, first = fmod(each, 2)> 0.5; /* some ends meet in the first step */
    const double crossing = alone ? steps : first ? ceil(steps / 2) : floor(steps / 2);
    const double ends = alone ? 1 : 2;
    const double bytes = 2 * n * crossing - (first ? n : 0); /* through an end, in all */
    const double size = crossing > 0 ? bytes / crossing : 0;
    return (clump_collective_chain){
        .us = crossing * clump_collective_message_us(nics, ends, size),
        .busy_us = ends * bytes / clump_nic_rate(nics->rates, ends, size),
        .local_hops = steps - crossing,
        .local_bytes = 2 * n * steps - n - bytes,
        .inner_hops = each > 2.5 ? steps : 0,
        .inner_bytes = each > 2.5 ? 2 * n * steps - n : 0,
    };
}

/* All messages at once: what the NIC needs for those to other nodes, beside those in the node. */
static clump_collective_chain exchange(const clump_collective_call *c,
                                       const clump_collective_nics *nics)
{
    const double each = c->processes / c->nodes;
    return (clump_collective_chain){
        .busy_us = each * (c->processes - each) * c->size_bytes /
                   clump_nic_rate(nics->rates, each, c->size_bytes),
        .local_hops = each - 1,
        .local_bytes = (each - 1) * c->size_bytes,
    };
}

clump_collective_chain clump_collective_chain_of(const clump_collective_call *c,
                                                 const clump_collective_nics *nics)
{
    const double n = c->size_bytes;
    if (c->operation == CLUMP_ALLTOALL)
        return exchange(c, nics);
    if (c->operation == CLUMP_ALLREDUCE)
        return n < RING_ALLREDUCE ? doubling(c, nics, false) : ring(c, nics, 2, n / c->processes);
    if (n * c->processes < NEIGHBOUR_ALLGATHER)
        return doubling(c, nics, true);
    return c->in_rings || fmod(c->processes, 2) > 0.5 ? ring(c, nics, 1, n) : neighbours(c, nics);
}

double clump_collective_us(const clump_collective_chain *chain, const clump_collective_local *local)
{
    const double inner =
        chain->inner_hops * local->latency_us + chain->inner_bytes * local->gap_us_per_byte;
    return fmax(fmax(chain->busy_us, inner), chain->us + chain->local_hops * local->latency_us +
                                                 chain->local_bytes * local->gap_us_per_byte);
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
