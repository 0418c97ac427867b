/* SPDX-License-Identifier: GPL-3.0-or-later */
/** The stages of shm_calibration.h, each where it says. Internal. */
#ifndef CLUMP_PROTOCOLS_CALIBRATION_SHM_PARTS_H
#define CLUMP_PROTOCOLS_CALIBRATION_SHM_PARTS_H

#include "protocols/calibration/stage.h"

typedef clump_protocol_status clump_shm_function(clump_stage *stage);

/* shm_pair.c */
clump_shm_function clump_shm_loggp;
clump_shm_function clump_shm_sizes;
/* shm_breakdown.c */
clump_shm_function clump_shm_breakdown;
/* shm_crowd.c */
clump_shm_function clump_shm_stress;
clump_shm_function clump_shm_lengths;
clump_shm_function clump_shm_backoff;
clump_shm_function clump_shm_jobs;

#endif
