/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef CLUMP_MODEL_ROOT_H
#define CLUMP_MODEL_ROOT_H

/*
 * Zero and derivative of a continuous function of one variable. Inversions of the model (how many
 * NICs, up to which utilization) use the one, sensitivities the other.
 */

#include "model/status.h"

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

/**
 * f'(x) with an estimate of its error, by GSL's adaptive differences (gsl_deriv_central, 5 points). Next to a bound they
 * are taken on the inner side only, and have some 8 digits instead of 11.
 *
 * @param least, most  the function is defined between them
 * @param step         the first step; some tenth of the scale on which the function changes
 */
clump_status clump_derivative(clump_function function, void *context, double x, double least,
                              double most, double step, double *derivative, double *uncertainty,
                              clump_error *error);

#endif
