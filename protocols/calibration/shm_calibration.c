/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "protocols/calibration/shm_calibration.h"

#include <stdio.h>

static clump_protocol_status run_stage(const clump_calibration_plan *plan, const void *context,
                                       char *message)
{
    return clump_shm_measure(plan, *(const clump_shm_stage *)context, message);
}

/* All stages of all queues, until one fails. */
static clump_calibration_status run(clump_calibration *c)
{
    const clump_shm_question *q = c->own;
    clump_calibration_status status = clump_calibration_open(c);
    if (status != CLUMP_CALIBRATION_OK)
        return status;
    clump_calibration_warn_host(c, c->plan.processes);
    for (unsigned i = 0; i < CLUMP_SHM_STAGES; i++)
        if (q->stages[i]) {
            c->stages_all += q->queue_count;
            c->estimate += (double)q->queue_count * clump_shm_seconds(&c->plan, (clump_shm_stage)i);
        }
    for (size_t queue = 0; queue < q->queue_count; queue++)
        for (unsigned i = 0; i < CLUMP_SHM_STAGES && status == CLUMP_CALIBRATION_OK; i++) {
            const clump_shm_stage stage = (clump_shm_stage)i;
            char name[80];
            if (!q->stages[i])
                continue;
            c->plan.algorithm = q->queues[queue];
            snprintf(name, sizeof name, "%s of queue %s", clump_shm_stage_name(i),
                     c->plan.algorithm);
            status = clump_calibration_stage(c, name, clump_shm_seconds(&c->plan, stage), run_stage,
                                             &stage);
        }
    return status;
}

static clump_calibration_status derive(clump_calibration *c)
{
    const clump_shm_question *q = c->own;
    const clump_calibration_status status = clump_calibration_derive_loggp(c);
    if (status != CLUMP_CALIBRATION_OK || !q->compare)
        return status;
    const clump_store_status compared = clump_calibration_compare(c->store.store, &c->results);
    return compared == CLUMP_STORE_OK ? status : clump_calibration_fail_store(c, compared);
}

const clump_calibration_kind clump_calibration_shm = {
    .name = "calibrate shm",
    .title = "Shared-memory protocol",
    .transport = "shared-memory",
    .keeps_parts = true,
    .run = run,
    .derive = derive,
};
