/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef CLUMP_MODEL_WORKLOAD_COLLECTIVE_PLAN_H
#define CLUMP_MODEL_WORKLOAD_COLLECTIVE_PLAN_H

/*
 * Internal to model/workload: what an algorithm consists of. It is a sequence of patterns, each among some of the ranks; from
 * the same sequence follow the messages (collective_patterns.c) and the time (collective_algorithms.c).
 *
 *     kind, algorithm, ranks, nodes, bytes -> collective_plan_make -> phases
 */

#include "model/workload/collective.h"

typedef enum collective_pattern {
    /* Trees of the whole vector: up reductions to number 0, down broadcasts. */
    PATTERN_STAR,
    PATTERN_CHAIN,
    PATTERN_BINOMIAL,
    PATTERN_KNOMIAL,       /**< of radix 4 */
    PATTERN_DOUBLING_TREE, /**< only down */
    PATTERN_BINARY,
    /* Trees of parts, of which each number has its own: up gathers, down scatters. */
    PATTERN_STAR_PARTS,
    PATTERN_BINOMIAL_PARTS,
    /* Among all. */
    PATTERN_DISSEMINATION,
    PATTERN_DOUBLING,             /**< whole vectors */
    PATTERN_RABENSEIFNER,         /**< to all */
    PATTERN_RABENSEIFNER_TO_ROOT, /**< to number 0 */
    PATTERN_HALVING,              /**< this and the next two: a reduce-scatter */
    PATTERN_REDUCE_PAIRWISE,
    PATTERN_REDUCE_RING,
    PATTERN_GATHER_RING, /**< this and the next four: an allgather */
    PATTERN_GATHER_BRUCK,
    PATTERN_GATHER_DOUBLING, /**< powers of two */
    PATTERN_GATHER_NEIGHBOURS,
    PATTERN_GATHER_DIRECT,
    PATTERN_ALL_DIRECT, /**< this and the next two: alltoall */
    PATTERN_ALL_PAIRWISE,
    PATTERN_ALL_BRUCK,
    PATTERN_SCAN_CHAIN,
    PATTERN_SCAN_DOUBLING,
    /** Between the root and the first of its node: up to that one, down from it. */
    PATTERN_HAND_OVER,
    PATTERNS
} collective_pattern;

typedef enum collective_among {
    AMONG_ALL,
    AMONG_NODE,
    AMONG_LEADERS, /**< the first of each node */
    AMONG_RAIL     /**< those of the same number in all nodes */
} collective_among;

typedef struct collective_phase {
    collective_pattern pattern;
    bool up;
    collective_among among;
} collective_phase;

typedef struct collective_plan {
    collective_phase phases[4];
    uint32_t count;
} collective_plan;

/**
 * @param nodes  on which the ranks are; read for algorithms with levels only
 * @param whole  bytes of the vector, or of all parts; likewise
 */
collective_plan collective_plan_make(clump_collective_kind kind,
                                     clump_collective_algorithm algorithm, uint32_t ranks,
                                     uint32_t nodes, uint64_t whole);

/** Of broadcast, reduce, gather, scatter. */
bool collective_has_root(clump_collective_kind kind);

#endif
