/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef CLUMP_SCENARIOS_SETUP_H
#define CLUMP_SCENARIOS_SETUP_H

#include "model/prediction.h"
#include "model/station.h"
#include "scenarios/point.h"

/** A point in the terms of the model. */
typedef struct scenario_setup {
    clump_node node;
    clump_load load;                    /**< of the whole run, or what phases have in common */
    scenario_numbers utilizations;      /**< of the load */
    double utilization;                 /**< where load.utilizations points if there is one */
    double now_time;                    /**< s; NAN: not known */
    size_t nics;                        /**< as asked for: 0 is computed with an idle one */
    const scenario_application *phased; /**< NULL unless the application has phases */
    clump_recorded_placed recorded;     /**< `schedule` NULL unless it was recorded */
    /** NULL unless the application is described by these. Then: its computation and collectives on the NOW, us. */
    const scenario_collectives *collectives;
    double computation_us;
    scenario_collectives_time now_collectives;
    clump_efficiency_law law; /**< where node.efficiency points if it is a law */
    bool as_measured;         /**< processors, NICs and mapping are the platform's */
    /** Processors that share NICs with the last one, where scenario_slowest has found it; 0. */
    size_t slowest_group;
    size_t last_processor; /**< which that is, from 1, node by node; 0: not known */
} scenario_setup;

/**
 * Set a point up: each value is the script's, or else the application's, or else the platform's.
 *
 * @param setup  must stay where it is: it points into itself. After an error it holds node and load as far
 *               as they are known
 * Errors: CLUMP_BAD_ARGUMENT with a message.
 */
clump_status scenario_setup_make(const scenario_point *point, scenario_setup *setup,
                                 clump_error *error);

/** The phases of a setup that has some, to be freed; NULL: no memory. `setup` as above, and as long as
 *  they are used. */
clump_phase *scenario_setup_phases(const scenario_setup *setup, const scenario_point *point);

/**
 * Predict a point: from what was recorded, from its collectives, phase by phase or as one load.
 *
 * @param slowdowns  receives a slowdown for each utilization if there are several; or NULL
 * Errors: those of the model.
 */
clump_status scenario_setup_predict(const scenario_setup *setup, const scenario_point *point,
                                    clump_prediction *prediction, double *slowdowns,
                                    clump_error *error);

/** Load of phase `i`; `setup` as above, and as long as the load is used. */
clump_load scenario_setup_phase(const scenario_setup *setup, const scenario_point *point, size_t i);

/** Processors of the largest group that shares NICs: all of a node if they are pooled. */
size_t scenario_largest_group(const clump_node *node);

#endif
