/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef CLUMP_FITTING_NODE_NODE_LAW_H
#define CLUMP_FITTING_NODE_NODE_LAW_H

/*
 * The rate of q pairs of processes over N equal NICs (MODEL.md, "A node from its pairs"), as a share of what
 * all NICs carry together. A process alone reaches the share 1/r:
 *
 *   pooled     min(q/r, 1): the station of section 1, min(q m, N)/N with m = N/r
 *   in turns   process i uses NIC i mod N, and shares it equally with the others there; r >= N
 *   at random  each process has drawn its NIC; the mean over all draws; r >= N
 *
 * Where processes with one NIC each are not equally fast it matters what a benchmark calls the rate.
 */

#include "model/status.h"

#include <stddef.h>

typedef enum clump_node_sharing {
    CLUMP_NODE_POOLED,
    CLUMP_NODE_IN_TURNS,
    CLUMP_NODE_AT_RANDOM
} clump_node_sharing;

typedef enum clump_node_account {
    CLUMP_NODE_STEADY,      /**< what all carry while all send */
    CLUMP_NODE_MEAN_TIME,   /**< all bytes over the mean of the processes' times: osu_mbw_mr */
    CLUMP_NODE_LONGEST_TIME /**< all bytes over the longest of them: IMB */
} clump_node_account;

/** "pooled", "in turns", "at random". */
const char *clump_node_sharing_name(clump_node_sharing sharing);

enum {
    CLUMP_NODE_MOST_NICS = 64,      /**< that a law with static assignment has */
    CLUMP_NODE_MOST_RANDOM = 16,    /**< the same, drawn at random */
    CLUMP_NODE_MOST_DRAWN = 128,    /**< pairs, drawn at random */
    CLUMP_NODE_MOST_PAIRS = 1 << 20 /**< in turns */
};

/** How many processes are on a NIC with so many pairs: what does not depend on r. */
typedef struct clump_node_crowd {
    clump_node_sharing sharing;
    clump_node_account account;
    double nics, pairs;
    size_t least, count; /**< companies from `least` on */
    /** Of a NIC (steady), of a process (mean time), of the fullest NIC. */
    double probabilities[CLUMP_NODE_MOST_DRAWN + 1];
} clump_node_crowd;

/**
 * @param nics, pairs  whole numbers in the limits above, at least 1
 * Errors: CLUMP_BAD_ARGUMENT. Cost: drawn and by the longest time O(N q^3), else O(q).
 */
clump_status clump_node_crowd_make(clump_node_sharing sharing, clump_node_account account,
                                   double nics, double pairs, clump_node_crowd *crowd,
                                   clump_error *error);

/** The rate over that of all NICs. @param ratio  r >= 1; static: at least N */
double clump_node_law(const clump_node_crowd *crowd, double ratio);

#endif
