/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "fitting/clusters/collective_shapes.h"

#include <math.h>
#include <string.h>

/* From how many bytes on data go from neighbour to neighbour, below which the distance of partners
 * doubles: an allreduce of so many, an allgather of so many of all processes together. Those of Open MPI
 * 4.0.5 (ompi/mca/coll/tuned/coll_tuned_decision_fixed.c), and others choose similarly. */
#define RING_ALLREDUCE 10000
#define NEIGHBOUR_ALLGATHER 50000

/* A step of NCCL's buffers: 4 MiB (DEFAULT_BUFFSIZE, src/init.cc of 2.8.4) of 8 (NCCL_STEPS, src/include/devcomm.h). */
#define NCCL_PIECE 524288

bool clump_collective_is_nccl(const char *transport)
{
    return strstr(transport, "nccl") != NULL;
}

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
    const double rate = clump_nic_rate(nics->rates, fmax(sharing, nics->spread), size_bytes);
    return fmax(clump_cluster_time_at(nics->latencies, nics->latency_count, size_bytes),
                sharing * size_bytes / rate);
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
    return flows * bytes / clump_nic_rate(nics->rates, fmax(flows, nics->spread), bytes);
}

static double exchange_us(const void *context, double flows, double messages, double bytes)
{
    return messages * busy_us(context, flows, 1, bytes);
}

clump_collective_kind clump_collective_kind_in_engine(clump_collective operation)
{
    static const clump_collective_kind kinds[] = {
        [CLUMP_ALLREDUCE] = CLUMP_COLLECTIVE_ALLREDUCE,
        [CLUMP_ALLGATHER] = CLUMP_COLLECTIVE_ALLGATHER,
        [CLUMP_ALLTOALL] = CLUMP_COLLECTIVE_ALLTOALL,
        [CLUMP_BROADCAST] = CLUMP_COLLECTIVE_BROADCAST,
    };
    return kinds[operation];
}

/* Broadcasts of Open MPI 4.0: a tree; from 2,048 bytes on a tree in pieces; from 370,728 on a chain in pieces that depend on
 * how many bytes there are for a process (ompi_coll_tuned_bcast_intra_dec_fixed). */
static clump_collective_algorithm open_mpi_broadcast(const clump_collective_call *c,
                                                     double *segment)
{
    const double n = c->size_bytes, P = c->processes;
    if (n < 2048)
        return CLUMP_COLLECTIVE_BINOMIAL;
    *segment = 1024;
    if (n < 370728)
        return CLUMP_COLLECTIVE_BINARY;
    *segment = 8192;
    if (P < 1.6134e-6 * n + 2.1102)
        *segment = 131072;
    else if (P < 13)
        return CLUMP_COLLECTIVE_BINARY;
    else if (P < 2.3679e-6 * n + 1.1787)
        *segment = 65536;
    else if (P < 3.2118e-6 * n + 8.7936)
        *segment = 16384;
    return CLUMP_COLLECTIVE_CHAIN;
}

/* Libraries that come of MPICH (Thakur, Rabenseifner, Gropp, 2005): a tree, or its parts sent out and gathered. */
static clump_collective_algorithm mpich_broadcast(const clump_collective_call *c)
{
    if (c->size_bytes < 12288 || c->processes < 8)
        return CLUMP_COLLECTIVE_BINOMIAL;
    return c->size_bytes < 524288 ? CLUMP_COLLECTIVE_SCATTER_ALLGATHER
                                  : CLUMP_COLLECTIVE_SCATTER_RING;
}

static clump_collective_algorithm algorithm_of(const clump_collective_call *c, double *segment)
{
    *segment = 0;
    if (c->operation == CLUMP_ALLTOALL)
        return CLUMP_COLLECTIVE_LINEAR;
    if (c->operation == CLUMP_BROADCAST && c->nccl) {
        *segment = NCCL_PIECE;
        return CLUMP_COLLECTIVE_CHAIN;
    }
    if (c->operation == CLUMP_BROADCAST)
        return c->in_rings ? mpich_broadcast(c) : open_mpi_broadcast(c, segment);
    if (c->operation == CLUMP_ALLREDUCE)
        return c->size_bytes < RING_ALLREDUCE && !c->nccl ? CLUMP_COLLECTIVE_RECURSIVE_DOUBLING
                                                          : CLUMP_COLLECTIVE_RING;
    if (c->size_bytes * c->processes < NEIGHBOUR_ALLGATHER && !c->nccl)
        return CLUMP_COLLECTIVE_RECURSIVE_DOUBLING;
    return c->in_rings || c->nccl ? CLUMP_COLLECTIVE_RING : CLUMP_COLLECTIVE_NEIGHBOUR;
}

static clump_collective_chain make_chain(const clump_collective_call *c,
                                         const clump_collective_nics *nics,
                                         clump_collective_algorithm algorithm, double segment)
{
    const clump_collective_between between = {
        .message_us = message_us, .busy_us = busy_us, .exchange_us = exchange_us, .context = nics};
    const clump_collective_layout layout = {c->processes, c->processes / c->nodes, 1, segment};
    clump_collective_chain chain = {.us = NAN};
    clump_collective_chain_make(clump_collective_kind_in_engine(c->operation), algorithm,
                                c->size_bytes, &layout, &between, &chain, NULL);
    return chain;
}

/* The time of a chain if messages within nodes cost as much as those between nodes: by this algorithms are compared. */
static double as_between_us(const clump_collective_chain *chain, const clump_collective_nics *nics)
{
    const double hops = chain->local_hops;
    const double within =
        hops > 0 ? hops * clump_collective_message_us(nics, 1, chain->local_bytes / hops) : 0;
    return fmax(chain->busy_us, chain->us + within);
}

clump_collective_chain clump_collective_chain_of(const clump_collective_call *c,
                                                 const clump_collective_nics *all_nics)
{
    const clump_collective_nics spread = {all_nics->rates, all_nics->latencies,
                                          all_nics->latency_count, c->processes / c->nodes};
    const clump_collective_nics *nics = c->nccl ? &spread : all_nics; /* a ring through each NIC */
    double segment;
    const clump_collective_algorithm algorithm = algorithm_of(c, &segment);
    const clump_collective_chain chain = make_chain(c, nics, algorithm, segment);
    if (c->nccl &&
        c->operation == CLUMP_BROADCAST) /* nccl-tests starts the next one without waiting */
        return (clump_collective_chain){.busy_us =
                                            busy_us(nics, 1, 1, fmin(c->size_bytes, NCCL_PIECE)) *
                                            fmax(c->size_bytes / NCCL_PIECE, 1),
                                        .inner_hops = 1,
                                        .inner_bytes = c->size_bytes};
    if (!c->nccl || c->operation != CLUMP_ALLREDUCE)
        return chain;
    const clump_collective_chain tree = make_chain(c, nics, CLUMP_COLLECTIVE_REDUCE_FIRST, 0);
    return as_between_us(&tree, nics) < as_between_us(&chain, nics) ? tree : chain;
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
