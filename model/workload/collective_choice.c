/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What MPI libraries choose by themselves. Facts from their public sources.
 *
 * Open MPI 4.1.4, ompi/mca/coll/tuned/coll_tuned_decision_fixed.c: which algorithm below which number of
 * ranks and bytes. It passes no segment size and no fan-out, so that its chain and pipeline are one chain
 * of whole messages, and its segmented ring the ring. Its linear allreduce is that which reduces first; the
 * split binary tree is taken as the binary one, the in-order binary tree likewise, the butterfly as
 * recursive halving (the same sizes), synchronized linear gather, scatter and alltoall as linear.
 * Scan is linear: ompi/mca/coll/basic. Gatherv and scatterv are linear there.
 *
 * MPICH 4.0.2, maint/tuning/coll/mpir/generic.json and, for what is done in nodes first,
 * maint/tuning/coll/ch4/generic.json with src/mpid/ch4/src/ch4_coll_impl.h.
 */
#include "model/workload/collective.h"

#include "model/workload/collective_places.h"

#include <string.h>

/* The first line that fits counts. */
typedef struct choice {
    uint32_t ranks_below, bytes_below; /* 0: any */
    clump_collective_algorithm algorithm;
} choice;

#define A(name) CLUMP_COLLECTIVE_##name

static const choice open_mpi_allreduce[] = {
    {4, 8, A(RING)},
    {4, 4096, A(RECURSIVE_DOUBLING)},
    {4, 8192, A(RING)},
    {4, 16384, A(RECURSIVE_DOUBLING)},
    {4, 262144, A(RING)},
    {4, 0, A(RABENSEIFNER)},
    {8, 16, A(RING)},
    {8, 8192, A(RECURSIVE_DOUBLING)},
    {8, 0, A(RABENSEIFNER)},
    {16, 8192, A(RECURSIVE_DOUBLING)},
    {16, 0, A(RABENSEIFNER)},
    {32, 64, A(RING)},
    {32, 4096, A(RECURSIVE_DOUBLING)},
    {32, 0, A(RABENSEIFNER)},
    {64, 128, A(RING)},
    {64, 0, A(RABENSEIFNER)},
    {128, 262144, A(RECURSIVE_DOUBLING)},
    {128, 0, A(RABENSEIFNER)},
    {256, 131072, A(REDUCE_FIRST)},
    {256, 262144, A(RECURSIVE_DOUBLING)},
    {256, 0, A(RABENSEIFNER)},
    {512, 4096, A(REDUCE_FIRST)},
    {512, 0, A(RABENSEIFNER)},
    {2048, 2048, A(REDUCE_FIRST)},
    {2048, 16384, A(RECURSIVE_DOUBLING)},
    {2048, 0, A(RABENSEIFNER)},
    {4096, 2048, A(REDUCE_FIRST)},
    {4096, 4096, A(RING)},
    {4096, 16384, A(RECURSIVE_DOUBLING)},
    {4096, 0, A(RABENSEIFNER)},
    {0, 2048, A(REDUCE_FIRST)},
    {0, 16384, A(RING)},
    {0, 32768, A(RECURSIVE_DOUBLING)},
    {0, 0, A(RABENSEIFNER)},
};

static const choice open_mpi_alltoall[] = {
    {3, 2, A(PAIRWISE)},     {3, 4, A(LINEAR)},         {3, 16, A(PAIRWISE)},
    {3, 64, A(LINEAR)},      {3, 256, A(PAIRWISE)},     {3, 4096, A(LINEAR)},
    {3, 32768, A(PAIRWISE)}, {3, 1048576, A(LINEAR)},   {3, 0, A(PAIRWISE)},
    {8, 524288, A(LINEAR)},  {8, 1048576, A(PAIRWISE)}, {8, 0, A(LINEAR)},
    {16, 0, A(LINEAR)},      {32, 4, A(LINEAR)},        {32, 512, A(BRUCK)},
    {32, 0, A(LINEAR)},      {64, 512, A(BRUCK)},       {64, 0, A(LINEAR)},
    {128, 1024, A(BRUCK)},   {128, 262144, A(LINEAR)},  {128, 0, A(PAIRWISE)},
    {256, 1024, A(BRUCK)},   {256, 262144, A(LINEAR)},  {256, 0, A(PAIRWISE)},
    {512, 1024, A(BRUCK)},   {512, 32768, A(LINEAR)},   {512, 0, A(PAIRWISE)},
    {1024, 512, A(BRUCK)},   {1024, 262144, A(LINEAR)}, {1024, 0, A(PAIRWISE)},
    {2048, 512, A(BRUCK)},   {2048, 0, A(LINEAR)},      {4096, 1024, A(BRUCK)},
    {4096, 0, A(LINEAR)},    {0, 2048, A(BRUCK)},       {0, 0, A(LINEAR)},
};

