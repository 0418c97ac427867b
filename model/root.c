/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "model/root.h"

#include <float.h>
#include <gsl/gsl_deriv.h>
#include <math.h>
#include <stdlib.h>

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

/* ---- all zeros */

typedef struct place {
    double x, f;
} place;

typedef struct hunt {
    clump_function function;
    void *context;
    double tolerance;
    clump_root *roots;
    size_t count;
    clump_error *error;
} hunt;

static int is_zero(double f)
{
    return !(f < 0) && !(f > 0);
}

static void keep(hunt *h, double x, double before, double after)
{
    if (h->count < CLUMP_MOST_ROOTS)
        h->roots[h->count++] = (clump_root){x, before, after};
}

/* Between two places of different signs. */
static clump_status cross(hunt *h, place low, place high)
{
    double x;
    if (h->count == CLUMP_MOST_ROOTS)
        return CLUMP_OK;
    const clump_status status =
        clump_root_find(h->function, h->context, low.x, high.x, h->tolerance, &x, h->error);
    if (status == CLUMP_OK)
        keep(h, x, low.f, high.f);
    return status;
}

/* Between two places of one sign: golden section towards 0, until it is reached or nothing is left between. */
static clump_status look_between(hunt *h, place low, place high)
{
    static const double golden = 0.3819660112501051;
    const double side = low.f < 0 ? -1 : 1;
    double a = low.x, b = high.x;
    place least = {a + golden * (b - a), 0};
    clump_status status = h->function(least.x, &least.f, h->context, h->error);
    for (int i = 0; i < 60 && status == CLUMP_OK && side * least.f > 0; i++) {
        const int left = least.x - a > b - least.x;
        place other = {least.x + golden * (left ? a - least.x : b - least.x), 0};
        status = h->function(other.x, &other.f, h->context, h->error);
        if (side * other.f < side * least.f) {
            *(left ? &b : &a) = least.x;
            least = other;
        } else {
            *(left ? &a : &b) = other.x;
        }
    }
    if (status != CLUMP_OK || side * least.f > 0)
        return status;
    if (is_zero(least.f)) {
        keep(h, least.x, low.f, high.f);
        return CLUMP_OK;
    }
    status = cross(h, low, least);
    return status == CLUMP_OK ? cross(h, least, high) : status;
}

/* From places first to last - 1, all 0, on the grid of `count`. */
static clump_status keep_zeros(hunt *h, const place *grid, size_t first, size_t last, size_t count)
{
    const place none = {NAN, 0}, before = first > 0 ? grid[first - 1] : none,
                after = last < count ? grid[last] : none;
    if (before.f * after.f < 0)
        return cross(h, before, after);
    keep(h, grid[first].x, before.f, after.f);
    return CLUMP_OK;
}

/* Is the function nearer to 0 at place i than at its neighbours, all of one sign? At the ends there is one. */
static int is_nearest(const place *grid, size_t i, size_t last)
{
    const double f = grid[i].f, before = i > 0 ? grid[i - 1].f : 2 * f,
                 after = i < last ? grid[i + 1].f : 2 * f;
    return f * before > 0 && f * after > 0 && fabs(f) <= fabs(before) && fabs(f) < fabs(after);
}

clump_status clump_roots_find(clump_function function, void *context, double a, double b,
                              size_t steps, double tolerance, clump_root *roots, size_t *count,
                              clump_error *error)
{
    hunt h = {function, context, tolerance, roots, 0, error};
    place *grid = malloc((steps + 1) * sizeof *grid);
    clump_status status = CLUMP_OK;
    if (grid == NULL)
        return clump_fail_memory(error, "a search for zeros");
    for (size_t i = 0; i <= steps && status == CLUMP_OK; i++) {
        grid[i].x = i < steps ? a + (b - a) * ((double)i / (double)steps) : b;
        status = function(grid[i].x, &grid[i].f, context, error);
    }
    for (size_t i = 0, next; i <= steps && status == CLUMP_OK; i = next) {
        next = i + 1;
        if (is_zero(grid[i].f)) {
            while (next <= steps && is_zero(grid[next].f))
                next++;
            status = keep_zeros(&h, grid, i, next, steps + 1);
        } else if (is_nearest(grid, i, steps)) {
            status = look_between(&h, grid[i > 0 ? i - 1 : i], grid[i < steps ? next : i]);
        } else if (i < steps && grid[i].f * grid[next].f < 0) {
            status = cross(&h, grid[i], grid[next]);
        }
    }
    free(grid);
    *count = h.count;
    return status;
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
                              double most, double step, double sides[2], double *uncertainty,
                              clump_error *error)
{
    guarded g = {function, context, CLUMP_OK, error};
    const gsl_function f = {guarded_value, &g};
    const double below = x - least, above = most - x, shrink = 1. / 32;
    double found = NAN, off = HUGE_VAL, down, up, off_down, off_up, slope, error_of_slope;
    if (!(x >= least && x <= most && least < most && step > 0))
        return clump_fail(error, CLUMP_BAD_ARGUMENT,
                          "derivative: at %g with a step of %g, expected a point from %g to %g", x,
                          step, least, most);
    const double inner = fmin(below, above), room = fmax(below, above);
    const int central = inner > 0.01 * fmin(step, room);
    for (int i = 0; i < 3; i++, step *= shrink) {
        if (central)
            gsl_deriv_central(&f, x, fmin(step, inner), &slope, &error_of_slope);
        else if (above > below)
            gsl_deriv_forward(&f, x, fmin(step, room), &slope, &error_of_slope);
        else
            gsl_deriv_backward(&f, x, fmin(step, room), &slope, &error_of_slope);
        if (error_of_slope < off) {
            found = slope;
            off = error_of_slope;
        }
    }
    down = up = found;
    if (central) {
        gsl_deriv_backward(&f, x, fmin(step, below), &down, &off_down);
        gsl_deriv_forward(&f, x, fmin(step, above), &up, &off_up);
        if (fabs(up - down) > 10 * (off_up + off_down) + 1e-5 * fmax(fabs(up), fabs(down)))
            off = off_up + off_down;
        else
            down = up = found;
    }
    if (g.status == CLUMP_OK) {
        sides[0] = down;
        sides[1] = up;
        *uncertainty = off;
    }
    return g.status;
}
