/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef CLUMP_FITTING_CLUSTERS_NODE_RATES_H
#define CLUMP_FITTING_CLUSTERS_NODE_RATES_H

/*
 * A node as benchmarks of pairs show it: what one process reaches, and what the NICs need for a message when most
 * processes send, both by size (MODEL.md, "One node"). From it follows any number of pairs:
 *
 *   windows     R(k, s) = min(k R_1(s), s / c(s), K_p / c_p(s))        B/us of all pairs together
 *   ping-pongs  T(k, s) = T_1(s) (1 + w) X(k, 1, U), U = c(s) / T_1(s) us of a message (X: erlang.h)
 *
 * c(s) is known at the sizes at which the most pairs were measured, and linear in bytes between them. A link's rate is not
 * read: what was measured is the limit.
 */

#include "fitting/clusters/cluster_samples.h"

/** What the NICs of a node need for a message, at a size. */
typedef struct clump_node_cost {
    double bytes, us;
    bool inferred; /**< from one pair, not measured */
} clump_node_cost;

enum { CLUMP_NODE_COSTS = 64 };

typedef struct clump_node_rates {
    bool ping_pong; /**< values are us, else B/us of windows */
    bool gpu;       /**< memory of GPUs: their paths to the NICs are limits of their own */
    const clump_cluster_sample *one; /**< of one pair, by size */
    size_t one_count;
    double most;    /**< pairs; 1: no more were measured, so that what all reach is not known */
    double company; /**< w: what a process is slower by when it is not the only one of its node */
    double lanes;   /**< what all reach over what one does, long messages */
    clump_node_cost costs[CLUMP_NODE_COSTS]; /**< by size */
    size_t cost_count;
} clump_node_rates;

/** Which measurements of the most pairs are read. */
typedef enum clump_node_inputs {
    CLUMP_NODE_ALL_SIZES,
    CLUMP_NODE_THREE_SIZES /**< the first from 8 B, from 128 B and from 1 MiB on (or the greatest) */
} clump_node_inputs;

/**
 * @param table      of one benchmark, sorted by processes and size, 2 processes first; rates or half round trips
 * @param bandwidth  B/us: the best that one pair reached over these NICs; read where the most pairs have no long messages
 * @return false: there is no pair
 * Cost: proportional to the count.
 */
bool clump_node_rates_make(const clump_cluster_sample *table, size_t count,
                           clump_node_inputs inputs, double bandwidth, clump_node_rates *node);

/** Whether what the most pairs did at this size was read. */
bool clump_node_rates_reads(const clump_node_rates *node, double bytes);

/** What `pairs` pairs do together: B/us, or us; NAN: one pair was not measured at that size. `limit` may be NULL:
 *  receives what decides, "processes", "NIC", "GPU path". */
double clump_node_rates_at(const clump_node_rates *node, double pairs, double bytes,
                           const char **limit);

/** B/us of the most pairs with the longest messages that were read: what all NICs carry; NAN: not known. */
double clump_node_rates_total(const clump_node_rates *node);

#endif
