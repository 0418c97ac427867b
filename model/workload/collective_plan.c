/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "model/workload/collective_plan.h"

typedef struct recipe {
    clump_collective_kind kind;
    clump_collective_algorithm algorithm;
    collective_phase phases[2];
    uint32_t count; /* 0: on levels */
} recipe;

#define A(name) CLUMP_COLLECTIVE_##name
#define UP(name)                                                                                   \
    {                                                                                              \
        PATTERN_##name, true, AMONG_ALL                                                            \
    }
#define DOWN(name)                                                                                 \
    {                                                                                              \
        PATTERN_##name, false, AMONG_ALL                                                           \
    }
#define ALL(name) DOWN(name)
#define ONE(kind, algorithm, phase)                                                                \
    {                                                                                              \
        A(kind), A(algorithm), {phase}, 1                                                          \
    }
#define TWO(kind, algorithm, first, second)                                                        \
    {                                                                                              \
        A(kind), A(algorithm), {first, second}, 2                                                  \
    }

/* Sources as in collective.h. */
static const recipe recipes[] = {
    TWO(BARRIER, LINEAR, UP(STAR), DOWN(STAR)),
    TWO(BARRIER, BINOMIAL, UP(BINOMIAL), DOWN(BINOMIAL)),
    ONE(BARRIER, RECURSIVE_DOUBLING, ALL(DOUBLING)),
    ONE(BARRIER, DISSEMINATION, ALL(DISSEMINATION)),
    {.kind = A(BARRIER), .algorithm = A(HIERARCHICAL)},
    ONE(BROADCAST, LINEAR, DOWN(STAR)),
    ONE(BROADCAST, CHAIN, DOWN(CHAIN)),
    ONE(BROADCAST, BINOMIAL, DOWN(BINOMIAL)),
    ONE(BROADCAST, BINOMIAL_DOUBLING, DOWN(DOUBLING_TREE)),
    ONE(BROADCAST, KNOMIAL, DOWN(KNOMIAL)),
    ONE(BROADCAST, BINARY, DOWN(BINARY)),
    TWO(BROADCAST, SCATTER_ALLGATHER, DOWN(BINOMIAL_PARTS), ALL(GATHER_DOUBLING)),
    TWO(BROADCAST, SCATTER_RING, DOWN(BINOMIAL_PARTS), ALL(GATHER_RING)),
    {.kind = A(BROADCAST), .algorithm = A(HIERARCHICAL)},
    ONE(REDUCE, LINEAR, UP(STAR)),
    ONE(REDUCE, CHAIN, UP(CHAIN)),
    ONE(REDUCE, BINOMIAL, UP(BINOMIAL)),
    ONE(REDUCE, KNOMIAL, UP(KNOMIAL)),
    ONE(REDUCE, BINARY, UP(BINARY)),
    ONE(REDUCE, RABENSEIFNER, ALL(RABENSEIFNER_TO_ROOT)),
    {.kind = A(REDUCE), .algorithm = A(HIERARCHICAL)},
    TWO(ALLREDUCE, REDUCE_FIRST, UP(BINOMIAL), DOWN(BINOMIAL)),
    ONE(ALLREDUCE, RECURSIVE_DOUBLING, ALL(DOUBLING)),
    TWO(ALLREDUCE, RING, ALL(REDUCE_RING), ALL(GATHER_RING)),
    ONE(ALLREDUCE, RABENSEIFNER, ALL(RABENSEIFNER)),
    {.kind = A(ALLREDUCE), .algorithm = A(HIERARCHICAL)},
    {.kind = A(ALLREDUCE), .algorithm = A(RAILS)},
    ONE(GATHER, LINEAR, UP(STAR_PARTS)),
    ONE(GATHER, BINOMIAL, UP(BINOMIAL_PARTS)),
    ONE(SCATTER, LINEAR, DOWN(STAR_PARTS)),
    ONE(SCATTER, BINOMIAL, DOWN(BINOMIAL_PARTS)),
    ONE(ALLGATHER, LINEAR, ALL(GATHER_DIRECT)),
    ONE(ALLGATHER, RING, ALL(GATHER_RING)),
    ONE(ALLGATHER, RECURSIVE_DOUBLING, ALL(GATHER_DOUBLING)),
    ONE(ALLGATHER, BRUCK, ALL(GATHER_BRUCK)),
    ONE(ALLGATHER, NEIGHBOUR, ALL(GATHER_NEIGHBOURS)),
    TWO(ALLGATHER, GATHER_FIRST, UP(BINOMIAL_PARTS), DOWN(BINOMIAL)),
    {.kind = A(ALLGATHER), .algorithm = A(HIERARCHICAL)},
    ONE(ALLTOALL, LINEAR, ALL(ALL_DIRECT)),
    ONE(ALLTOALL, PAIRWISE, ALL(ALL_PAIRWISE)),
    ONE(ALLTOALL, BRUCK, ALL(ALL_BRUCK)),
    TWO(REDUCE_SCATTER, REDUCE_FIRST, UP(BINOMIAL), DOWN(BINOMIAL_PARTS)),
    ONE(REDUCE_SCATTER, RING, ALL(REDUCE_RING)),
    ONE(REDUCE_SCATTER, PAIRWISE, ALL(REDUCE_PAIRWISE)),
    ONE(REDUCE_SCATTER, RECURSIVE_HALVING, ALL(HALVING)),
    {.kind = A(REDUCE_SCATTER), .algorithm = A(HIERARCHICAL)},
    ONE(SCAN, CHAIN, ALL(SCAN_CHAIN)),
    ONE(SCAN, RECURSIVE_DOUBLING, ALL(SCAN_DOUBLING)),
};

