/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef CLUMP_SCENARIOS_SETUP_H
#define CLUMP_SCENARIOS_SETUP_H

#include "model/prediction.h"
#include "model/station.h"
#include "scenarios/plan.h"

/** A point in the terms of the model. */
typedef struct scenario_setup {
    clump_node node;
    clump_load load;                       /**< of the whole run, or what phases have in common */
    scenario_numbers utilizations;         /**< of the load */
    double utilization;                    /**< where load.utilizations points if there is one */
    double now_time;                       /**< s; NAN: not known */
    size_t nics;                           /**< as asked for: 0 is computed with an idle one */
    const scenario_application *phased;    /**< NULL unless the application has phases */
    const clump_recorded_placed *recorded; /**< NULL unless it was recorded */
    /** A processor keeps as many NICs busy as was recorded: nobody says more. */
    bool nics_as_recorded;
    /** NULL unless the application is described by these. Then: its computation and collectives on the NOW, us. */
    const scenario_collectives *collectives;
    double computation_us;
    scenario_collectives_time now_collectives;
    clump_efficiency_law law; /**< where node.efficiency points if it is a law */
    bool as_measured;         /**< processors, NICs and mapping are the platform's */
    size_t
        paced_group; /**< processors of the slowest group, where scenario_slowest has found it; 0 */
} scenario_setup;

/**
 * What the script said, or else the application, or else the platform. `setup` must stay where it
 * is. Errors: CLUMP_BAD_ARGUMENT with a message.
 */
clump_status scenario_setup_make(const scenario_point *point, scenario_setup *setup,
                                 clump_error *error);

/** The phases of a setup that has some, to be freed; NULL: no memory. `setup` as above, and as long as
 *  they are used. */
clump_phase *scenario_setup_phases(const scenario_setup *setup, const scenario_point *point);

/** Compute it. @param slowdowns  receives those of the processors if they differ, or NULL */
clump_status scenario_setup_predict(const scenario_setup *setup, const scenario_point *point,
                                    clump_prediction *prediction, double *slowdowns,
                                    clump_error *error);

/** The same at both ends of the interval of the gang size that was found in a recording.
 *  @return false: there is no such interval, or another demand was asked for */
bool scenario_setup_gang_interval(const scenario_setup *setup, const scenario_point *point,
                                  double gangs[2], double slowdowns[2]);

/** Steps that the point is worth, with all its phases; see scenario_cost. */
double scenario_setup_cost(const scenario_setup *setup, const scenario_point *point);

/** Load of phase `i`; `setup` as above, and as long as the load is used. */
clump_load scenario_setup_phase(const scenario_setup *setup, const scenario_point *point, size_t i);

/** Processors of the largest group that shares NICs. */
size_t scenario_largest_group(const clump_node *node);

/** Time of the model that counts as one step: about that of an instruction of a script. */
#define SCENARIO_NS_PER_STEP 10.0

/** Steps that a call of clump_predict counts as; an estimate, made before it. */
double scenario_cost(const clump_node *node, const clump_load *load);

/** Bytes that clump_predict takes while it runs, about. */
double scenario_predict_bytes(const clump_node *node, const clump_load *load);

/** Bytes that clump_simulate takes for the point: the more processors, the fewer replications. */
double scenario_simulation_bytes(const scenario_setup *setup);

/** The same for the point, of its most demanding phase. */
double scenario_setup_bytes(const scenario_setup *setup, const scenario_point *point);

#endif
