/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef CLUMP_MODEL_ROOT_H
#define CLUMP_MODEL_ROOT_H

/*
 * Zeros and derivative of a continuous function of one variable. Inversions of the model (how many
 * NICs, up to which utilization, which computation) use the one, sensitivities the other.
 */

#include "model/status.h"

#include <stddef.h>

/** A function of x that can fail. */
typedef clump_status (*clump_function)(double x, double *value, void *context, clump_error *error);

/**
 * The zero between a and b, at which the function has opposite signs (or is 0 at one of them).
 *
 * T. R. Chandrupatla, *Advances in Engineering Software* 28 (1997): inverse quadratic interpolation
 * where that is safe, bisection elsewhere.
 *
 * @param tolerance  absolute, in x: greatest distance of the result from the root. 0: as small as
 *                   doubles allow
 * Errors: CLUMP_BAD_ARGUMENT if the signs are the same; errors of the function.
 */
clump_status clump_root_find(clump_function function, void *context, double a, double b,
                             double tolerance, double *root, clump_error *error);

/** Where a function is 0. */
typedef struct clump_root {
    double x;
    double before,
        after; /**< a value of the function below and above: -, + or, at the ends, 0. Of one sign where it
                               only touches 0 */
} clump_root;

/** More than anybody reads. */
enum { CLUMP_MOST_ROOTS = 32 };

/**
 * All zeros from a to b, the least CLUMP_MOST_ROOTS of them, in rising order: where the sign changes between two points of a grid,
 * and where the function comes nearest to 0 among its neighbours on the grid and reaches 0 beside it (golden section). Two zeros in one step
 * escape where the function has another extremum in that step or the next.
 *
 * @param function   exactly 0 where it is nothing but rounding; zeros side by side count as one
 * @param steps      of the grid, at least 2
 * @param tolerance  as above
 * Cost: `steps` values, and some ten for each sign that changes, sixty for each extremum.
 */
clump_status clump_roots_find(clump_function function, void *context, double a, double b,
                              size_t steps, double tolerance, clump_root *roots, size_t *count,
                              clump_error *error);

/**
 * f'(x) below and above x with an estimate of its error, by GSL's adaptive differences (gsl_deriv_central, 5 points), the surest of
 * those of three steps. Both sides are the same unless one-sided differences disagree by more than their errors. Next to a bound they
 * are taken on the inner side only; these, and those of a kink, have some 8 digits instead of 11.
 *
 * @param least, most  the function is defined between them
 * @param step         the first step; some tenth of the scale on which the function changes
 * Cost: some 40 values.
 */
clump_status clump_derivative(clump_function function, void *context, double x, double least,
                              double most, double step, double sides[2], double *uncertainty,
                              clump_error *error);

#endif