static const recipe *find(clump_collective_kind kind, clump_collective_algorithm algorithm)
{
    for (size_t i = 0; i < sizeof recipes / sizeof *recipes; i++)
        if (recipes[i].kind == kind && recipes[i].algorithm == algorithm)
            return &recipes[i];
    return NULL;
}

bool clump_collective_has(clump_collective_kind kind, clump_collective_algorithm algorithm)
{
    return find(kind, algorithm) != NULL;
}

bool collective_has_root(clump_collective_kind kind)
{
    return kind == A(BROADCAST) || kind == A(REDUCE) || kind == A(GATHER) || kind == A(SCATTER);
}

/* What takes powers of two, or even numbers, has a substitute for others. */
static collective_pattern for_ranks(collective_pattern pattern, clump_collective_kind kind,
                                    uint32_t ranks)
{
    if (pattern == PATTERN_GATHER_DOUBLING && (ranks & (ranks - 1)) != 0)
        return kind == A(BROADCAST) ? PATTERN_GATHER_RING : PATTERN_GATHER_BRUCK;
    if (pattern == PATTERN_GATHER_NEIGHBOURS && ranks % 2 != 0)
        return PATTERN_GATHER_RING;
    return pattern;
}

static void add(collective_plan *plan, collective_pattern pattern, bool up, collective_among among)
{
    plan->phases[plan->count++] = (collective_phase){pattern, up, among};
}

static void add_recipe(collective_plan *plan, clump_collective_kind kind,
                       clump_collective_algorithm algorithm, uint32_t ranks, collective_among among)
{
    const recipe *r = find(kind, algorithm);
    for (uint32_t i = 0; i < r->count; i++)
        add(plan, for_ranks(r->phases[i].pattern, kind, ranks), r->phases[i].up, among);
}

/* Between the first ranks of all nodes: trees from roots, else as MPICH chooses. */
static clump_collective_algorithm among_leaders(clump_collective_kind kind, uint32_t nodes,
                                                uint64_t whole)
{
    const clump_collective_operation leaders = {
        .kind = kind, .ranks = nodes, .bytes = kind == A(ALLGATHER) ? whole / nodes : whole};
    return collective_has_root(kind) ? A(BINOMIAL)
                                     : clump_collective_choose(CLUMP_MPI_MPICH, &leaders);
}

collective_plan collective_plan_make(clump_collective_kind kind,
                                     clump_collective_algorithm algorithm, uint32_t ranks,
                                     uint32_t nodes, uint64_t whole)
{
    collective_plan plan = {.count = 0};
    if (algorithm == A(RAILS)) {
        add(&plan, PATTERN_REDUCE_RING, false, AMONG_NODE);
        add(&plan, PATTERN_REDUCE_RING, false, AMONG_RAIL);
        add(&plan, PATTERN_GATHER_RING, false, AMONG_RAIL);
        add(&plan, PATTERN_GATHER_RING, false, AMONG_NODE);
    } else if (algorithm == A(HIERARCHICAL)) {
        add(&plan,
            kind == A(BROADCAST)   ? PATTERN_HAND_OVER
            : kind == A(ALLGATHER) ? PATTERN_BINOMIAL_PARTS
                                   : PATTERN_BINOMIAL,
            true, AMONG_NODE);
        add_recipe(&plan, kind, among_leaders(kind, nodes, whole), nodes, AMONG_LEADERS);
        add(&plan,
            kind == A(REDUCE)           ? PATTERN_HAND_OVER
            : kind == A(REDUCE_SCATTER) ? PATTERN_BINOMIAL_PARTS
                                        : PATTERN_BINOMIAL,
            false, AMONG_NODE);
    } else {
        add_recipe(&plan, kind, algorithm, ranks, AMONG_ALL);
    }
    return plan;
}
