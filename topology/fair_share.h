/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef CLUMP_TOPOLOGY_FAIR_SHARE_H
#define CLUMP_TOPOLOGY_FAIR_SHARE_H

/*
 * What flows get that share links: the max-min fair rates, where no flow can have more without taking it
 * from one that has no more. There is exactly one such allocation, and filling all flows alike until a
 * link is full finds it (Bertsekas and Gallager, Data Networks, 2nd ed., 6.5.2). MODEL.md 31.
 */

#include "model/status.h"

#include <stddef.h>

typedef struct clump_routes {
    const double *capacity; /**< of each link, above 0; INFINITY: no limit */
    size_t link_count;
    const size_t *links; /**< of all routes, one after the other; none twice in a route */
    const size_t *start; /**< route r has links[start[r]] to links[start[r + 1] - 1] */
    size_t count;        /**< of routes; `start` has one more */
} clump_routes;

/**
 * Rates of all flows at once.
 *
 * @param rates  `count` values; INFINITY where nothing limits
 * Errors: CLUMP_BAD_ARGUMENT, CLUMP_NO_MEMORY. Cost: O(links of all routes x full links).
 */
clump_status clump_fair_share(const clump_routes *routes, double *rates, clump_error *error);

/** Of one flow alone: the least capacity of its route. */
double clump_route_alone(const clump_routes *routes, size_t route);

#endif
