/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef CLUMP_MODEL_WORKLOAD_COLLECTIVE_H
#define CLUMP_MODEL_WORKLOAD_COLLECTIVE_H

/*
 * The messages of a collective operation, by the algorithm that carries it out (MODEL.md, "Collective operations as messages").
 *
 * Ranks are those of the communicator, 0 to ranks - 1. An operation has steps. What a rank sends or
 * receives in one step it posts at once; it waits for all of that before its next step. Steps in which
 * a rank has no messages do not exist for it. These are all the dependencies that there are.
 *
 *     clump_collective_choose -> clump_collective_visit (of one rank)
 *
 * Nothing is allocated, but for the places of ranks on nodes, which only hierarchical algorithms need.
 */

#include "model/status.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef enum clump_collective_kind {
    CLUMP_COLLECTIVE_BARRIER,
    CLUMP_COLLECTIVE_BROADCAST,
    CLUMP_COLLECTIVE_REDUCE,
    CLUMP_COLLECTIVE_ALLREDUCE,
    CLUMP_COLLECTIVE_GATHER,
    CLUMP_COLLECTIVE_SCATTER,
    CLUMP_COLLECTIVE_ALLGATHER,
    CLUMP_COLLECTIVE_ALLTOALL,
    CLUMP_COLLECTIVE_REDUCE_SCATTER,
    CLUMP_COLLECTIVE_SCAN,
    CLUMP_COLLECTIVE_KINDS
} clump_collective_kind;

/**
 * Thakur, Rabenseifner, Gropp, "Optimization of Collective Communication Operations in MPICH", IJHPCA
 * 19 (2005), has most of them; the others are named. P ranks, n bytes (as in the operation).
 */
typedef enum clump_collective_algorithm {
    /** All messages between the root and the others at once; allgather, alltoall: between all. */
    CLUMP_COLLECTIVE_LINEAR,
    /** From rank to rank, the whole message (Open MPI: chain of fan-out 1; its linear scan). */
    CLUMP_COLLECTIVE_CHAIN,
    /** Binomial tree: the parent of a rank (counted from the root) has its lowest set bit cleared. */
    CLUMP_COLLECTIVE_BINOMIAL,
    /** Binomial tree: the parent has the highest bit cleared; the distance doubles with each step
     *  (broadcast of Open MPI). */
    CLUMP_COLLECTIVE_BINOMIAL_DOUBLING,
    /** As BINOMIAL with digits of base 4 (Open MPI's knomial of its default radix). */
    CLUMP_COLLECTIVE_KNOMIAL,
    /** Binary tree; the children of rank r on level l are r + 2^l and r + 2^(l+1) (Open MPI). */
    CLUMP_COLLECTIVE_BINARY,
    /** Partners at the distances 1, 2, 4...; other ranks than powers of two are folded into those, but
     *  in an allgather (then Bruck's is taken). */
    CLUMP_COLLECTIVE_RECURSIVE_DOUBLING,
    /** Partners at the distances P/2, P/4...; halves of what is left. */
    CLUMP_COLLECTIVE_RECURSIVE_HALVING,
    CLUMP_COLLECTIVE_RING,
    /** Reduce-scatter by halving and allgather by doubling, or gather to the root (Rabenseifner, "Optimization
     *  of Collective Reduction Operations", ICCS 2004); ranks that are too many share halves first. */
    CLUMP_COLLECTIVE_RABENSEIFNER,
    /** Broadcast: binomial scatter, then allgather by recursive doubling (powers of two) or ring. */
    CLUMP_COLLECTIVE_SCATTER_ALLGATHER,
    /** Broadcast: binomial scatter, then allgather in a ring. */
    CLUMP_COLLECTIVE_SCATTER_RING,
    /** Bruck, Ho, Kipnis, Upfal, Weathersby, IEEE TPDS 8 (1997). */
    CLUMP_COLLECTIVE_BRUCK,
    /** Allgather with the neighbours in turn (Chen, Zhang, Zhang, Yuan, 2005); P odd: ring. */
    CLUMP_COLLECTIVE_NEIGHBOUR,
    /** P - 1 steps; in step k to rank + k, from rank - k. */
    CLUMP_COLLECTIVE_PAIRWISE,
    /** Hensgen, Finkel, Manber, IJPP 17 (1988). */
    CLUMP_COLLECTIVE_DISSEMINATION,
    /** Binomial reduction to rank 0, then binomial broadcast (allreduce) or scatter (reduce-scatter). */
    CLUMP_COLLECTIVE_REDUCE_FIRST,
    /** In each node to one rank, between those by the algorithm for many small or few large messages
     *  (recursive doubling or Rabenseifner; trees are binomial), and back. Allgather, reduce-scatter: as MPICH chooses
     *  between nodes, and only where all nodes have as many ranks, which follow each other. */
    CLUMP_COLLECTIVE_HIERARCHICAL,
    /** Allreduce: reduce-scatter in each node, an allreduce between the ranks of the same number in all
     *  nodes, allgather in each node, all in rings. Nodes of equal numbers of ranks. */
    CLUMP_COLLECTIVE_RAILS,
    /** Allgather: binomial gather to rank 0, then binomial broadcast of all parts. */
    CLUMP_COLLECTIVE_GATHER_FIRST,
    CLUMP_COLLECTIVE_ALGORITHMS
} clump_collective_algorithm;

