/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "reproductions/runs/application_pace.h"
#include "protocols/queue/process.h"

#include <errno.h>
#include <time.h>

enum {
    LEAST_NS = 100000,  /* shorter ones are not slept for: waking up takes half of it */
    HELD_UP_NS = 500000 /* who communicates for longer has waited for somebody */
};

static void sleep_until(uint64_t ns)
{
    const struct timespec at = {.tv_sec = (time_t)(ns / 1000000000u),
                                .tv_nsec = (long)(ns % 1000000000u)};
    while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &at, NULL) == EINTR)
        continue;
}

void clump_application_pace_work(struct clump_application_pace *p, double ns)
{
    p->owed_ns += ns;
}

void clump_application_pace_wait(struct clump_application_pace *p)
{
    if (!(p->owed_ns > 0))
        return;
    const double left = p->owed_ns - p->ahead_ns;
    const uint64_t due = p->free_ns + (uint64_t)(left > 0 ? left : 0);
    uint64_t now = clump_time_ns();
    if (due > now + LEAST_NS) {
        sleep_until(due);
        now = clump_time_ns();
    }
    /* In numbers that are as long ago as the work is long. */
    p->ahead_ns = (double)(now - p->free_ns) - left;
    if (p->ahead_ns > (double)p->latest_ns)
        p->latest_ns = (uint64_t)p->ahead_ns;
    p->owed_ns = 0;
    p->free_ns = now;
}

void clump_application_pace_free(struct clump_application_pace *p, uint64_t since_ns,
                                 uint64_t now_ns)
{
    p->free_ns = now_ns;
    if (now_ns - since_ns < HELD_UP_NS || p->ahead_ns <= 0)
        return;
    p->late_ns += (uint64_t)p->ahead_ns;
    p->ahead_ns = 0;
}
