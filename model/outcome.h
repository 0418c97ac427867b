/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef CLUMP_MODEL_OUTCOME_H
#define CLUMP_MODEL_OUTCOME_H

/*
 * Internal to model/. What becomes of one group of processors and its station, by the kind of
 * demand; the place where the solvers are chosen.
 */

#include "model/classes.h"
#include "model/prediction.h"

typedef struct model_outcome {
    double slowdown; /**< X of a class */
    double active; /**< share of its time in which it uses NICs; NAN where that is not determined */
    double served; /**< NIC service it receives per unit of time, NICs */
} model_outcome;

/** One class of processors. Cost: that of the solver. */
clump_status model_outcome_uniform(const clump_load *load, double utilization, size_t processors,
                                   const clump_station *station, model_outcome *outcome,
                                   clump_error *error);

/**
 * Several classes, in ascending order; or one, if its distribution is wanted.
 *
 * @param outcomes      one a class
 * @param distribution  P+1 values, or NULL; independent demand only
 */
clump_status model_outcome_classes(const clump_load *load, const clump_class *classes,
                                   size_t class_count, const clump_station *station,
                                   model_outcome *outcomes, double *distribution,
                                   clump_error *error);

#endif
