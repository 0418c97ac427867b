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

/** A node, as far as it matters here. */
typedef struct scenario_group {
    size_t processors; /**< of a node */
    size_t nodes;
    size_t
        size; /**< processors that share NICs, in the order of their numbers; 1: each by itself */
} scenario_group;

/**
 * Mean traffic of the processors of the group that has most to do.
 *
 * @param network  by which lists are judged
 * Errors: CLUMP_BAD_ARGUMENT for a list that is not of these processors.
 */
clump_status scenario_uneven_slowest(const scenario_uneven *uneven, const clump_loggp *network,
                                     double waited_share, const scenario_group *group,
                                     clump_traffic *remote, clump_traffic *local,
                                     clump_error *error);

#endif
