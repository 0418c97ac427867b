/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "scenarios/deadline.h"

#include <math.h>
#include <time.h>

static double clock_seconds(clockid_t clock)
{
    struct timespec now;
    if (clock_gettime(clock, &now) != 0)
        return 0;
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

double scenario_deadline_taken(const scenario_deadline *d)
{
    return clock_seconds(CLOCK_THREAD_CPUTIME_ID) - d->begin;
}

/* The clock of the processor is dear to read: what is short is timed by that on the wall, which is never behind. */
static const double short_time = 1e-3;

static int look(double share, void *context)
{
    scenario_deadline *d = context;
    const double whole = d->total > 0 ? ((double)d->done + share) / (double)d->total : NAN;
    const double elapsed = clock_seconds(CLOCK_MONOTONIC) - d->begin_wall;
    d->is_stopped = d->is_stopped || clump_watch_stops(d->outer, whole);
    if (isnan(d->begin) && elapsed > short_time)
        d->begin = clock_seconds(CLOCK_THREAD_CPUTIME_ID);
    if (!d->is_over && !isnan(d->begin) && elapsed >= d->seconds)
        d->is_over = scenario_deadline_taken(d) >= d->seconds;
    return d->is_over || d->is_stopped;
}

void scenario_deadline_start(scenario_deadline *d, double seconds, const clump_watch *outer)
{
    scenario_deadline_start_row(d, seconds, outer);
    d->begin = clock_seconds(CLOCK_THREAD_CPUTIME_ID);
}

void scenario_deadline_start_row(scenario_deadline *d, double seconds, const clump_watch *outer)
{
    *d = (scenario_deadline){.outer = outer,
                             .seconds = seconds,
                             .begin = NAN,
                             .begin_wall = clock_seconds(CLOCK_MONOTONIC)};
    d->watch = (clump_watch){.look = look, .context = d};
}
