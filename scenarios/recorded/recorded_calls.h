/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef CLUMP_SCENARIOS_RECORDED_RECORDED_CALLS_H
#define CLUMP_SCENARIOS_RECORDED_RECORDED_CALLS_H

/*
 * The stretch of calls that facts have (clump_facts_stretch), played again on nodes (recorded_play.h): for what was imported what
 * a folder's calls are for `recommend`.
 */

#include "scenarios/recorded/recorded_play.h"

/**
 * Sets program->calls_now_us, the time of the stretch on the NOW; 0 where there is none, or where its options ask for what calls
 * do not have: another clock than the processor's, transfers that take what they took, pieces of messages.
 * Errors: CLUMP_BAD_ARGUMENT for texts that are none; CLUMP_NO_MEMORY. Cost: that of a play.
 */
clump_status clump_recorded_calls_find(clump_recorded *program, clump_error *error);

/** Time of the whole program on the NOW, s: as many times that of the stretch as it is longer. There must be calls. */
double clump_recorded_calls_now_s(const clump_recorded *program);

/** The stretch, to be freed. Errors: those of clump_schedule_unpack. */
clump_status clump_recorded_calls_schedule(const clump_recorded *program, clump_schedule **schedule,
                                           clump_error *error);

/** Whether it can be played on such a node. */
bool clump_recorded_calls_are_for(const clump_recorded_placed *placed, const clump_node *node);

/**
 * As clump_recorded_predict(), by the calls alone; no demand is needed.
 * @param node  where a processor keeps as many NICs busy as its calls do, its max_nics_per_processor is 0
 * Errors: those of clump_recorded_play_on. Cost: that of a play.
 */
clump_status clump_recorded_calls_predict(const clump_recorded_placed *placed,
                                          const clump_node *node, double memory_penalty,
                                          clump_prediction *prediction, clump_error *error);

#endif
