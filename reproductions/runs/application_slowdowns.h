/* SPDX-License-Identifier: GPL-3.0-or-later */
/**
 * A program on emulated Clumps and on their NOW: slowdowns, intervals, and whether to believe them.
 */
#ifndef CLUMP_REPRODUCTIONS_RUNS_APPLICATION_SLOWDOWNS_H
#define CLUMP_REPRODUCTIONS_RUNS_APPLICATION_SLOWDOWNS_H

#include "reproductions/runs/application_emulated.h"

typedef struct clump_application_comparison {
    clump_application_run *run;        /**< the program; receives the last run of the NOW */
    clump_application_machine machine; /**< `nics` and `now` are not looked at */
    size_t repetitions;                /**< 1 to CLUMP_EMULATED_MOST_RUNS */
    clump_emulated_result *results;
    size_t result_count;
    clump_emulated_runs now;
    /** Asked after each run whether its result is right; false: stop, with a message. May be NULL. */
    bool (*check)(const clump_application_run *run, void *context,
                  char message[CLUMP_CALIBRATION_MESSAGE_BYTES]);
    /** Told in between which share is done, and what runs now; true: stop. May be NULL. */
    bool (*watch)(double share, const char *what, void *context);
    void *context;
} clump_application_comparison;

/**
 * Run all: a repetition has one run of each Clump and one of the NOW, so that what changes with time
 * changes both. Errors: those of clump_application_run_emulated().
 */
clump_protocol_status clump_application_compare(clump_application_comparison *comparison,
                                                char message[CLUMP_CALIBRATION_MESSAGE_BYTES]);

#endif
