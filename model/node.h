/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef CLUMP_MODEL_NODE_H
#define CLUMP_MODEL_NODE_H

/*
 * Internal to model/. A node falls into groups: one that holds all processors and NICs when they
 * are pooled, one for every NIC when they are mapped statically. Each group is a station of its
 * own.
 */

#include "model/prediction.h"

/** Groups of equal size that follow each other. */
typedef struct model_groups {
    size_t first;      /**< index of the first processor */
    size_t count;      /**< groups, at least 1 */
    size_t processors; /**< of each group; may be 0 */
    double nics;       /**< of each group's station: all, or what one moves */
} model_groups;

clump_status model_node_check(const clump_node *node, clump_error *error);

/** The station of each of these groups. */
clump_station model_node_station(const clump_node *node, const model_groups *groups);

/** What all NICs of the node move together. */
double model_node_capacity(const clump_node *node);

/** c_p of placement.h: mean speed at which the NICs of processor `p`, from 0, serve it. */
double model_node_speed(const clump_node *node, size_t p);

/** Whether c_p is 1 for every p. */
int model_node_is_near(const clump_node *node);

/**
 * Step through the groups of a checked node. Start with a zeroed struct and `next` = 0.
 *
 * @param next  index of the next group, moved on
 * @return 0 when there are no more
 */
int model_node_next_groups(const clump_node *node, size_t *next, model_groups *groups);

#endif
