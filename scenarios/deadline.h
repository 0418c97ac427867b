/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef CLUMP_SCENARIOS_DEADLINE_H
#define CLUMP_SCENARIOS_DEADLINE_H

/*
 * The processor time that a script and its rows may take on their thread (--max-seconds), as a watch of the model
 * (model/watch.h). The hook of the sandbox asks the same watch. Processor time, so that a busy machine
 * changes no result.
 */

#include "model/watch.h"

#include <stdbool.h>
#include <stddef.h>

typedef struct scenario_deadline {
    clump_watch watch;        /**< says stop once time is up, or `outer` says so */
    const clump_watch *outer; /**< who else watches over the run; may be NULL */
    double seconds;           /**< that may be taken */
    double begin_wall;        /**< the clock on the wall at the start, s */
    double begin;             /**< that of the processor; NAN: not looked at yet */
    size_t done,
        total;       /**< rows, for the progress that `outer` hears of; total 0: nothing is told */
    bool is_over;    /**< time was up at least once */
    bool is_stopped; /**< by `outer` */
} scenario_deadline;

/**
 * From now on. It must stay where it is while its watch is used.
 *
 * @param is_short  it is mostly over within microseconds: the clock of the processor, which is dear to read, is left alone
 *                  before it has taken a millisecond by the wall, and the time that was taken is not asked for
 */
void scenario_deadline_start(scenario_deadline *deadline, double seconds, const clump_watch *outer,
                             bool is_short);

/** Processor time since the start, s. */
double scenario_deadline_taken(const scenario_deadline *deadline);

#endif