static const choice open_mpi_alltoallv[] = {
    {4, 0, A(PAIRWISE)}, {64, 0, A(LINEAR)},     {128, 0, A(PAIRWISE)},
    {256, 0, A(LINEAR)}, {1024, 0, A(PAIRWISE)}, {0, 0, A(LINEAR)},
};

static const choice open_mpi_barrier[] = {
    {4, 0, A(RECURSIVE_DOUBLING)}, {8, 0, A(LINEAR)},        {64, 0, A(RECURSIVE_DOUBLING)},
    {256, 0, A(DISSEMINATION)},    {512, 0, A(BINOMIAL)},    {1024, 0, A(DISSEMINATION)},
    {4096, 0, A(BINOMIAL)},        {0, 0, A(DISSEMINATION)},
};

static const choice open_mpi_broadcast[] = {
    {4, 32, A(CHAIN)},
    {4, 256, A(BINARY)},
    {4, 512, A(CHAIN)},
    {4, 1024, A(KNOMIAL)},
    {4, 32768, A(LINEAR)},
    {4, 131072, A(BINARY)},
    {4, 262144, A(CHAIN)},
    {4, 524288, A(LINEAR)},
    {4, 1048576, A(BINOMIAL_DOUBLING)},
    {4, 0, A(BINARY)},
    {8, 64, A(BINARY)},
    {8, 128, A(BINOMIAL_DOUBLING)},
    {8, 2048, A(BINARY)},
    {8, 8192, A(BINOMIAL_DOUBLING)},
    {8, 1048576, A(LINEAR)},
    {8, 0, A(CHAIN)},
    {16, 8, A(KNOMIAL)},
    {16, 64, A(BINARY)},
    {16, 4096, A(KNOMIAL)},
    {16, 16384, A(BINARY)},
    {16, 32768, A(BINOMIAL_DOUBLING)},
    {16, 0, A(LINEAR)},
    {32, 4096, A(KNOMIAL)},
    {32, 1048576, A(BINOMIAL_DOUBLING)},
    {32, 0, A(SCATTER_ALLGATHER)},
    {64, 2048, A(BINOMIAL_DOUBLING)},
    {64, 0, A(KNOMIAL)},
    {128, 0, A(KNOMIAL)},
    {256, 2, A(BINOMIAL_DOUBLING)},
    {256, 16384, A(BINARY)},
    {256, 32768, A(LINEAR)},
    {256, 65536, A(BINARY)},
    {256, 0, A(KNOMIAL)},
    {1024, 16384, A(KNOMIAL)},
    {1024, 32768, A(BINARY)},
    {1024, 0, A(KNOMIAL)},
    {2048, 524288, A(KNOMIAL)},
    {2048, 0, A(SCATTER_ALLGATHER)},
    {4096, 262144, A(KNOMIAL)},
    {4096, 0, A(SCATTER_ALLGATHER)},
    {0, 8192, A(KNOMIAL)},
    {0, 16384, A(BINARY)},
    {0, 262144, A(KNOMIAL)},
    {0, 0, A(SCATTER_ALLGATHER)},
};

static const choice open_mpi_reduce[] = {
    {4, 8, A(RABENSEIFNER)},   {4, 16, A(BINARY)},        {4, 32, A(CHAIN)},
    {4, 262144, A(LINEAR)},    {4, 0, A(CHAIN)},          {8, 4096, A(BINARY)},
    {8, 65536, A(CHAIN)},      {8, 262144, A(BINOMIAL)},  {8, 524288, A(LINEAR)},
    {8, 1048576, A(BINOMIAL)}, {8, 0, A(LINEAR)},         {16, 8192, A(BINARY)},
    {16, 0, A(BINOMIAL)},      {32, 4096, A(BINARY)},     {32, 0, A(BINOMIAL)},
    {256, 0, A(BINOMIAL)},     {512, 8192, A(BINOMIAL)},  {512, 16384, A(BINARY)},
    {512, 0, A(BINOMIAL)},     {2048, 0, A(BINOMIAL)},    {4096, 512, A(BINOMIAL)},
    {4096, 1024, A(BINARY)},   {4096, 8192, A(BINOMIAL)}, {4096, 16384, A(BINARY)},
    {4096, 0, A(BINOMIAL)},    {0, 16, A(BINOMIAL)},      {0, 32, A(BINARY)},
    {0, 1024, A(BINOMIAL)},    {0, 2048, A(BINARY)},      {0, 8192, A(BINOMIAL)},
    {0, 16384, A(BINARY)},     {0, 0, A(BINOMIAL)},
};

