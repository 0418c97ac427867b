/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef CLUMP_SCENARIOS_UNEVEN_H
#define CLUMP_SCENARIOS_UNEVEN_H

/*
 * Traffic that differs from processor to processor (MODEL.md, section 25): what the slowest processor
 * has, or the slowest group of those that share a NIC. A program with barriers takes as long as they.
 */

#include "scenarios/objects.h"

/** What one number of the traffic is for the processors of the program. */
typedef struct scenario_spread {
    double mean;
    double deviation;       /**< of a processor; NAN: from least and greatest */
    double least, greatest; /**< NAN: not known */
    const double *list;     /**< one for each processor of a node, or of all nodes; NULL: none */
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

/** Groups of processors that share NICs, all those of `size` in nodes like this one. */
typedef struct scenario_group {
    const clump_node *node;
    size_t nodes;
    size_t size; /**< 0: each processor by itself */
} scenario_group;

/**
 * Mean traffic of the processors of the group that has most to do, of groups of that size.
 *
 * @param network  by which lists are judged
 * Errors: CLUMP_BAD_ARGUMENT for a list that is not of these processors.
 */
clump_status scenario_uneven_slowest(const scenario_uneven *uneven, const clump_loggp *network,
                                     double waited_share, const scenario_group *group,
                                     clump_traffic *remote, clump_traffic *local,
                                     clump_error *error);

/** Whether all that differs is known processor by processor. */
bool scenario_uneven_is_listed(const scenario_uneven *uneven);

/** Nodes whose processors may differ from those of others: 1 if the lists are those of every node. */
size_t scenario_uneven_nodes(const scenario_uneven *uneven, const scenario_group *group);

/** Traffic of a processor of a node, where lists are of these processors. */
void scenario_uneven_of(const scenario_uneven *uneven, size_t processors, size_t node,
                        size_t processor, clump_traffic *remote, clump_traffic *local);

#endif
