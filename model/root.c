/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "model/root.h"

#include <float.h>
#include <gsl/gsl_deriv.h>
#include <math.h>

clump_status clump_root_find(clump_function function, void *context, double a, double b,
                             double tolerance, double *root, clump_error *error)
{
    enum {
        MOST_STEPS = 400
    }; /* bisection alone ends after 2100 halvings of any interval at worst,
          after 60 for those that occur */
    double fa, fb;
    clump_status status = function(a, &fa, context, error);
    if (status == CLUMP_OK)
        status = function(b, &fb, context, error);
    if (status != CLUMP_OK)
        return status;
    if (fa == 0 || fb == 0) {
        *root = fa == 0 ? a : b;
        return CLUMP_OK;
    }
    if (!(fa < 0 && fb > 0) && !(fa > 0 && fb < 0))
        return clump_fail(error, CLUMP_BAD_ARGUMENT,
                          "root: the function is %g at %g and %g at %g, expected opposite signs",
                          fa, a, fb, b);
    double c = a, fc = fa, t = 0.5; /* [a, b] holds the root, c is the point before */
    for (int i = 0; i < MOST_STEPS; i++) {
        const double x = a + t * (b - a);
        double fx;
        status = function(x, &fx, context, error);
        if (status != CLUMP_OK)
            return status;
        if ((fx > 0) == (fa > 0)) {
            c = a;
            fc = fa;
        } else {
            c = b;
            fc = fb;
            b = a;
            fb = fa;
        }
        a = x;
        fa = fx;
        const double best = fabs(fa) < fabs(fb) ? a : b;
        const double near = 2 * DBL_EPSILON * fabs(best) + 0.5 * tolerance + DBL_MIN;
        const double relative = near / fabs(b - a);
        if (fa == 0 || relative > 0.5) {
            *root = fa == 0 ? a : best;
            return CLUMP_OK;
        }
        const double xi = (a - b) / (c - b), phi = (fa - fb) / (fc - fb);
        t = 0.5;
        if (phi * phi < xi && (1 - phi) * (1 - phi) < 1 - xi)
            t = fa / (fb - fa) * fc / (fb - fc) +
                (c - a) / (b - a) * fa / (fc - fa) * fb / (fc - fb);
        t = fmin(fmax(t, relative), 1 - relative);
    }
    return clump_fail(error, CLUMP_NO_CONVERGENCE, "root: not found between %g and %g", a, b);
}

/* ---- derivatives */

/* For GSL, whose functions cannot fail. */
typedef struct guarded {
    clump_function function;
    void *context;
    clump_status status;
    clump_error *error;
} guarded;

static double guarded_value(double x, void *context)
{
    guarded *g = context;
    double value = NAN;
    if (g->status == CLUMP_OK)
        g->status = g->function(x, &value, g->context, g->error);
    return value;
}

clump_status clump_derivative(clump_function function, void *context, double x, double least,
                              double most, double step, double *derivative, double *uncertainty,
                              clump_error *error)
{
    guarded g = {function, context, CLUMP_OK, error};
    const gsl_function f = {guarded_value, &g};
    const double below = x - least, above = most - x;
    double found = NAN, off = NAN;
    if (!(x >= least && x <= most && least < most && step > 0))
        return clump_fail(error, CLUMP_BAD_ARGUMENT,
                          "derivative: at %g with a step of %g, expected a point from %g to %g", x,
                          step, least, most);
    const double inner = fmin(below, above), room = fmax(below, above);
    if (inner > 0.01 * fmin(step, room))
        gsl_deriv_central(&f, x, fmin(step, inner), &found, &off);
    else if (above > below)
        gsl_deriv_forward(&f, x, fmin(step, room), &found, &off);
    else
        gsl_deriv_backward(&f, x, fmin(step, room), &found, &off);
    if (g.status == CLUMP_OK) {
        *derivative = found;
        *uncertainty = off;
    }
    return g.status;
}
