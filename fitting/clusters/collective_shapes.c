/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "fitting/clusters/collective_shapes.h"

#include <math.h>

/* From how many bytes on data go from neighbour to neighbour, below which the distance of partners
 * doubles: an allreduce of so many, an allgather of so many of all processes together. Those of Open MPI
 * 4.0.5 (ompi/mca/coll/tuned/coll_tuned_decision_fixed.c), and others choose similarly. */
#define RING_ALLREDUCE 10000
#define NEIGHBOUR_ALLGATHER 50000

/*
 * Open MPI's messages are UCX's (component `ucx`, which both clusters here run). It copies short ones, and of long ones first
 * asks the receiver. Which are long depends on the call (UCX 1.7.0: src/ucp/core/ucp_context.c, ucp_ep.c, tag/tag_send.c). MPI_Send,
 * in all exchanges of collectives and in the split tree (Open MPI 4.0.5: coll_base_util.c, coll_base_bcast.c): from 256 kB on,
 * UCX_RNDV_SEND_NBR_THRESH. MPI_Isend, in chains and whole trees: what UCX_RNDV_THRESH=auto computes. Within a node that is no
 * more than the least that it may be, a segment of shared memory; between nodes 27 to 41 kB, by the processes and
 * NICs that are counted.
 */
#define LONG_IN_SEND 262144
#define LONG_IN_NODE 8192
#define LONG_BETWEEN 32768
/* The sender's share of a copied message. In memory of the host both copy it once. Of a GPU processors read 0.7 to 0.8 GB/s, and write
 * 6.8 to 9.8 (what README.md of gdrcopy 2.0 shows of two machines). */
#define HOST_SENDER 0.5
#define GPU_SENDER 0.92

/* A step of NCCL's buffers: 4 MiB (DEFAULT_BUFFSIZE, src/init.cc of 2.8.4) of 8 (NCCL_STEPS, src/include/devcomm.h). */
#define NCCL_PIECE 524288

/*
 * Half round trips are those of MPI_Send. A message of MPI_Isend that is long, and would be short there: what the shortest long
 * one takes there, but for the time of the bytes that it has more. Memory of GPUs is copied to the host first, by pieces of
 * 256 kB (UCX_RNDV_FRAG_SIZE; ucp_rndv_pipeline in tag/rndv.c), so that they pass two links one after the other; that to the
 * host is taken to be as fast as the NIC.
 */
static double half_round_trip_us(const clump_collective_nics *nics, double bytes)
{
    const clump_cluster_sample *all = nics->latencies;
    const size_t count = nics->latency_count;
    if (!(nics->copies > 0) || bytes < LONG_BETWEEN || bytes >= LONG_IN_SEND ||
        all[count - 1].size_bytes < LONG_IN_SEND)
        return clump_cluster_time_at(all, count, bytes);
    const double rate = clump_nic_rate(nics->rates, 1, LONG_IN_SEND);
    const double shortest = clump_cluster_time_at(all, count, LONG_IN_SEND);
    return fmax(shortest - nics->copies * (LONG_IN_SEND - bytes) / rate, bytes / rate);
}

double clump_collective_message_us(const clump_collective_nics *nics, double sharing,
                                   double size_bytes)
{
    const double rate = clump_nic_rate(nics->rates, fmax(sharing, nics->spread), size_bytes);
    return fmax(half_round_trip_us(nics, size_bytes), sharing * size_bytes / rate);
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

static bool is_open_mpi(const clump_collective_call *c)
{
    return !c->in_rings && !c->nccl;
}

/* Which calls MPI_Isend: trees and chains that are not split. (An alltoall does below 3,000 bytes, which are copied.) */
static bool sends_at_once(const clump_collective_call *c, clump_collective_algorithm algorithm)
{
    return c->operation == CLUMP_BROADCAST && algorithm != CLUMP_COLLECTIVE_BINARY;
}

static clump_collective_chain make_chain(const clump_collective_call *c,
                                         const clump_collective_nics *nics,
                                         clump_collective_algorithm algorithm, double segment)
{
    const clump_collective_between between = {
        .message_us = message_us, .busy_us = busy_us, .exchange_us = exchange_us, .context = nics};
    /* Open MPI's chains send a piece when the one before is away, which one that is fetched is when it has arrived. */
    const bool open_mpi = is_open_mpi(c);
    const clump_collective_layout layout = {
        .ranks = c->processes,
        .each = c->processes / c->nodes,
        .groups = 1,
        .segment = segment,
        .arrive = open_mpi && algorithm == CLUMP_COLLECTIVE_CHAIN && segment >= LONG_BETWEEN,
        .halves = open_mpi,
        .sender = c->in_gpus ? GPU_SENDER : HOST_SENDER};
    clump_collective_chain chain = {.us = NAN};
    clump_collective_chain_make(clump_collective_kind_in_engine(c->operation), algorithm,
                                c->size_bytes, &layout, &between, &chain, NULL);
    if (open_mpi)
        chain.fetched_from = sends_at_once(c, algorithm) ? LONG_IN_NODE : LONG_IN_SEND;
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
    clump_collective_nics own = *all_nics;
    const clump_collective_nics *nics = &own;
    double segment;
    const clump_collective_algorithm algorithm = algorithm_of(c, &segment);
    if (c->nccl) /* a ring through each NIC */
        own.spread = c->processes / c->nodes;
    if (is_open_mpi(c) && sends_at_once(c, algorithm))
        own.copies = c->in_gpus ? 2 : 1;
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
    if (call->operation ==
        CLUMP_ALLTOALL) { /* processes and NICs hold each other up, as far as they are equally busy */
        const double rest = fmax(0, us * us - before.busy_us * before.busy_us);
        return sqrt(rest + after.busy_us * after.busy_us);
    }
    const double nics = fmin(us, before.us);
    return fmax(after.busy_us, us + (before.us > 0 ? nics * (after.us / before.us - 1) : 0));
}
