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

/** From now on. It must stay where it is while its watch is used. */
void scenario_deadline_start(scenario_deadline *deadline, double seconds, const clump_watch *outer);

/** The same for a row, of which nobody asks how long it took: its time begins after a millisecond, since the clock of the
 *  processor takes longer to read than most rows to compute. */
void scenario_deadline_start_row(scenario_deadline *deadline, double seconds,
                                 const clump_watch *outer);

/** Processor time since the start, s. */
double scenario_deadline_taken(const scenario_deadline *deadline);

#endif
