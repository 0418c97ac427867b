/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef CLUMP_SCENARIOS_RECORDED_RECORDED_FARM_H
#define CLUMP_SCENARIOS_RECORDED_RECORDED_FARM_H

/*
 * A recorded master that hands out tasks to whoever is done first (MODEL.md 30, "Masters"). A recording has one order in which its workers
 * came, and what each of them did. On other nodes workers that are near to the master come more often: its tasks are given out anew there.
 *
 *     schedule -> clump_recorded_farm_find -> clump_task_farm_run, on any nodes -> clump_recorded_farm_free
 */

#include "model/simulation/task_farm.h"

/**
 * @param farm  receives NULL where the schedule is none: all messages are those of one rank with others, of whom each gets a message for
 *              each that it sends, in turn, mostly at once; and in another order than one after the other
 * Errors: CLUMP_NO_MEMORY. Cost: O(operations).
 */
clump_status clump_recorded_farm_find(const clump_schedule *schedule, clump_task_farm **farm,
                                      clump_error *error);
void clump_recorded_farm_free(clump_task_farm *farm);

#endif