static const choice open_mpi_reduce_scatter[] = {
    {4, 65536, A(RING)},
    {4, 131072, A(RECURSIVE_HALVING)},
    {4, 0, A(RING)},
    {8, 8, A(REDUCE_FIRST)},
    {8, 262144, A(RECURSIVE_HALVING)},
    {8, 0, A(RING)},
    {32, 262144, A(RECURSIVE_HALVING)},
    {32, 0, A(RING)},
    {64, 64, A(REDUCE_FIRST)},
    {64, 524288, A(RECURSIVE_HALVING)},
    {64, 0, A(RING)},
    {128, 256, A(REDUCE_FIRST)},
    {128, 0, A(RECURSIVE_HALVING)},
    {256, 256, A(REDUCE_FIRST)},
    {256, 0, A(RECURSIVE_HALVING)},
    {512, 256, A(REDUCE_FIRST)},
    {512, 0, A(RECURSIVE_HALVING)},
    {1024, 512, A(REDUCE_FIRST)},
    {1024, 0, A(RECURSIVE_HALVING)},
    {2048, 512, A(REDUCE_FIRST)},
    {2048, 0, A(RECURSIVE_HALVING)},
    {4096, 512, A(REDUCE_FIRST)},
    {4096, 0, A(RECURSIVE_HALVING)},
    {0, 1024, A(REDUCE_FIRST)},
    {0, 0, A(RECURSIVE_HALVING)},
};

static const choice open_mpi_allgather[] = {
    {3, 0, A(LINEAR)},
    {32, 0, A(RECURSIVE_DOUBLING)},
    {64, 1024, A(RECURSIVE_DOUBLING)},
    {64, 65536, A(NEIGHBOUR)},
    {64, 0, A(RING)},
    {128, 512, A(RECURSIVE_DOUBLING)},
    {128, 65536, A(NEIGHBOUR)},
    {128, 0, A(RING)},
    {256, 512, A(RECURSIVE_DOUBLING)},
    {256, 131072, A(NEIGHBOUR)},
    {256, 524288, A(RING)},
    {256, 1048576, A(NEIGHBOUR)},
    {256, 0, A(RING)},
    {512, 32, A(RECURSIVE_DOUBLING)},
    {512, 128, A(BRUCK)},
    {512, 1024, A(RECURSIVE_DOUBLING)},
    {512, 131072, A(NEIGHBOUR)},
    {512, 524288, A(RING)},
    {512, 1048576, A(NEIGHBOUR)},
    {512, 0, A(RING)},
    {1024, 64, A(RECURSIVE_DOUBLING)},
    {1024, 256, A(BRUCK)},
    {1024, 2048, A(RECURSIVE_DOUBLING)},
    {1024, 0, A(NEIGHBOUR)},
    {2048, 4, A(RECURSIVE_DOUBLING)},
    {2048, 8, A(BRUCK)},
    {2048, 16, A(RECURSIVE_DOUBLING)},
    {2048, 32, A(BRUCK)},
    {2048, 256, A(RECURSIVE_DOUBLING)},
    {2048, 512, A(BRUCK)},
    {2048, 4096, A(RECURSIVE_DOUBLING)},
    {2048, 0, A(NEIGHBOUR)},
    {4096, 32, A(BRUCK)},
    {4096, 128, A(RECURSIVE_DOUBLING)},
    {4096, 512, A(BRUCK)},
    {4096, 4096, A(RECURSIVE_DOUBLING)},
    {4096, 0, A(NEIGHBOUR)},
    {0, 2, A(RECURSIVE_DOUBLING)},
    {0, 8, A(BRUCK)},
    {0, 16, A(RECURSIVE_DOUBLING)},
    {0, 512, A(BRUCK)},
    {0, 4096, A(RECURSIVE_DOUBLING)},
    {0, 0, A(NEIGHBOUR)},
};

