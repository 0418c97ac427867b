/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef CLUMP_FITTING_NODE_NODE_SAMPLES_H
#define CLUMP_FITTING_NODE_NODE_SAMPLES_H

/*
 * Rates of 1, 2, ... pairs of processes of two nodes as runs: a run is what one job measured with one number
 * of pairs at all sizes, and its sizes have in common whatever was particular about it.
 */

#include "fitting/clusters/cluster_samples.h"
#include "fitting/node/node_law.h"

/** Which samples. NULL: the only ones there are. */
typedef struct clump_node_filter {
    const char *platform, *transport, *variant, *benchmark;
} clump_node_filter;

/** One number of pairs, measured once. */
typedef struct clump_node_run {
    const clump_cluster_sample *items; /**< by size, each once; values in B/us, above 0 */
    size_t count;
    double pairs;
} clump_node_run;

/** Runs of one benchmark, by number of pairs. */
typedef struct clump_node_runs {
    clump_node_run *items;
    size_t count;
    const char *benchmark;
    clump_node_account account;
} clump_node_runs;

typedef struct clump_node_samples {
    clump_arena *arena;
    clump_cluster_samples all;
    clump_node_runs one_way, both_ways;          /**< both_ways: count 0 if there are none */
    const char *transport, *variant;             /**< what was chosen; "" if none */
    const char *other_variant, *other_benchmark; /**< one that was not taken; NULL: none */
    size_t too_many;                             /**< samples of more pairs than a law has */
    const char **sources;
    size_t source_count;
} clump_node_samples;

/**
 * Read. Start with zeros; free in any case.
 * The benchmark with most numbers of pairs is taken; of several variants the one without a name, or "spread"
 * (processes over the whole node).
 * @return CLUMP_BAD_ARGUMENT: no such platform, nothing to fit, or a choice is missing
 */
clump_status clump_node_samples_read(clump_store *store, const clump_node_filter *filter,
                                     clump_node_samples *samples, clump_error *error);

void clump_node_samples_free(clump_node_samples *samples);

#endif
