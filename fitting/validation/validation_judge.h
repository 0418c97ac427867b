/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef CLUMP_FITTING_VALIDATION_VALIDATION_JUDGE_H
#define CLUMP_FITTING_VALIDATION_VALIDATION_JUDGE_H

/*
 * Internal to fitting/validation/: constants that are fitted to other data sets, and intervals from
 * the errors of other data sets (MODEL.md 18).
 */

#include "fitting/validation/validation.h"

/** All NAN. */
clump_validation_outcome validation_no_outcome(void);

/**
 * Predict all runs that have facts, each with constants that were fitted without its family of data
 * sets, and give the predictions intervals from the errors of the other families. Also fills in
 * `constants` and `changes`, which are of all rows.
 */
clump_status validation_judge(clump_validation *all, clump_error *error);

/** Choose for each run the variant that has the least error on the families of the others; none if
 *  there are no others. */
void validation_choose(clump_validation *all);

/** Give an outcome its interval. */
void validation_set_interval(const clump_model_error *wrong, clump_validation_outcome *outcome);

/** One row of what the error of a model is estimated from. */
typedef struct validation_residual {
    double value;  /**< log(measured/predicted) */
    size_t family; /**< of data sets */
    clump_change change;
} validation_residual;

/**
 * The error that the residuals of other families tell for a kind of change.
 * @param left_out  a family whose residuals do not count; SIZE_MAX: all count
 */
clump_model_error validation_model_error(const validation_residual *residuals, size_t count,
                                         clump_change change, size_t left_out);

#endif
