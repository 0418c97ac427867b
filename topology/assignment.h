/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef CLUMP_TOPOLOGY_ASSIGNMENT_H
#define CLUMP_TOPOLOGY_ASSIGNMENT_H

/*
 * Which processor sends by which NIC, and what that gives. What goes from a processor to a NIC takes
 * the links up to the part that is above both, and from there down; or, through memory, up to the
 * socket of the processor and then down. Each link has two lanes, up and down.
 */

#include "topology/node_tree.h"

typedef enum clump_assignment_way {
    CLUMP_ASSIGN_BEST = 0,
    CLUMP_ASSIGN_NEAREST, /**< the fewest links away; of several the first, as many programs do */
    CLUMP_ASSIGN_ROUND_ROBIN,
    CLUMP_ASSIGN_ONE, /**< all by the first NIC */
    CLUMP_ASSIGN_WAYS
} clump_assignment_way;

/** "best", "nearest", "round-robin", "one". */
const char *clump_assignment_way_name(clump_assignment_way way);

typedef struct clump_assignment {
    size_t *nics;  /**< of processor p: an index into the topology's nics */
    double *rates; /**< bytes a second of each when all send */
    double *alone; /**< and when it sends alone */
    double least;  /**< of rates */
    double total;  /**< sum of rates */
    /** Best: that no assignment exceeds which leaves the slowest as fast; `total` if it is proven. Else not read. */
    double most_total;
} clump_assignment;

void clump_assignment_free(clump_assignment *assignment);

/**
 * Choose, and compute what it gives.
 *
 * Best is: the slowest processor as fast as can be, which is exact (integer flow; MODEL.md 31); then the
 * nearest NICs that allow it; then exchanges and moves that raise the total and not lower the least. If the total is below
 * what a flow without whole processors allows, all assignments are tried that differ in more than names of parts that are alike, 65,536/(P N) at most.
 *
 * Errors: CLUMP_NO_MEMORY. Cost: best: O(P E log(E P)) for E links, O(P^2 E) for exchanges where
 * processors times NICs are 256 at most, and as much again for each assignment that is tried, O(P E).
 */
clump_status clump_assign(const clump_topology *topology, const clump_topology_rules *rules,
                          clump_assignment_way way, clump_assignment *assignment,
                          clump_error *error);

/** What a given assignment gives: `nics` of each processor. Errors: CLUMP_BAD_ARGUMENT too. */
clump_status clump_assign_given(const clump_topology *topology, const clump_topology_rules *rules,
                                const size_t *nics, clump_assignment *assignment,
                                clump_error *error);

/** The rate of processor `p` by NIC `nic` alone. */
double clump_assignment_alone(const clump_topology *topology, const clump_topology_rules *rules,
                              size_t p, size_t nic);

/**
 * Lanes from processor to NIC: 2 part + 0 up, 2 part + 1 down, and 2 parts + k for the port of NIC k.
 *
 * @param lanes  room for 2 depth + 3; @return how many
 */
size_t clump_assignment_route(const clump_topology *topology, const clump_topology_rules *rules,
                              size_t p, size_t nic, size_t *lanes);
size_t clump_assignment_lane_count(const clump_topology *topology);
void clump_assignment_capacities(const clump_topology *topology, double *capacity);

enum { CLUMP_MOST_LANES = 512 };

#endif
