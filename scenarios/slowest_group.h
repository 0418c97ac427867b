/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef CLUMP_SCENARIOS_SLOWEST_GROUP_H
#define CLUMP_SCENARIOS_SLOWEST_GROUP_H

/*
 * A program that synchronizes, and whose traffic differs from processor to processor, takes as long
 * as the slowest: of its processors on the NOW, of the groups that share NICs on the node.
 */

#include "scenarios/setup.h"

/** Whether processors wait for each other: barriers, or all of a node communicate at once. */
bool scenario_synchronizes(const scenario_point *point, const scenario_setup *setup);

/** Whether the slowest of a point has to be computed besides the mean. */
bool scenario_has_slowest(const scenario_point *point, const scenario_setup *setup);

/** Whether the store tells that some NIC of a point has more to do than others, for which all wait. */
bool scenario_has_busiest(const scenario_point *point, const scenario_setup *setup);

/** Add to the slowest of a prediction how much longer it waits at the NIC that has most to do than it would if all NICs
 *  had the same (MODEL.md, section 18); nothing if they have. */
void scenario_wait_for_busiest(const scenario_point *point, const scenario_setup *setup,
                               clump_prediction *prediction);

/** Put the traffic of the slowest group of those that share NICs into the profile. */
clump_status scenario_slowest_traffic(const scenario_setup *setup, scenario_profile *profile,
                                      clump_error *error);

/** Put that of the slowest processor into it. */
clump_status scenario_slowest_alone(const scenario_setup *setup, scenario_profile *profile,
                                    clump_error *error);

/**
 * @param setup       of the point; its now_time becomes that of the slowest processor on the NOW
 * @param prediction  of the mean; its `slowest` becomes that of the slowest group
 */
clump_status scenario_slowest(const scenario_point *point, scenario_setup *setup,
                              clump_prediction *prediction, clump_error *error);

#endif
