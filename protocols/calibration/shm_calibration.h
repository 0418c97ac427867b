/* SPDX-License-Identifier: GPL-3.0-or-later */
/** Queues in shared memory between processes of this machine: `calibrate shm`. */
#ifndef CLUMP_PROTOCOLS_CALIBRATION_SHM_CALIBRATION_H
#define CLUMP_PROTOCOLS_CALIBRATION_SHM_CALIBRATION_H

#include "protocols/calibration/calibration.h"
#include "protocols/calibration/shm_stages.h"

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
