/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "scenarios/guard.h"

#include "scenarios/setup.h"

#include <math.h>

static int look(double share, void *context)
{
    const scenario_guard *guard = context;
    const double whole = guard->total > 0 ? (guard->done + share) / guard->total : NAN;
    return clump_watch_stops(guard->outer, whole);
}

static int afford(double nanoseconds, void *context)
{
    scenario_guard *guard = context;
    const double steps = nanoseconds / SCENARIO_NS_PER_STEP;
    bool granted = steps <= guard->left;
    if (guard->sandbox != NULL)
        granted = scenario_charge_quietly(guard->sandbox, steps);
    else if (granted)
        guard->left -= steps;
    guard->refused = guard->refused || !granted;
    return granted;
}

void scenario_guard_make(scenario_guard *guard, const clump_watch *outer, scenario_sandbox *sandbox,
                         double left)
{
    *guard = (scenario_guard){
        .watch = {look, afford, guard}, .outer = outer, .sandbox = sandbox, .left = left};
}

clump_status scenario_check_memory(double need, double left, clump_error *error)
{
    if (need <= left)
        return CLUMP_OK;
    return clump_fail(
        error, CLUMP_BAD_ARGUMENT,
        "this row takes some %.0f MiB of memory, and %.0f of those allowed are left; make "
        "it smaller, or raise the limit with --max-memory",
        ceil(need / 0x1p20), floor(fmax(left, 0) / 0x1p20));
}
