/* SPDX-License-Identifier: GPL-3.0-or-later */
/**
 * Queues in shared memory between processes of this machine, measured as sections 5.3 and 6.4 of the thesis do: `calibrate shm`.
 */
#ifndef CLUMP_PROTOCOLS_CALIBRATION_SHM_CALIBRATION_H
#define CLUMP_PROTOCOLS_CALIBRATION_SHM_CALIBRATION_H

#include "protocols/calibration/calibration.h"

/** The order is that in which a calibration runs them. */
typedef enum clump_shm_stage {
    CLUMP_SHM_LOGGP,     /**< round trip, o_s, o_r, gap, poll cost (5.3.1); 2 processes */
    CLUMP_SHM_SIZES,     /**< the same over message sizes, and G from 512 kB in 8 kB pieces */
    CLUMP_SHM_BREAKDOWN, /**< send overhead, a component at a time (6.4.1) */
    CLUMP_SHM_STRESS,    /**< 1 to N writers, one receiver (5.3.2) */
    CLUMP_SHM_LENGTHS,   /**< packets and bulk blocks in a queue (6.2.2) */
    CLUMP_SHM_BACKOFF,   /**< delay from which a waiting sender yields (6.2.1) */
    CLUMP_SHM_JOBS,      /**< 2 and 3 jobs at once, and sequential competitors (6.3.5) */
    CLUMP_SHM_STAGES
} clump_shm_stage;

/**
 * Run a stage. BAD_INPUT: the plan cannot be used; TIMED_OUT: a callback asked to stop, and nothing
 * of the stage was handed out (watch) or no more (sample); FAILED and others: a process of the
 * stage died or could not be made. `message` receives what happened.
 */
clump_protocol_status clump_shm_measure(const clump_calibration_plan *plan, clump_shm_stage stage,
                                        char message[CLUMP_CALIBRATION_MESSAGE_BYTES]);

enum { CLUMP_SHM_QUEUES = 32 };

/** `own` of the calibration; processes, runs and effort are in its plan. */
typedef struct clump_shm_question {
    bool stages[CLUMP_SHM_STAGES];
    const char *queues[CLUMP_SHM_QUEUES];
    size_t queue_count;
    bool compare; /**< with the thesis's figures */
} clump_shm_question;

extern const clump_calibration_kind clump_calibration_shm;

#endif
