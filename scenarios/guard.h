/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef CLUMP_SCENARIOS_GUARD_H
#define CLUMP_SCENARIOS_GUARD_H

/*
 * A call of the model is charged its price (scenario_predict_cost) before it begins. A guard is the watch (model/watch.h) of
 * such a call: it charges what the call takes beyond its price, and asks whoever watches over the run.
 */

#include "scenarios/sandbox.h"
#include "scenarios/setup.h"

typedef struct scenario_guard {
    clump_watch watch;
    const clump_watch *outer;  /* or NULL */
    scenario_sandbox *sandbox; /* whose steps are charged; NULL: steps are taken from `left` */
    double left;
    double done, total; /* rows, for the progress; the call computes one. total 0: nobody is told */
    bool refused;       /* there were too few steps */
} scenario_guard;

/** `guard` must stay where it is while its watch is used. */
void scenario_guard_make(scenario_guard *guard, const clump_watch *outer, scenario_sandbox *sandbox,
                         double left);

/**
 * Compute a point besides the one whose steps are charged.
 * @param limited  set where memory or steps are too few for it; the watch knows of the latter, too
 */
clump_status scenario_predict_guarded(const scenario_setup *setup, const scenario_point *point,
                                      double memory, bool *limited, clump_prediction *prediction,
                                      clump_error *error);

/** Whether `need` bytes are within those that are left. Errors: CLUMP_BAD_ARGUMENT. */
clump_status scenario_check_memory(double need, double left, clump_error *error);

#endif
