/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef CLUMP_MODEL_WORKLOAD_MISSES_H
#define CLUMP_MODEL_WORKLOAD_MISSES_H

/*
 * What computation costs on a node, from the cache misses that its processors wait for (new;
 * MODEL.md 23).
 *
 * A processor that computes, alone on the machine of the NOW, waits the share s of its time for
 * misses. In the node a miss takes longer, also with nobody else there; and for a part of it, in
 * which its line crosses what all processors share (bus, memory banks), it can only be one at a time.
 */

#include "model/memory.h"
#include "model/status.h"

#include <stddef.h>

typedef struct clump_misses {
    double share;        /**< s, 0 to 1 */
    double now_us;       /**< a miss on the machine of the NOW, > 0 */
    double node_us;      /**< ... in the node, alone; >= 0 */
    double line_bytes;   /**< that a miss moves, >= 0 */
    double bytes_per_us; /**< that the node's memory sustains for all processors together; 0: not
                                known, nobody waits for others there */
} clump_misses;

/**
 * c(k) = a k/nu(k): time of the computation on the node over that on the NOW, where k processors of
 * the node compute at once, a = 1 + s (node_us/now_us - 1). Memory is one server at which a processor, alone in the
 * node, is the share U = s (line_bytes/bytes_per_us)/(now_us a) of its time. Cost: O(k).
 * Errors: CLUMP_BAD_ARGUMENT, also if a processor alone would need more than the memory gives (U > 1).
 */
clump_status clump_misses_penalty(const clump_misses *misses, size_t processors, double *penalty,
                                  clump_error *error);

#endif
