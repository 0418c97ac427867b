/* SPDX-License-Identifier: GPL-3.0-or-later */
/**
 * What is measured of queues in shared memory, as sections 5.3 and 6.4 of the thesis do.
 */
#ifndef CLUMP_PROTOCOLS_CALIBRATION_SHM_STAGES_H
#define CLUMP_PROTOCOLS_CALIBRATION_SHM_STAGES_H

#include "protocols/calibration/stage.h"

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

/** A word: "loggp", "sizes"...; NULL past the last. */
const char *clump_shm_stage_name(unsigned stage);

/**
 * Run a stage. BAD_INPUT: the plan cannot be used; TIMED_OUT: a callback asked to stop, and nothing
 * of the stage was handed out (watch) or no more (sample); FAILED and others: a process of the
 * stage died or could not be made. `message` receives what happened.
 */
clump_protocol_status clump_shm_measure(const clump_calibration_plan *plan, clump_shm_stage stage,
                                        char message[CLUMP_CALIBRATION_MESSAGE_BYTES]);

/** Seconds that the stage will take, about. */
double clump_shm_seconds(const clump_calibration_plan *plan, clump_shm_stage stage);

#endif
