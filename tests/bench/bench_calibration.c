/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What calibrations measure, beside what it cannot be: a message moves at least a cache line, a poll
 * that finds something costs less than a message, more bytes take longer, a delay is at least as long
 * as it was meant, and the network goes through the kernel. On a busy machine none of that need hold.
 */
#include "protocols/calibration/shm_stages.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { RUNS = 3, MOST = 4000 };

static struct {
    clump_calibration_sample samples[MOST];
    size_t count;
} kept;

static bool keep(const clump_calibration_sample *sample, void *context)
{
    (void)context;
    if (kept.count < MOST)
        kept.samples[kept.count++] = *sample;
    return false;
}

/** Smallest value of a quantity, us, of one size or (-1) of none. */
static double least(clump_quantity quantity, int64_t size)
{
    double value = INFINITY;
    for (size_t i = 0; i < kept.count; i++)
        if (kept.samples[i].quantity == quantity && kept.samples[i].size_bytes == size)
            value = fmin(value, kept.samples[i].value);
    return value;
}

static bool measure(clump_calibration_plan plan, clump_shm_stage stage)
{
    char message[CLUMP_CALIBRATION_MESSAGE_BYTES];
    kept.count = 0;
    plan.processes = 2;
    plan.runs = RUNS;
    plan.effort = 1;
    plan.sample = keep;
    if (clump_shm_measure(&plan, stage, message) == CLUMP_PROTOCOL_OK)
        return true;
    printf("stage %s: %s\n", clump_shm_stage_name(stage), message);
    return false;
}

static int missed;

static void expect(const char *what, double value, double at_least)
{
    const bool fine = value >= at_least;
    printf("%-52s %9.3f us, at least %9.3f%s\n", what, value, at_least, fine ? "" : "  MISSED");
    missed += !fine;
}

int main(void)
{
    static const char *const algorithms[] = {"lock-free", "lock-free-fifo", "mutex", "swap-list"};
    double trip = 0, send = 0;
    for (unsigned a = 0; a < 4; a++) {
        if (!measure((clump_calibration_plan){.algorithm = algorithms[a]}, CLUMP_SHM_LOGGP))
            return 1;
        printf("%s:\n", algorithms[a]);
        const double half = least(CLUMP_QUANTITY_HALF_ROUND_TRIP, 32);
        /* The time of a line can change by a factor of 4 under way. */
        expect("half a round trip, and a line", half,
               0.2 * least(CLUMP_QUANTITY_LINE_TRANSFER, -1));
        expect("half a round trip, and a poll", half, least(CLUMP_QUANTITY_POLL_COST, -1));
        if (a == 0) {
            trip = half;
            send = least(CLUMP_QUANTITY_SEND_TIME, 32);
        }
        double holds = 0; /* in one run at least the machine did both at the same speed */
        for (size_t i = 0; i < kept.count; i++)
            if (strcmp(kept.samples[i].setting, "with the delay") == 0)
                holds = fmax(holds, kept.samples[i].value / kept.samples[i].delay_us);
        expect("a send with a delay, in delays", holds, 0.9);
    }
    if (!measure((clump_calibration_plan){0}, CLUMP_SHM_SIZES))
        return 1;
    expect("half a round trip of 8192 B, and of 8 B", least(CLUMP_QUANTITY_HALF_ROUND_TRIP, 8192),
           least(CLUMP_QUANTITY_HALF_ROUND_TRIP, 8));
    if (!measure(
            (clump_calibration_plan){
                .network = true, .per_machine = 1, .carrier = "am2", .polling = "always"},
            CLUMP_SHM_LOGGP))
        return 1;
    expect("half a round trip over UDP, and twice shared memory",
           least(CLUMP_QUANTITY_HALF_ROUND_TRIP, 32), 2 * trip);
    expect("a send over UDP, and twice shared memory", least(CLUMP_QUANTITY_SEND_TIME, 32),
           2 * send);
    return missed > 0;
}