/** Which ranks share a node. */
typedef struct clump_collective_places clump_collective_places;

/**
 * @param node  of each rank; any numbers
 * The first rank of a node is the one that talks to the others. Cost: O(P log P), 12 bytes a rank.
 */
clump_status clump_collective_places_make(uint32_t ranks, const uint32_t *node,
                                          clump_collective_places **places, clump_error *error);
void clump_collective_places_free(clump_collective_places *places);
typedef struct clump_collective_operation {
    clump_collective_kind kind;
    clump_collective_algorithm algorithm;
    uint32_t ranks; /**< >= 1 */
    uint32_t root;  /**< of broadcast, reduce, gather and scatter; else not read */
    /** Broadcast, reduce, allreduce, scan: of the vector. Gather, scatter, allgather: of the part of one
     *  rank. Alltoall: from one rank to one other. Reduce-scatter: of the whole vector that a rank has
     *  before. Barrier: not read. */
    uint64_t bytes;
    /** Unequal parts, or NULL: ranks + 1 numbers, ascending from 0; the part of rank r (of gather,
     *  scatter, allgather, reduce-scatter; alltoall: what it sends to one other) has part[r+1] - part[r]
     *  bytes. `bytes` is not read then. */
    const uint64_t *parts;
    const clump_collective_places *places; /**< for hierarchical algorithms; else NULL does */
} clump_collective_operation;

typedef struct clump_collective_message {
    uint32_t from, to;
    uint32_t step;
    /** What arrives is combined with what is there, by the operator of the reduction. */
    bool combines;
    uint64_t bytes;
    /** It carries the bytes from here on of the whole vector (gather, scatter, allgather: of all parts,
     *  one after the other), around its end. Alltoall: 0. */
    uint64_t offset;
} clump_collective_message;

/** @return 0 to go on; anything else ends the visit, and is returned by it */
typedef int clump_collective_visitor(void *context, const clump_collective_message *message);

/** Whether there is such an algorithm for the kind. */
bool clump_collective_has(clump_collective_kind kind, clump_collective_algorithm algorithm);

/** Errors: CLUMP_BAD_ARGUMENT if it cannot be visited. Cost: O(P) with unequal parts. */
clump_status clump_collective_check(const clump_collective_operation *operation,
                                    clump_error *error);

/**
 * What one rank sends and receives, by ascending step. The operation has to be one that
 * clump_collective_check() accepts. Cost: O(1) a message, O(log P) a rank.
 */
int clump_collective_visit(const clump_collective_operation *operation, uint32_t rank,
                           clump_collective_visitor *visitor, void *context);

/** "allreduce", "reduce-scatter", ...; NULL if there is none. */
const char *clump_collective_kind_name(clump_collective_kind kind);
/** "ring", "recursive-doubling", ...; NULL if there is none. */
const char *clump_collective_algorithm_name(clump_collective_algorithm algorithm);

/** Whether two words agree but for hyphens, underscores and spaces. */
bool clump_collective_word_is(const char *text, const char *word);
/** The other way, as people write it, too: "all_reduce", "all-to-all"; KINDS if there is none. */
clump_collective_kind clump_collective_kind_meant(const char *text);
/**
 * The algorithm that is meant by its name, or by a word that means another one for each kind: "tree",
 * "ring", "recursive doubling", "hierarchical with rails". ALGORITHMS if the kind has none of that name.
 */
clump_collective_algorithm clump_collective_algorithm_meant(clump_collective_kind kind,
                                                            const char *text);
/** The words, beside names, that mean something for the kind: 0, 1, ...; NULL behind the last. */
const char *clump_collective_word_at(clump_collective_kind kind, size_t index);

/* ---- what the libraries choose */

typedef enum clump_mpi_library {
    CLUMP_MPI_OPEN_MPI, /**< 4.1: coll/tuned, fixed decision */
    CLUMP_MPI_MPICH     /**< 4.0: ch4, generic selection files */
} clump_mpi_library;

/** Open MPI's or MPICH's (and of those made from it), by its name; what is neither, or NULL, is taken as Open MPI. */
clump_mpi_library clump_mpi_library_of(const char *name);

/**
 * The algorithm that the library takes by itself (collective_choice.c has the tables and sources) for
 * operation->kind, ranks, bytes and places; `algorithm` is not read. Operators are taken as built-in
 * and commutative. Places: only MPICH looks at them. @return one that clump_collective_has()
 */
clump_collective_algorithm clump_collective_choose(clump_mpi_library library,
                                                   const clump_collective_operation *operation);

#endif
