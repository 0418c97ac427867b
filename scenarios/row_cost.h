/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef CLUMP_SCENARIOS_ROW_COST_H
#define CLUMP_SCENARIOS_ROW_COST_H

/*
 * What a row will cost, in steps and in bytes, estimated before it is computed: for limits and progress.
 * No result depends on it, only where a limit strikes.
 */

#include "scenarios/setup.h"

/** Time of the model that counts as one step, ns: about that of an instruction of a script. */
#define SCENARIO_NS_PER_STEP 10.0

/** Steps that a call of clump_predict counts as. */
double scenario_predict_cost(const clump_node *node, const clump_load *load);

/** Steps of a point: of all its phases, or of what its recording or its collectives take. */
double scenario_setup_cost(const scenario_setup *setup, const scenario_point *point);

/** Bytes that clump_predict takes while it runs. */
double scenario_predict_bytes(const clump_node *node, const clump_load *load);

/** Bytes that predicting a point takes: those of its most demanding phase, since each gives back what it took. */
double scenario_setup_bytes(const scenario_setup *setup, const scenario_point *point);

/** Bytes that clump_simulate takes for a point: the more processors, the fewer replications at a time. */
double scenario_simulation_bytes(const scenario_setup *setup);

#endif
