/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef CLUMP_MODEL_NODE_H
#define CLUMP_MODEL_NODE_H

/* A node: its processors, its NICs, and how processors reach NICs. */

#include "model/memory.h"
#include "model/placement.h"
#include "model/station.h"
#include "model/watch.h"

#include <stddef.h>

/** Between these lies a slowdown whatever the processors of a node do when (new; MODEL.md 37). Both ends belong to it. */
typedef struct clump_bounds {
    double least, greatest;
} clump_bounds;

/** How processors reach the NICs of their node. */
typedef enum clump_mapping {
    CLUMP_MAPPING_POOLED = 0, /**< every processor uses all NICs (8.3.1) */
    CLUMP_MAPPING_STATIC      /**< every processor is tied to one NIC (8.4.2, figure 8.3) */
} clump_mapping;

/** "pooled" or "static". */
const char *clump_mapping_name(clump_mapping mapping);

/** Parse such a name. @return 0 if it is none */
int clump_mapping_parse(const char *name, clump_mapping *mapping);

typedef struct clump_node {
    size_t processors; /**< P, at least 1 */
    size_t nics;       /**< N, at least 1 */
    clump_mapping mapping;
    /**
     * Static mapping only: processors of each of the N NICs, which must add up to P (zero allowed),
     * or NULL for groups as even as possible, larger ones first (8 on 3: 3+3+2). Processors are
     * assigned in order.
     */
    const size_t *group_sizes;
    double max_nics_per_processor; /**< m >= 1, or 0 for no limit; of no effect where a static
                                        mapping gives every processor one NIC */
    clump_efficiency efficiency;   /**< of the pool, or of each NIC when mapped statically */
    /**
     * Where the NICs are; all zero: all near, a slot each. Mapped statically, all ports of a shared
     * slot that have processors are taken as busy all the time, so that each gets the least it can
     * get. With more NICs than processors, processors are given one port of every slot, then a
     * second port of every slot (packed: all ports of one slot first). Where processors are not all
     * equally near to the NICs the demand must be independent, correlated or scheduled.
     */
    clump_placement placement;
    /**
     * Memory that all processors of the node share, whichever NICs they use; all zero: memory slows
     * nobody. With shared memory, scheduled demand needs equal processors; scheduled demand and
     * gangs under a static mapping need groups of one size; a phase of finite length needs pooled
     * NICs.
     */
    clump_memory memory;
    const clump_watch *watch; /**< may stop a computation about this node; or NULL */
} clump_node;

/*
 * Internal to model/. A node falls into groups: one that holds all processors and NICs when they
 * are pooled, one for every NIC when they are mapped statically. Each group is a station of its
 * own.
 */

/** Groups of equal size that follow each other. */
typedef struct model_groups {
    size_t first;      /**< index of the first processor */
    size_t count;      /**< groups, at least 1 */
    size_t processors; /**< of each group; may be 0 */
    double nics;       /**< NICs of each group's station: all; mapped statically, what one moves */
    int slot_known;    /**< slot_first and slot_used are set */
    size_t slot_first; /**< first NIC of the slot that was looked at last */
    size_t slot_used;  /**< how many of its ports have processors */
} model_groups;

clump_status model_node_check(const clump_node *node, clump_error *error);

/** The station of each of `groups`, which are alike. */
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

/** A node and what its processors need, as the engine has prepared them. */
typedef struct model_bounded {
    const clump_node *node;
    double gang_size;                          /**< 0: no gangs */
    double phase_cycles;                       /**< 0: equilibrium */
    size_t count;                              /**< of what follows: 1 for all, or P */
    const double *adjusted, *factor;           /**< U_adj and k of every processor, and ... */
    const double *computation, *communication; /**< ... its C and D (needs.h), or both NULL */
    const double *computing;                   /**< nu(0..P), or NULL */
} model_bounded;

/**
 * Between what the mean of the slowdowns and that of the slowest lie, whatever processors do when: bounds.c.
 * Cost: O(1) for equal processors, O(P) where they differ, share memory or slots (packed), or with an efficiency.
 */
void model_bounds_find(const model_bounded *of, clump_bounds *mean, clump_bounds *slowest);

/** Errors: CLUMP_INCONSISTENT if the value of `what` lies outside by more than rounding can explain. */
clump_status model_bounds_check(const clump_bounds *bounds, double value, const char *what,
                                clump_error *error);

#endif
