/* SPDX-License-Identifier: GPL-3.0-or-later */
/**
 * A program on emulated Clumps and on their NOW: slowdowns, intervals, and whether to believe them.
 */
#ifndef CLUMP_REPRODUCTIONS_RUNS_APPLICATION_SLOWDOWNS_H
#define CLUMP_REPRODUCTIONS_RUNS_APPLICATION_SLOWDOWNS_H

#include "protocols/emulation/emulated_trust.h"
#include "reproductions/runs/application_emulated.h"

/** Several runs of one machine. */
typedef struct clump_application_runs {
    double seconds[CLUMP_EMULATED_MOST_RUNS]; /**< each run's, of the slowest worker */
    double mean;
    clump_application_emulated worst; /**< of each number of its kind the greatest of all runs; what
                                           NICs sent: the last run's */
} clump_application_runs;

typedef struct clump_application_slowdown {
    unsigned nics; /**< set by the caller */
    clump_application_runs clump;
    double slowdown;   /**< mean of the repetitions: time on the Clump over that on the NOW */
    double half_width; /**< of its 95% interval; NAN with one repetition */
    char doubt[CLUMP_EMULATED_DOUBT]; /**< why not to believe it, or "" */
} clump_application_slowdown;

typedef struct clump_application_comparison {
    clump_application_run *run;        /**< the program; receives the last run of the NOW */
    clump_application_machine machine; /**< `nics` and `now` are not looked at */
    size_t repetitions;                /**< 1 to CLUMP_EMULATED_MOST_RUNS */
    clump_application_slowdown *results;
    size_t result_count;
    clump_application_runs now;
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
