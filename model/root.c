/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "model/root.h"

#include <float.h>
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

/* What a derivative is made of. */
typedef struct differences {
    clump_function function;
    void *context;
    double x, at_x;
    int side; /* 0: central; -1, 1: one side only */
} differences;

static clump_status quotient(const differences *d, double h, double *value, clump_error *error)
{
    double up, down = d->at_x;
    const double forward = d->x + (d->side < 0 ? -h : h);
    clump_status status = d->function(forward, &up, d->context, error);
    if (status == CLUMP_OK && d->side == 0)
        status = d->function(d->x - h, &down, d->context, error);
    const double width = d->side == 0 ? forward - (d->x - h) : forward - d->x;
    *value = (up - down) / width;
    return status;
}

/* The corner of the tableau that changed least when it was extended. */
static clump_status extrapolate(const differences *d, double h, double *derivative,
                                double *uncertainty, clump_error *error)
{
    enum { ROWS = 14 };
    static const double shrink = 1.4; /* of the step from row to row */
    /* Errors are a series in h^2 of central differences, in h of others. */
    const double order = d->side == 0 ? shrink * shrink : shrink;
    double table[ROWS][ROWS], best = HUGE_VAL;
    clump_status status = quotient(d, h, &table[0][0], error);
    double found = table[0][0];
    for (int i = 1; i < ROWS && status == CLUMP_OK; i++) {
        h /= shrink;
        status = quotient(d, h, &table[0][i], error);
        double factor = order;
        for (int j = 1; j <= i && status == CLUMP_OK; j++, factor *= order) {
            table[j][i] = (table[j - 1][i] * factor - table[j - 1][i - 1]) / (factor - 1);
            const double change =
                fmax(fabs(table[j][i] - table[j - 1][i]), fabs(table[j][i] - table[j - 1][i - 1]));
            if (change <= best) {
                best = change;
                found = table[j][i];
            }
        }
        if (fabs(table[i][i] - table[i - 1][i - 1]) >= 2 * best)
            break; /* rounding has taken over */
    }
    if (status == CLUMP_OK) {
        *derivative = found;
        *uncertainty = best;
    }
    return status;
}

clump_status clump_derivative(clump_function function, void *context, double x, double least,
                              double most, double step, double *derivative, double *uncertainty,
                              clump_error *error)
{
    if (!(x >= least && x <= most && least < most && step > 0))
        return clump_fail(error, CLUMP_BAD_ARGUMENT,
                          "derivative: at %g with a step of %g, expected a point from %g to %g", x,
                          step, least, most);
    differences d = {function, context, x, 0, 0};
    const double below = x - least, above = most - x;
    const double room = fmax(below, above);
    double h = fmin(step, 0.9 * fmin(below, above));
    if (h < 0.01 * fmin(step, room)) {
        d.side = above >= below ? 1 : -1;
        h = fmin(step, 0.9 * room);
    }
    const clump_status status = function(x, &d.at_x, context, error);
    return status == CLUMP_OK ? extrapolate(&d, h, derivative, uncertainty, error) : status;
}
