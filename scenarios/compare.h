/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef CLUMP_SCENARIOS_COMPARE_H
#define CLUMP_SCENARIOS_COMPARE_H

/*
 * compare_with = platform: the same program on two Clumps, the second of which is the basis (MODEL.md,
 * section 26). The program's time and utilization are those on the basis; how long it communicates on the first
 * follows from its traffic, or from communication_ratio. Recordings and collectives tell the times on both.
 */

#include "model/result.h"
#include "model/watch.h"
#include "scenarios/setup.h"

typedef struct scenario_comparison {
    scenario_point point;     /**< to be computed in place of the one given */
    scenario_profile profile; /**< where it points */
    scenario_profile other;   /**< the basis */
    clump_node other_node;    /**< of the basis */
    double utilization, other_utilization;
    double ratio; /**< communication over that with the NICs of the basis */
    double basis_utilization;
    double other_slowdown; /**< of the basis over its own NOW */
    double other_time;     /**< s on the basis; in an unknown unit if `unit` */
    double
        rest; /**< s on either NOW that is not communication, where processors differ; else NAN */
    bool measured; /**< other_time was measured */
    bool both;     /**< a recording, or collectives, tell the times on both */
    bool unit;
    size_t
        roots; /**< computations with which the basis takes as long as was measured; 1 if nothing was inverted */
    size_t root; /**< from 0, in rising order: which of them this is */
} scenario_comparison;

/** The other platform of a comparison while it is made. */
typedef struct scenario_basis {
    scenario_comparison *c;
    scenario_point point;
    scenario_setup setup;
    clump_prediction prediction;
    const clump_watch *watch;
} scenario_basis;

/** Predict the basis: its setup and its prediction. */
clump_status scenario_basis_predict(scenario_basis *basis, clump_error *error);

/** Fill in the comparison of a basis that was predicted with the setup of the point itself. */
void scenario_compare_both(const scenario_basis *basis, const scenario_setup *setup);

/** Whether the rows of a point are compared with another platform. */
static inline bool scenario_is_compared(const scenario_point *point)
{
    return point->profile->other != NULL;
}

/**
 * The setup of a point that is compared: that of the comparison's point, which takes its place. After an error
 * it is that of the point as far as it is known.
 *
 * @param root        which of the computations that explain a time measured on the basis, from 0; comparison->roots says how
 *                    many there are
 * @param comparison  must stay where it is while its point is used
 * @param watch       of what is computed
 * Errors: CLUMP_BAD_ARGUMENT, and those of the model.
 */
clump_status scenario_compare_set_up(const scenario_point *point, const clump_watch *watch,
                                     size_t root, scenario_comparison *comparison,
                                     scenario_setup *setup, clump_error *error);

/** What a row of the comparison's point says about both. */
void scenario_compare_row(const scenario_comparison *comparison, const scenario_setup *setup,
                          clump_result *row);

#endif
