/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "protocols/calibration/shm_stages.h"
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

const char *clump_shm_stage_name(unsigned stage)
{
    return stage < CLUMP_SHM_STAGES ? stages[stage].name : NULL;
}

double clump_shm_seconds(const clump_calibration_plan *plan, clump_shm_stage stage)
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
