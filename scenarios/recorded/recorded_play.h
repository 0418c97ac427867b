/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef CLUMP_SCENARIOS_RECORDED_RECORDED_PLAY_H
#define CLUMP_SCENARIOS_RECORDED_RECORDED_PLAY_H

/*
 * The calls of a recording themselves, played again message by message on the nodes that are asked about (MODEL.md 30): which message
 * waits for which, and what is computed meanwhile, is in them, whatever the program is. The facts (recorded.h) know only sums of both.
 *
 *     a recording -> clump_recorded_schedule (recording/), clump_recorded -> clump_recorded_play_begin -> clump_recorded_play_on, any nodes
 */

#include "model/simulation/schedule.h"
#include "scenarios/recorded/recorded.h"

typedef struct clump_recorded_play {
    const clump_schedule *now; /**< for nodes of one rank */
    const clump_schedule *
        on_nodes; /**< for nodes of `processors`: another one where the library's algorithms look at nodes */
    size_t processors;
    const clump_recorded *program; /**< whose platform, library and order of ranks it is */
    double now_us; /**< its time on the NOW, which clump_recorded_play_begin finds */
    double events; /**< of that */
} clump_recorded_play;

/**
 * Play it on the NOW. The other members are set.
 * @param watch  may stop it; or NULL
 * Errors: those of clump_schedule_run; CLUMP_BAD_ARGUMENT where it takes no time. Cost: three events a message.
 */
clump_status clump_recorded_play_begin(clump_recorded_play *play, const clump_watch *watch,
                                       clump_error *error);

/**
 * Play it on nodes of play->processors.
 * @param node            its memory is no station; its watch may stop it
 * @param memory_penalty  time of computation on the node over the recorded one
 * @param prediction      `slowdown` and `slowest` are time over that on the NOW; utilizations of processors are CLUMP_RESULT_NONE
 * Errors: CLUMP_BAD_ARGUMENT for nodes of other processors or with memory that processors share; those of clump_schedule_run. Cost:
 * three events a message.
 */
clump_status clump_recorded_play_on(const clump_recorded_play *play, const clump_node *node,
                                    double memory_penalty, clump_prediction *prediction,
                                    clump_error *error);

#endif
