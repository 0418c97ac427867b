/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef CLUMP_FITTING_SLOWDOWN_SLOWDOWN_SEARCH_H
#define CLUMP_FITTING_SLOWDOWN_SLOWDOWN_SEARCH_H

/*
 * Internal to fitting/slowdown/: least squares over what is free.
 *
 * Logarithms of times are linear in those of the bases: whatever the parameters, the best time of a
 * base is the weighted mean of what its runs say, so that only parameters are searched.
 */

#include "fitting/slowdown/slowdown.h"

typedef struct slowdown_problem {
    const clump_slowdown_question *question;
    bool free[CLUMP_SLOWDOWN_PARAMETERS];
    double value[CLUMP_SLOWDOWN_PARAMETERS]; /**< of what is not free */
    double log_base[CLUMP_SLOWDOWN_BASES];   /**< NAN: free */
    double largest_gang;
    double tolerance; /**< of a search, relative to the unknowns */
    double *log_time; /**< of each run */
    double *sigma;    /**< of each of them; 1 where nothing is known */
} slowdown_problem;

/** A point of the space, all of it, and how well it fits. */
typedef struct slowdown_point {
    double value[CLUMP_SLOWDOWN_PARAMETERS];
    double log_base[CLUMP_SLOWDOWN_BASES];
    double chi_square;
} slowdown_point;

/** Range of a parameter. */
void slowdown_range(const slowdown_problem *problem, size_t parameter, double *least, double *most);

/** Point `i` of a sequence that fills the space: where searches start. */
void slowdown_start(const slowdown_problem *problem, size_t i, double *value);

/** Search from one point. On CLUMP_NO_CONVERGENCE `point` is the best that was found. */
clump_status slowdown_descend(const slowdown_problem *problem, const double *start,
                              slowdown_point *point, clump_error *error);

/**
 * The best of several searches: from `near` if it is not NULL, and from `starts` points.
 * @param all  receives the point of each start (as `starts`), or NULL; chi_square NAN: none
 */
clump_status slowdown_search(const slowdown_problem *problem, const double *near, size_t starts,
                             slowdown_point *best, slowdown_point *all, clump_error *error);

/**
 * Correlation of the unknowns, from the covariance at `value`.
 * @param correlation  unknowns by unknowns, or NULL; NAN where one direction is open
 * @param errors       standard errors for errors of the runs as in sigma (of log T for bases), or
 *                     NULL; NAN as above
 * @param least_value  smallest singular value of the derivatives, each column of unit length
 * @param weak         the direction that belongs to it, or NULL
 */
clump_status slowdown_correlate(const slowdown_problem *problem, const double *value,
                                double *correlation, double *errors, double *least_value,
                                double *weak, clump_error *error);

/** Whether some direction stays open wherever in the space the truth is; `weak` as above. */
clump_status slowdown_open_direction(const slowdown_problem *problem, bool *open, double *weak,
                                     clump_error *error);

/** Number of free parameters, and of free bases. */
size_t slowdown_free_parameters(const slowdown_problem *problem);
size_t slowdown_free_bases(const slowdown_problem *problem);

#endif
