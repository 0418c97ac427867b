/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef CLUMP_TOPOLOGY_UNIT_FLOW_H
#define CLUMP_TOPOLOGY_UNIT_FLOW_H

/*
 * Internal to topology/: sources that each send one unit to the sink, which is the last node, through arcs that
 * hold whole numbers of units: floor(capacity / rate). Augmenting paths (Ford and Fulkerson); the
 * cheapest by shortest paths (Ahuja, Magnanti and Orlin, Network Flows, 9.7).
 */

#include "model/status.h"

#include <stdbool.h>
#include <stddef.h>

typedef struct clump_unit_flow clump_unit_flow;

/** Without arcs. Errors: CLUMP_NO_MEMORY. */
clump_status clump_unit_flow_new(size_t nodes, clump_unit_flow **flow, clump_error *error);
void clump_unit_flow_free(clump_unit_flow *flow); /**< NULL is allowed */
/** An arc; both ends below `nodes`. Errors: CLUMP_NO_MEMORY. */
clump_status clump_unit_flow_add(clump_unit_flow *flow, size_t from, size_t to, double capacity,
                                 int cost, clump_error *error);

/** Whether all sources reach the sink. Cost: O(sources x arcs). */
bool clump_unit_flow_fits(clump_unit_flow *flow, const size_t *sources, size_t count, double rate);

/** Cheapest flow of all sources; `last` receives the node before the sink on the way of each.
 *  Errors: CLUMP_INCONSISTENT if they do not fit. */
clump_status clump_unit_flow_cheapest(clump_unit_flow *flow, const size_t *sources, size_t count,
                                      double rate, size_t *last, clump_error *error);

#endif
