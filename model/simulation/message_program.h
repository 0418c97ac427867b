/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef CLUMP_MODEL_SIMULATION_MESSAGE_PROGRAM_H
#define CLUMP_MODEL_SIMULATION_MESSAGE_PROGRAM_H

/* What the ranks of a simulated program do: compute, send, wait. */

#include "model/simulation/service_time.h"

#include <stdbool.h>
#include <stddef.h>

/** Who sends to whom. */
typedef enum clump_pattern {
    CLUMP_PATTERN_UNIFORM = 0, /**< random ranks: of other nodes for the share remote_share of the
                                    messages, of the own node for the others */
    CLUMP_PATTERN_ALL_TO_ALL,  /**< r+1, r+2, ... in turn, all but itself; `run` messages each */
    CLUMP_PATTERN_NEIGHBOURS,  /**< r+1 and r-1 in turn */
    CLUMP_PATTERN_MANY_TO_ONE, /**< rank 0, which sends nothing by itself */
    CLUMP_PATTERN_MATRIX       /**< random, in proportion to the row of the matrix */
} clump_pattern;

/** What every rank does: computations, each followed by a burst of messages; sometimes a barrier.
 */
typedef struct clump_program {
    clump_pattern pattern;
    double remote_share;   /**< uniform pattern, 0 to 1; of nodes of node_size processors */
    size_t node_size;      /**< for that: nodes of the program, which can be smaller than those of
                                the machine; 0: those of the machine */
    const double *matrix;  /**< ranks x ranks weights >= 0, row by row; the diagonal is not used */
    double messages;       /**< of each rank, >= 0; the fraction is rounded up or down at random */
    double bulk_share;     /**< of them that are bulk, 0 to 1 */
    double bulk_bytes;     /**< of each bulk message, >= 1 */
    double reply_share;    /**< of the messages that are answered by a short message */
    double blocking_share; /**< of the answered ones whose sender waits for the answer */
    size_t window;         /**< messages of a rank not yet handled or answered, at most; 0: no
                                limit */
    double computation_us; /**< of each rank in all */
    double burst;          /**< messages that follow each computation, >= 1; whole */
    clump_service_time computation_times; /**< between two bursts */
    double poll_us; /**< a computation is interrupted by a poll this often; 0: never */
    double phases;  /**< barriers in the program, the one at its end included, >= 1 */
    double run; /**< all-to-all and neighbours: messages to a rank before the next one's turn, on
                     average; below 1 is taken as 1 */
    /** Ranks r, r+1, ... of a node that compute for the same random times; 0 or 1: none do. */
    size_t together;
    clump_service_time bulk_sizes; /**< bulk messages have 1 + (bulk_bytes-1) x bytes, x of mean 1;
                                        only if sizes_vary */
    bool sizes_vary;
    /** Work of the processors of each node_size, in messages and computation, relative to their
     *  mean; NULL: all the same. */
    const double *imbalance;
} clump_program;

#endif
