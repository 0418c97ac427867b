/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef CLUMP_SCENARIOS_SLOWEST_GROUP_H
#define CLUMP_SCENARIOS_SLOWEST_GROUP_H

/*
 * A program that synchronizes, and whose processors differ, takes as long as the last of them: on the NOW, and on the node
 * (MODEL.md, section 25).
 */

#include "scenarios/setup.h"

/** Whether processors wait for each other: barriers, or all of a node communicate at once. */
bool scenario_synchronizes(const scenario_point *point, const scenario_setup *setup);

/** Whether the traffic of a program that synchronizes differs from processor to processor. */
bool scenario_has_slowest(const scenario_point *point, const scenario_setup *setup);

/** X by which a point is judged: of the slowest where processors wait for each other. */
double scenario_pace(const scenario_point *point, const scenario_setup *setup,
                     const clump_prediction *prediction);

/**
 * Let a prediction's `slowest` be that of the last processor, where processors wait for each other and differ: in their
 * traffic, their utilizations, or in what they share with how many others. Else nothing changes.
 *
 * @param rest        s of the time on the NOW that is not communication; NAN: as the profile tells
 * @param setup       of the point; its now_time becomes that of the slowest processor on the NOW
 * @param prediction  of the mean
 */
clump_status scenario_slowest(const scenario_point *point, double rest, scenario_setup *setup,
                              clump_prediction *prediction, clump_error *error);

/** What is not communication of the time on the NOW that the profile gives for its slowest processor, s. */
clump_status scenario_slowest_rest(const scenario_point *point, const scenario_setup *setup,
                                   double *rest, clump_error *error);

#endif
