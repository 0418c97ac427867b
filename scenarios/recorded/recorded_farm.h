/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef CLUMP_SCENARIOS_RECORDED_RECORDED_FARM_H
#define CLUMP_SCENARIOS_RECORDED_RECORDED_FARM_H

/*
 * A master that hands out tasks to whoever is done first (MODEL.md 30, "Masters"). A recording has one order in which its workers came, and
 * what each of them did. On other nodes workers that are near to the master come more often: its tasks are given out anew there.
 *
 *     schedule -> clump_recorded_farm_find -> clump_recorded_farm_time, on any nodes -> clump_recorded_farm_free
 */

#include "model/loggp.h"
#include "model/node.h"
#include "model/simulation/schedule.h"

typedef struct clump_recorded_farm clump_recorded_farm;

/**
 * @param farm  receives NULL where the schedule is none: all messages are those of one rank with others, of whom each gets a message for
 *              each that it sends, in turn, mostly at once; and in another order than one after the other
 * Errors: CLUMP_NO_MEMORY. Cost: O(operations).
 */
clump_status clump_recorded_farm_find(const clump_schedule *schedule, clump_recorded_farm **farm,
                                      clump_error *error);
void clump_recorded_farm_free(clump_recorded_farm *farm);

/** The rank that hands out tasks. */
uint32_t clump_recorded_farm_master(const clump_recorded_farm *farm);

/**
 * us that all tasks take. NICs send and receive whole messages, first come first served.
 * @param memory_penalty  factor of computation
 * Errors: CLUMP_NO_MEMORY. Cost: four events a message.
 */
clump_status clump_recorded_farm_time(const clump_recorded_farm *farm, const clump_cluster *machine,
                                      clump_rank_order order, double memory_penalty, double *us,
                                      clump_error *error);

#endif
