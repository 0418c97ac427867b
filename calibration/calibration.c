/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "calibration/calibration.h"
#include "calibration/calibration_stage.h"
#include "protocols/queue/queue.h"

#include <stdio.h>
#include <string.h>

static const struct {
    const char *name;
    clump_protocol_status (*run)(struct clump_calibration *c);
    double seconds_per_run; /* at effort 1, on two processors of 2023 */
} stages[CLUMP_CALIBRATION_STAGES] = {
    [CLUMP_CALIBRATION_LOGGP] = {"loggp", clump_calibrate_loggp, 0.020},
    [CLUMP_CALIBRATION_SIZES] = {"sizes", clump_calibrate_sizes, 0.020},
    [CLUMP_CALIBRATION_BREAKDOWN] = {"breakdown", clump_calibrate_breakdown, 0.008},
    [CLUMP_CALIBRATION_STRESS] = {"stress", clump_calibrate_stress, 0.02},
    [CLUMP_CALIBRATION_LENGTHS] = {"lengths", clump_calibrate_lengths, 0.10},
    [CLUMP_CALIBRATION_BACKOFF] = {"backoff", clump_calibrate_backoff, 0.15},
    [CLUMP_CALIBRATION_JOBS] = {"jobs", clump_calibrate_jobs, 0.10},
};

const char *clump_calibration_stage_name(unsigned stage)
{
    return stage < CLUMP_CALIBRATION_STAGES ? stages[stage].name : NULL;
}

unsigned clump_calibration_processors(void)
{
    return clump_team_processors();
}

double clump_calibration_estimate(const clump_calibration_plan *plan, clump_calibration_stage stage)
{
    double seconds = stages[stage].seconds_per_run * plan->runs * plan->effort;
    if (stage == CLUMP_CALIBRATION_STRESS)
        seconds *= plan->processes - 1;
    return seconds + 0.1;
}

/** Whether the way between the processes is one that the stage measures. */
static bool knows_way(const clump_calibration_plan *plan, clump_calibration_stage stage)
{
    const bool any = stage == CLUMP_CALIBRATION_LOGGP || stage == CLUMP_CALIBRATION_SIZES ||
                     stage == CLUMP_CALIBRATION_STRESS;
    return any || !plan->network || plan->per_machine == 0;
}

clump_protocol_status clump_calibration_run(const clump_calibration_plan *plan,
                                            clump_calibration_stage stage,
                                            char message[CLUMP_CALIBRATION_MESSAGE_BYTES])
{
    struct clump_calibration c = {.plan = plan, .message = message};
    message[0] = '\0';
    if ((unsigned)stage >= CLUMP_CALIBRATION_STAGES || plan->processes < 2 ||
        plan->processes > CLUMP_TEAM_MOST || plan->runs < 2 || plan->runs > 1000 ||
        plan->effort < 1 || plan->effort > 100 || plan->sample == NULL) {
        snprintf(message, CLUMP_CALIBRATION_MESSAGE_BYTES,
                 "stage %u, %u processes, %u runs, effort %u: expected a stage below %d, 2 to %d "
                 "processes, 2 to 1000 runs, an effort of 1 to 100, and a callback",
                 (unsigned)stage, plan->processes, plan->runs, plan->effort,
                 (int)CLUMP_CALIBRATION_STAGES, (int)CLUMP_TEAM_MOST);
        return CLUMP_PROTOCOL_BAD_INPUT;
    }
    if (plan->algorithm != NULL && clump_queue_algorithm_named(plan->algorithm) == NULL) {
        snprintf(message, CLUMP_CALIBRATION_MESSAGE_BYTES, "there is no queue algorithm \"%.30s\"",
                 plan->algorithm);
        return CLUMP_PROTOCOL_BAD_INPUT;
    }
    if (!knows_way(plan, stage)) {
        snprintf(message, CLUMP_CALIBRATION_MESSAGE_BYTES,
                 "stage %s measures queues in shared memory, not the network", stages[stage].name);
        return CLUMP_PROTOCOL_BAD_INPUT;
    }
    const clump_protocol_status status = stages[stage].run(&c);
    if (status == CLUMP_PROTOCOL_OK && c.stopped) {
        snprintf(message, CLUMP_CALIBRATION_MESSAGE_BYTES, "stopped");
        return CLUMP_PROTOCOL_TIMED_OUT;
    }
    return status;
}

static bool watch_share(double share, void *context)
{
    struct clump_calibration *c = context;
    return c->plan->watch != NULL &&
           c->plan->watch(c->done + c->weight * (share < 1 ? share : 1), c->plan->context);
}

clump_protocol_status clump_calibration_team(struct clump_calibration *c,
                                             struct clump_team_options *options, double share,
                                             void (*work)(struct clump_team_member *member),
                                             double *results)
{
    options->endpoint.algorithm = c->plan->algorithm;
    if (c->plan->network) {
        options->endpoint.listen = "127.0.0.1:0";
        options->endpoint.carrier = c->plan->carrier;
        options->endpoint.polling = c->plan->polling;
        options->endpoint.polling_parameters = c->plan->polling_parameters;
        options->per_machine = c->plan->per_machine;
    }
    options->watch = watch_share;
    options->context = c;
    c->weight = share;
    const clump_protocol_status status = clump_team_run(options, work, results, c->message);
    c->done += share;
    return status;
}

void clump_calibration_give(struct clump_calibration *c, clump_calibration_sample sample)
{
    if (sample.setting == NULL)
        sample.setting = "";
    if (!c->stopped)
        c->stopped = c->plan->sample(&sample, c->plan->context);
}

/* ---- measuring */

double clump_calibration_clock_ns(void)
{
    enum { READINGS = 2000 };
    const uint64_t began = clump_time_ns();
    for (int i = 0; i < READINGS - 1; i++)
        clump_time_ns();
    return (double)(clump_time_ns() - began) / READINGS;
}

double clump_calibration_per_message(uint64_t began_ns, double clock_ns, uint64_t messages)
{
    return ((double)(clump_time_ns() - began_ns) - clock_ns) / 1000 / (double)messages;
}

void clump_calibration_delay(uint64_t turns)
{
    for (uint64_t i = 0; i < turns; i++)
        __asm__ volatile("" : "+r"(i)); /* kept, and nothing else */
}

uint64_t clump_calibration_turns(double us)
{
    enum { TRY = 200000 };
    uint64_t best = UINT64_MAX;
    for (int i = 0; i < 5; i++) {
        const uint64_t began = clump_time_ns();
        clump_calibration_delay(TRY);
        const uint64_t took = clump_time_ns() - began;
        best = took < best ? took : best;
    }
    return (uint64_t)(us * 1000 * TRY / (double)(best > 0 ? best : 1)) + 1;
}
