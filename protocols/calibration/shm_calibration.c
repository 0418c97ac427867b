/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "protocols/calibration/shm_calibration.h"
#include "protocols/calibration/shm_parts.h"
#include "protocols/queue/queue.h"

#include <stdio.h>

static const struct {
    const char *name;
    clump_shm_function *run;
    double seconds_per_run; /* at effort 1, on two processors of 2023 */
} stages[CLUMP_SHM_STAGES] = {
    [CLUMP_SHM_LOGGP] = {"loggp", clump_shm_loggp, 0.020},
    [CLUMP_SHM_SIZES] = {"sizes", clump_shm_sizes, 0.020},
    [CLUMP_SHM_BREAKDOWN] = {"breakdown", clump_shm_breakdown, 0.008},
    [CLUMP_SHM_STRESS] = {"stress", clump_shm_stress, 0.02},
    [CLUMP_SHM_LENGTHS] = {"lengths", clump_shm_lengths, 0.10},
    [CLUMP_SHM_BACKOFF] = {"backoff", clump_shm_backoff, 0.15},
    [CLUMP_SHM_JOBS] = {"jobs", clump_shm_jobs, 0.10},
};

/* Seconds that the stage will take, about. */
static double seconds_of(const clump_calibration_plan *plan, unsigned stage)
{
    double seconds = stages[stage].seconds_per_run * plan->runs * plan->effort;
    if (stage == CLUMP_SHM_STRESS)
        seconds *= plan->processes - 1;
    return seconds + 0.1;
}

clump_protocol_status clump_shm_measure(const clump_calibration_plan *plan, clump_shm_stage stage,
                                        char message[CLUMP_CALIBRATION_MESSAGE_BYTES])
{
    clump_stage s = {.plan = plan, .message = message};
    if (!clump_stage_is_good(plan, message))
        return CLUMP_PROTOCOL_BAD_INPUT;
    if (plan->algorithm != NULL && clump_queue_algorithm_named(plan->algorithm) == NULL) {
        snprintf(message, CLUMP_CALIBRATION_MESSAGE_BYTES, "there is no queue algorithm \"%.30s\"",
                 plan->algorithm);
        return CLUMP_PROTOCOL_BAD_INPUT;
    }
    return clump_stage_end(&s, stages[stage].run(&s));
}

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
            c->estimate += (double)q->queue_count * seconds_of(&c->plan, i);
        }
    for (size_t queue = 0; queue < q->queue_count; queue++)
        for (unsigned i = 0; i < CLUMP_SHM_STAGES && status == CLUMP_CALIBRATION_OK; i++) {
            const clump_shm_stage stage = (clump_shm_stage)i;
            char name[80];
            if (!q->stages[i])
                continue;
            c->plan.algorithm = q->queues[queue];
            snprintf(name, sizeof name, "%s of queue %s", stages[i].name, c->plan.algorithm);
            status = clump_calibration_stage(c, name, seconds_of(&c->plan, i), run_stage, &stage);
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
