/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef CLUMP_MODEL_WORKLOAD_COLLECTIVE_PLACES_H
#define CLUMP_MODEL_WORKLOAD_COLLECTIVE_PLACES_H

/* Internal to model/workload. Nodes are numbered by their first ranks. */

#include "model/workload/collective.h"

struct clump_collective_places {
    uint32_t ranks, nodes;
    uint32_t *members; /**< ranks, node by node, ascending in each */
    uint32_t *node;    /**< of each rank */
    uint32_t *number;  /**< of each rank in its node */
    uint32_t *first;   /**< of each node: where its members begin; one more at the end */
    uint32_t *leaders; /**< the first rank of each node */
    uint32_t each;     /**< ranks of a node, if all have as many; else 0 */
};

#endif
