/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef CLUMP_SCENARIOS_UNEVEN_H
#define CLUMP_SCENARIOS_UNEVEN_H

/* Traffic that differs from processor to processor (MODEL.md, section 25). */

#include "model/slowest.h"
#include "scenarios/objects.h"

/** What one number of the traffic is for the processors of the program. */
typedef struct scenario_spread {
    clump_spread of;
    const double *list; /**< one for each processor of a node, or of all nodes; NULL: none */
    size_t list_count;
} scenario_spread;

/** Short messages, bulk messages, bulk bytes; NULL in an application: the same for all. */
typedef struct scenario_uneven {
    scenario_spread remote[3], local[3];
    size_t processors; /**< that least and greatest are of; 0: those of the program */
} scenario_uneven;

/** Read one number of a traffic table: a number, a list, or { mean =, least =, greatest =, std_dev =,
 *  processors = }. @return whether it differs from processor to processor */
bool scenario_spread_field(scenario_table table, const char *key, scenario_spread *spread,
                           size_t *processors);

/** Whether some of it is known by its spread only: processors are drawn. */
bool scenario_uneven_is_drawn(const scenario_uneven *uneven);

/** Whether lists are of all nodes, so that these differ. */
bool scenario_uneven_is_of_nodes(const scenario_uneven *uneven, size_t processors);

/** Errors: CLUMP_BAD_ARGUMENT for a list that is not of these processors. */
clump_status scenario_uneven_check(const scenario_uneven *uneven, size_t processors, size_t nodes,
                                   clump_error *error);

/** Let each spread be that of so many processors, where it does not say of how many. */
void scenario_uneven_fit(scenario_uneven *uneven, size_t all);

/**
 * Traffic of a processor of a node.
 *
 * @param uneven  fitted
 * @param z       the standard normal number that was drawn for it: who has more of one thing has more of all
 */
void scenario_uneven_of(const scenario_uneven *uneven, size_t processors, size_t node,
                        size_t processor, double z, clump_traffic *remote, clump_traffic *local);

#endif
