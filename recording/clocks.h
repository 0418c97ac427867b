/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef CLUMP_RECORDING_CLOCKS_H
#define CLUMP_RECORDING_CLOCKS_H

/*
 * Offsets between the clocks of nodes, from what cannot be otherwise: nothing arrives before it was sent (MODEL.md 32).
 */

#include <stddef.h>
#include <stdint.h>

/** The clock of a node against node 0's. */
typedef struct clump_clock_offset {
    double low, high; /**< s that it is ahead, as far as messages tell; NAN: they do not */
    double
        used; /**< s to subtract from its times: 0 where that contradicts no message, else the middle */
} clump_clock_offset;

typedef struct clump_clocks clump_clocks;

/** NULL without memory. */
clump_clocks *clump_clocks_new(size_t nodes);
void clump_clocks_free(clump_clocks *clocks);

/** Node b's clock is ahead of a's by at most so many seconds. Without memory it is forgotten. */
void clump_clocks_bound(clump_clocks *clocks, uint32_t a, uint32_t b, double seconds);

/** Makes offsets against node 0 of all bounds, along the tightest pairs of nodes. Cost: O(n log n) for n
 *  pairs, and O(N^2) for N nodes. */
void clump_clocks_compare(clump_clocks *clocks);

/** Of a node (below that of clump_clocks_new), once they are compared; before that nothing is known. */
clump_clock_offset clump_clocks_of(const clump_clocks *clocks, uint32_t node);

/** A time of `other`'s, corrected, may be off by low to high seconds for an event of `own` node. */
void clump_clocks_doubt(const clump_clocks *clocks, uint32_t own, uint32_t other, double *low,
                        double *high);

#endif