static const choice open_mpi_allgatherv[] = {
    {3, 2048, A(RING)},      {3, 4096, A(LINEAR)},       {3, 8192, A(RING)},
    {3, 0, A(LINEAR)},       {8, 256, A(LINEAR)},        {8, 4096, A(NEIGHBOUR)},
    {8, 8192, A(RING)},      {8, 16384, A(NEIGHBOUR)},   {8, 262144, A(BRUCK)},
    {8, 0, A(NEIGHBOUR)},    {16, 1024, A(LINEAR)},      {16, 0, A(BRUCK)},
    {32, 128, A(LINEAR)},    {32, 262144, A(BRUCK)},     {32, 0, A(RING)},
    {64, 256, A(LINEAR)},    {64, 8192, A(BRUCK)},       {64, 0, A(RING)},
    {128, 256, A(LINEAR)},   {128, 4096, A(BRUCK)},      {128, 0, A(RING)},
    {256, 1024, A(BRUCK)},   {256, 65536, A(NEIGHBOUR)}, {256, 0, A(RING)},
    {512, 1024, A(BRUCK)},   {512, 0, A(RING)},          {1024, 512, A(BRUCK)},
    {1024, 1024, A(LINEAR)}, {1024, 4096, A(BRUCK)},     {1024, 1048576, A(NEIGHBOUR)},
    {1024, 0, A(RING)},      {0, 4096, A(BRUCK)},        {0, 0, A(NEIGHBOUR)},
};

static const choice open_mpi_gather[] = {
    {4, 4, A(LINEAR)},        {4, 32768, A(BINOMIAL)},  {4, 65536, A(LINEAR)},
    {4, 131072, A(BINOMIAL)}, {4, 0, A(LINEAR)},        {8, 1024, A(BINOMIAL)},
    {8, 8192, A(LINEAR)},     {8, 32768, A(BINOMIAL)},  {8, 0, A(LINEAR)},
    {256, 0, A(BINOMIAL)},    {512, 2048, A(BINOMIAL)}, {512, 8192, A(LINEAR)},
    {512, 0, A(BINOMIAL)},    {0, 0, A(BINOMIAL)},
};

static const choice open_mpi_scatter[] = {
    {4, 0, A(LINEAR)},  {8, 2048, A(BINOMIAL)},   {8, 4096, A(LINEAR)},  {8, 8192, A(BINOMIAL)},
    {8, 0, A(LINEAR)},  {16, 16384, A(BINOMIAL)}, {16, 0, A(LINEAR)},    {32, 16384, A(BINOMIAL)},
    {32, 0, A(LINEAR)}, {64, 512, A(BINOMIAL)},   {64, 8192, A(LINEAR)}, {64, 16384, A(BINOMIAL)},
    {64, 0, A(LINEAR)}, {0, 512, A(BINOMIAL)},    {0, 0, A(LINEAR)},
};

static clump_collective_algorithm look_up(const choice *c, uint32_t ranks, uint64_t bytes)
{
    while ((c->ranks_below != 0 && ranks >= c->ranks_below) ||
           (c->bytes_below != 0 && bytes >= c->bytes_below))
        c++;
    return c->algorithm;
}

/* Bytes of a part, where parts differ: their mean. */
static uint64_t part_bytes(const clump_collective_operation *o)
{
    return o->parts != NULL ? o->parts[o->ranks] / o->ranks : o->bytes;
}

