/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef CLUMP_SCENARIOS_FITTED_H
#define CLUMP_SCENARIOS_FITTED_H

/*
 * Applications that `clumpmodel fit slowdown` described: what was fitted is used wherever the
 * script does not say otherwise, and rows beyond what it was fitted to are counted.
 */

#include "model/efficiency.h"
#include "scenarios/setup.h"

/** One time of the fit. NAN: that of the fit. */
typedef struct scenario_fitted_run {
    const char *platform; /**< "" for none */
    size_t processors, nics;
    clump_mapping mapping;
    double utilization, remote_fraction, cost_ratio, waiting_fraction;
    double now_time, measured_time, relative_error;
} scenario_fitted_run;

typedef struct scenario_fitted {
    double utilization, remote_fraction, cost_ratio, waiting_fraction; /**< NAN: those of runs */
    scenario_demand demand;
    clump_efficiency_law law;
    const scenario_fitted_run *runs;
    size_t run_count;
} scenario_fitted;

/** If the store has a fit of this application, make it one that is described so. */
void scenario_fitted_find(lua_State *L, clump_store *store, scenario_application *application);

/** Fill in the profile of a fitted application, for its platform if there is one. */
void scenario_fitted_profile(lua_State *L, scenario_profile *profile);

/** What follows from numbers of processors and NICs; after all else of the setup. */
clump_status scenario_fitted_setup(const scenario_point *point, scenario_setup *setup,
                                   clump_error *error);

/** Rows beyond what their application was fitted to; start with all zero. */
enum { SCENARIO_FITTED_WATCHED = 16 };
typedef struct scenario_fitted_watch {
    const scenario_application *applications[SCENARIO_FITTED_WATCHED];
    size_t outside[SCENARIO_FITTED_WATCHED];
    size_t count;
} scenario_fitted_watch;

/** Look at a row. */
void scenario_fitted_note(scenario_fitted_watch *watch, const scenario_point *point,
                          const scenario_setup *setup);

/** A line about one of the applications, of `i` below watch->count: "...: 3 rows are outside". */
#define SCENARIO_FITTED_LINE 400
void scenario_fitted_tell(const scenario_fitted_watch *watch, size_t i,
                          char line[SCENARIO_FITTED_LINE]);

#endif
