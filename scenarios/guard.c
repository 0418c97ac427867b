/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "scenarios/guard.h"

#include "scenarios/row_cost.h"

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

clump_status scenario_predict_guarded(const scenario_setup *setup, const scenario_point *point,
                                      double memory, bool *limited, clump_prediction *prediction,
                                      clump_error *error)
{
    clump_status status = scenario_check_memory(scenario_setup_bytes(setup, point), memory, error);
    *limited = *limited || status != CLUMP_OK;
    if (status != CLUMP_OK)
        return status;
    if (!clump_watch_affords(setup->node.watch,
                             SCENARIO_NS_PER_STEP * scenario_setup_cost(setup, point)))
        return clump_fail(error, CLUMP_BAD_ARGUMENT, "too few steps");
    return scenario_setup_predict(setup, point, prediction, NULL, error);
}