static clump_collective_algorithm open_mpi(const clump_collective_operation *o)
{
    const uint32_t P = o->ranks;
    const uint64_t bytes = part_bytes(o);
    const bool vary = o->parts != NULL;
    switch (o->kind) {
    case CLUMP_COLLECTIVE_BARRIER:
        return look_up(open_mpi_barrier, P, 0);
    case CLUMP_COLLECTIVE_BROADCAST:
        return look_up(open_mpi_broadcast, P, bytes);
    case CLUMP_COLLECTIVE_REDUCE:
        return look_up(open_mpi_reduce, P, bytes);
    case CLUMP_COLLECTIVE_ALLREDUCE:
        return look_up(open_mpi_allreduce, P, bytes);
    case CLUMP_COLLECTIVE_GATHER:
        return vary ? A(LINEAR) : look_up(open_mpi_gather, P, bytes);
    case CLUMP_COLLECTIVE_SCATTER:
        return vary ? A(LINEAR) : look_up(open_mpi_scatter, P, bytes);
    case CLUMP_COLLECTIVE_ALLGATHER:
        return look_up(vary ? open_mpi_allgatherv : open_mpi_allgather, P, bytes);
    case CLUMP_COLLECTIVE_ALLTOALL:
        return look_up(vary ? open_mpi_alltoallv : open_mpi_alltoall, P, bytes);
    case CLUMP_COLLECTIVE_REDUCE_SCATTER:
        return look_up(open_mpi_reduce_scatter, P, vary ? o->parts[P] : bytes);
    default:
        return A(CHAIN);
    }
}

/* Sizes are bytes here and elements there: those of a double are assumed. */
static bool fewer_elements_than_ranks(uint32_t ranks, uint64_t bytes)
{
    uint32_t power = 1;
    while (power <= ranks / 2)
        power *= 2;
    return bytes / 8 < power;
}

static clump_collective_algorithm mpich(const clump_collective_operation *o)
{
    const uint32_t P = o->ranks;
    const bool power = (P & (P - 1)) == 0;
    const uint64_t bytes = part_bytes(o);
    /* more nodes than one, and some with several ranks */
    const bool levels = o->places != NULL && o->places->nodes > 1 && o->places->nodes < P;
    switch (o->kind) {
    case CLUMP_COLLECTIVE_BARRIER:
        return levels ? A(HIERARCHICAL) : A(DISSEMINATION);
    case CLUMP_COLLECTIVE_BROADCAST:
        if (levels && (P < 8 || bytes < 12288 || (power && bytes < 524288)))
            return A(HIERARCHICAL);
        if (P < 8 || bytes <= 12288)
            return A(BINOMIAL);
        return power && bytes <= 524288 ? A(SCATTER_ALLGATHER) : A(SCATTER_RING);
    case CLUMP_COLLECTIVE_REDUCE:
        if (levels)
            return A(HIERARCHICAL);
        return bytes <= 2048 || fewer_elements_than_ranks(P, bytes) ? A(BINOMIAL) : A(RABENSEIFNER);
    case CLUMP_COLLECTIVE_ALLREDUCE:
        if (levels)
            return A(HIERARCHICAL);
        return bytes <= 8 || fewer_elements_than_ranks(P, bytes) ? A(RECURSIVE_DOUBLING)
                                                                 : A(RABENSEIFNER);
    case CLUMP_COLLECTIVE_GATHER:
    case CLUMP_COLLECTIVE_SCATTER:
        return o->parts != NULL ? A(LINEAR) : A(BINOMIAL);
    case CLUMP_COLLECTIVE_ALLGATHER: {
        const uint64_t all = o->parts != NULL ? o->parts[P] : o->bytes * P;
        if (power)
            return all < 524288 ? A(RECURSIVE_DOUBLING) : A(RING);
        return all < 81920 ? A(BRUCK) : A(RING);
    }
    case CLUMP_COLLECTIVE_ALLTOALL:
        if (o->parts == NULL && P >= 8 && bytes <= 256)
            return A(BRUCK);
        return o->parts != NULL || bytes <= 32768 ? A(LINEAR) : A(PAIRWISE);
    case CLUMP_COLLECTIVE_REDUCE_SCATTER:
        return (o->parts != NULL ? o->parts[P] : o->bytes) < 524288 ? A(RECURSIVE_HALVING)
                                                                    : A(PAIRWISE);
    default:
        return A(RECURSIVE_DOUBLING);
    }
}

clump_collective_algorithm clump_collective_choose(clump_mpi_library library,
                                                   const clump_collective_operation *operation)
{
    return library == CLUMP_MPI_MPICH ? mpich(operation) : open_mpi(operation);
}

clump_mpi_library clump_mpi_library_of(const char *name)
{
    static const char *const mpich[] = {"MPICH", "MVAPICH", "Intel", "Cray", "ParaStation"};
    for (size_t i = 0; name != NULL && i < sizeof mpich / sizeof *mpich; i++)
        if (strstr(name, mpich[i]) != NULL)
            return CLUMP_MPI_MPICH;
    return CLUMP_MPI_OPEN_MPI;
}
