/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef CLUMP_TOPOLOGY_FEWER_NICS_H
#define CLUMP_TOPOLOGY_FEWER_NICS_H

/* How many of a node's NICs are enough: the same node with one after the other left out. */

#include "topology/run_time.h"

/** The best assignment to so many NICs. */
typedef struct clump_nic_count {
    size_t count;
    size_t left_out;     /**< the part that is left out beside those before; CLUMP_NO_PART: none */
    double least, total; /**< bytes a second, as of clump_assignment */
    clump_topology_run_time time; /**< NAN: not asked for */
} clump_nic_count;

enum { CLUMP_MOST_COUNTED_NICS = 16 };

/**
 * All NICs first, then without the one that is missed least, and so on to a single one: each step is the
 * best, all of them together need not be.
 *
 * @param utilization  for the times; NAN: none
 * @param counts  receives as many as there are NICs, which must be CLUMP_MOST_COUNTED_NICS at most
 * Errors: as clump_assign and clump_topology_time. Cost: N^2/2 assignments.
 */
clump_status clump_count_nics(const clump_topology *topology, const clump_topology_rules *rules,
                              double utilization, clump_nic_count *counts, clump_error *error);

#endif
