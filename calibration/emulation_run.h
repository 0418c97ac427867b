/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef EMULATION_RUN_H
#define EMULATION_RUN_H

/*
 * One Clump and its NOW: random times are drawn, both are emulated, and the exact engine predicts
 * what was measured from the utilization of the NOW.
 */

#include "calibration/emulation/summary.h"
#include "calibration/emulation_question.h"

/**
 * With these the NICs still count as the bottleneck: each moves a slowdown by about as much at
 * most.
 */
#define CLUMP_EMULATION_MOST_LATE 0.02      /**< of the mean message */
#define CLUMP_EMULATION_MOST_DEVIATION 0.01 /**< of messages alone */
#define CLUMP_EMULATION_MOST_SLOW 0.02      /**< of the rate of NICs in use */
#define CLUMP_EMULATION_MOST_STARVED 0.01   /**< of all messages */

typedef struct clump_emulation_result {
    clump_emulation_point point;
    clump_emulation_summary summary;
    size_t cycles; /**< of each processor, warm-up included */
    double predicted;
    double each[CLUMP_EMULATION_MOST_PROCESSORS]; /**< predicted */
    double seconds, machine_busy, machine_taken;
    bool real_time, user_namespace;
    char doubt[200]; /**< why the NICs were not the bottleneck; "": they were */
} clump_emulation_result;

/** Half width of the 95% interval; the prediction's error, relative to what was measured. */
double clump_emulation_half_width(const clump_emulation_ratio *ratio);
double clump_emulation_error(double predicted, const clump_emulation_ratio *ratio);

/** What one processor alone and two together do with a NIC. */
typedef struct clump_emulation_check {
    double rate;                    /**< of one, share of what was set */
    double least_share, most_share; /**< of two that begin at the same moment; NAN with fifo */
} clump_emulation_check;

/** Who waits meanwhile. */
typedef struct clump_emulation_watcher {
    bool (*watch)(double share, void *context); /**< true: stop */
    void *context;
} clump_emulation_watcher;

/** Seconds that a point will take, about; of the check. */
double clump_emulation_estimate(const clump_emulation_question *question,
                                const clump_emulation_point *point);
double clump_emulation_check_estimate(void);

/** Complain and return the exit code unless all went well; the same for the check. */
int clump_emulation_measure(const char *command, const clump_emulation_question *question,
                            const clump_emulation_point *point,
                            const clump_emulation_watcher *watcher, clump_emulation_result *result);
int clump_emulation_run_check(const char *command, const clump_emulation_question *question,
                              const clump_emulation_watcher *watcher, clump_emulation_check *check);

#endif
