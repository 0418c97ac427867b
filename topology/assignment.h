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

/** Who leaves its socket is farther away than whoever does not. */
enum { CLUMP_SOCKET_LINKS = 33 };

typedef struct clump_assignment {
    size_t *nics;  /**< of processor p: an index into the topology's nics */
    double *rates; /**< bytes a second of each when all send */
    double *alone; /**< and of each when it sends alone */
    double least;  /**< of rates */
    double total;  /**< sum of rates */
    size_t
        distance; /**< links on all ways; one above a socket, or a NUMA domain, counts CLUMP_SOCKET_LINKS */
    /** Of CLUMP_ASSIGN_BEST only: no assignment that leaves the slowest processor as fast has a greater total.
     *  Equal to `total` where that is proven to be the greatest. */
    double most_total;
} clump_assignment;

void clump_assignment_free(clump_assignment *assignment);

/**
 * Choose, and compute what it gives.
 *
 * The best assignment has, in this order: the greatest rate of the slowest processor, which is found exactly (integer
 * flow; MODEL.md 31); the greatest total; and the least distance. No exchange of two NICs and no move of one processor improves
 * it. Assignments are then tried, up to 65,536/(P N) of them; of those that differ only in the names of equal parts one
 * is, and none that is farther where the total is that of a flow that may divide processors.
 *
 * Errors: CLUMP_NO_MEMORY. Cost of the best: O(P E log(E P)) with E links; exchanges O(P^2 E), only if P N is 256 at
 * most; O(P E) for each of the assignments that are tried.
 */
clump_status clump_assign(const clump_topology *topology, const clump_topology_rules *rules,
                          clump_assignment_way way, clump_assignment *assignment,
                          clump_error *error);

/** What a given assignment gives: `nics` of each processor. Errors: CLUMP_BAD_ARGUMENT too. */
clump_status clump_assign_given(const clump_topology *topology, const clump_topology_rules *rules,
                                const size_t *nics, clump_assignment *assignment,
                                clump_error *error);

/** The order of the best one: by least, total and distance. */
bool clump_assignment_is_better(const clump_assignment *a, const clump_assignment *than);

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

/** What processors get that share lanes; room for all of a topology, once. */
typedef struct clump_lanes {
    const clump_topology *topology;
    const clump_topology_rules *rules;
    double *capacity;
    double *rates; /**< of those that send */
    size_t *links, *start;
} clump_lanes;

/** To be freed; the others must outlive it. Errors: CLUMP_NO_MEMORY. */
clump_status clump_lanes_make(const clump_topology *topology, const clump_topology_rules *rules,
                              clump_lanes *lanes, clump_error *error);
void clump_lanes_free(clump_lanes *lanes);

/**
 * Fair rates of `count` processors that send at once, each by the NIC that it has in `nics`.
 * @param who  the processors; NULL: the first ones
 */
clump_status clump_lanes_share(clump_lanes *lanes, const size_t *nics, const size_t *who,
                               size_t count, clump_error *error);

#endif
