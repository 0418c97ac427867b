/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef CLUMP_FITTING_RESAMPLE_H
#define CLUMP_FITTING_RESAMPLE_H

/*
 * Bootstrap of a robust fit. Each resample is solved by one step from the estimate with its own
 * sums of scores (Salibian-Barrera, Zamar, "Bootstrapping robust estimates of regression", 2002):
 * what has no weight in the fit has none in a resample, so that outliers cannot pile up in one.
 */

#include "model/status.h"

#include <stddef.h>
#include <stdint.h>

/** Where an interval comes from. */
typedef enum clump_interval_source {
    CLUMP_INTERVAL_NONE = 0,
    CLUMP_INTERVAL_RUNS,      /**< whole runs are drawn with replacement: six runs or more */
    CLUMP_INTERVAL_RESIDUALS, /**< one run, or runs that agree: residuals are drawn */
    CLUMP_INTERVAL_SPAN       /**< two to five runs that do not agree: from the least to the most */
} clump_interval_source;

enum { CLUMP_RUNS_TO_RESAMPLE = 6, CLUMP_RESAMPLE_MOST_PARAMETERS = 4 };

typedef struct clump_resample {
    clump_interval_source source;
    size_t parameters;      /**< p */
    size_t count;           /**< samples, n */
    const double *gradient; /**< n x p: of the logarithm of the fit, over the sample's scale */
    const double *score;    /**< n: psi of the residual over its scale */
    const size_t *run;      /**< n: below `runs` */
    size_t runs;
    double slope;       /**< mean of psi' */
    const double *pool; /**< scores to draw from instead of a sample's own (RESIDUALS, SPAN) */
    size_t pool_count;
    double inflation;        /**< of drawn scores: a fit has drawn its residuals towards itself, by
                                  sqrt(n/(n - parameters of the whole fit)) */
    double freedom;          /**< degrees of freedom: of the pool (RUNS: of runs - 1) */
    const double *run_shift; /**< runs x p: each run's own estimate - that of all (SPAN) */
    uint64_t seed;           /**< the draws depend on it and `stream` only, not on threads */
    uint64_t stream;
} clump_resample;

/**
 * @param draws  receives resamples x p: estimate of the resample - estimate. Widened so that their
 *               percentiles are those of Student's t with the degrees of freedom
 * @param error  may be NULL
 * @return CLUMP_BAD_ARGUMENT if the samples do not determine the parameters
 * Cost: resamples x (n + p^3) steps, in parallel
 */
clump_status clump_resample_run(const clump_resample *request, size_t resamples, double *draws,
                                clump_error *error);

/** Covariance (p x p) of the estimate if samples are independent and scatter as the pool does. */
clump_status clump_resample_covariance(const clump_resample *request, double *covariance,
                                       clump_error *error);

#endif
