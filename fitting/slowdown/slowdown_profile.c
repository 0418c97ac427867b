/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Intervals by profile likelihood: how far one unknown can go while all others make up for it.
 *
 * The root of what chi_square rises by is nearly a straight line in the unknown (exactly one where
 * the model is linear), so that a few steps of false position find the end of the interval.
 */
#include "fitting/slowdown/slowdown_search.h"

#include <math.h>

enum { STARTS = 3, OUTWARD = 60, INWARD = 40 };

/* An end is found to this share of the distance from the optimum, in terms of the root. */
static const double accuracy = 1e-4;

/* Squares of relative residuals below this are rounding. */
static const double negligible = 1e-22;

typedef struct walk {
    const slowdown_problem *problem;
    const slowdown_point *best;
    size_t unknown;
    double threshold;
    slowdown_point last; /* within the interval, from where the next search starts */
    slowdown_point *better;
    clump_error *error;
} walk;

static slowdown_problem hold(const slowdown_problem *problem, size_t unknown, double value)
{
    slowdown_problem p = *problem;
    p.tolerance = 1e-5; /* chi_square is flat where it is least: good to the square of it */
    if (unknown < CLUMP_SLOWDOWN_PARAMETERS) {
        p.free[unknown] = false;
        p.value[unknown] = value;
    } else {
        p.log_base[unknown - CLUMP_SLOWDOWN_PARAMETERS] = value;
    }
    return p;
}

/* Root of the rise over that of the threshold, less 1: negative within the interval. */
static clump_status look(walk *w, double value, bool first, double *beyond)
{
    const slowdown_problem p = hold(w->problem, w->unknown, value);
    const double best = w->best->chi_square;
    slowdown_point held = {.chi_square = NAN};
    clump_status status = slowdown_descend(&p, w->last.value, &held, w->error);
    if (status != CLUMP_OK && (status != CLUMP_NO_CONVERGENCE || isnan(held.chi_square)))
        return status;
    /* Before it is said to be outside for the first time, from elsewhere too. */
    if (first && !(held.chi_square <= best + w->threshold) && slowdown_free_parameters(&p) > 0) {
        status = slowdown_search(&p, w->last.value, STARTS, &held, NULL, w->error);
        if (status != CLUMP_OK)
            return status;
    }
    if (held.chi_square < best - 1e-3 * w->threshold) {
        *w->better = held;
        return clump_fail(w->error, CLUMP_NO_CONVERGENCE, "the search had not found the minimum");
    }
    *beyond = sqrt(fmax(held.chi_square - best, 0) / w->threshold) - 1;
    if (*beyond <= 0)
        w->last = held;
    return CLUMP_OK;
}

/* Out from `from` in growing steps, to `end` at most. @param at_end the interval reaches it */
static clump_status step_out(walk *w, double from, double end, double step, double ends[2],
                             double beyond[2], bool *at_end)
{
    ends[0] = from;
    beyond[0] = -1;
    *at_end = false;
    for (int i = 0; i < OUTWARD; i++, step *= 2) {
        const bool last = fabs(end - ends[0]) <= step;
        ends[1] = last ? end : ends[0] + copysign(step, end - from);
        const clump_status status = look(w, ends[1], true, &beyond[1]);
        if (status != CLUMP_OK || beyond[1] > 0)
            return status;
        ends[0] = ends[1];
        beyond[0] = beyond[1];
        *at_end = last;
        if (last)
            break;
    }
    return CLUMP_OK;
}

/* Between what is within and what is beyond: false position (Illinois). */
static clump_status step_in(walk *w, double ends[2], double beyond[2], double *where)
{
    int side = 0;
    for (int i = 0; i < INWARD; i++) {
        double middle = ends[0] - beyond[0] * (ends[1] - ends[0]) / (beyond[1] - beyond[0]);
        double found;
        if (!(fabs(middle - ends[0]) < fabs(ends[1] - ends[0])))
            middle = (ends[0] + ends[1]) / 2;
        const clump_status status = look(w, middle, false, &found);
        if (status != CLUMP_OK)
            return status;
        if (fabs(found) < accuracy || fabs(ends[1] - ends[0]) < 1e-12 * fabs(middle)) {
            *where = middle;
            return CLUMP_OK;
        }
        const int k = found > 0;
        ends[k] = middle;
        beyond[k] = found;
        if (side == k + 1)
            beyond[1 - k] /= 2;
        side = k + 1;
    }
    *where = ends[0];
    return CLUMP_OK;
}

static clump_status find_end(walk *w, double from, double end, double step, double *where,
                             bool *at_end)
{
    double ends[2], beyond[2];
    w->last = *w->best;
    *where = end;
    if (!(fabs(end - from) > 0)) {
        *at_end = true;
        return CLUMP_OK;
    }
    const clump_status status = step_out(w, from, end, step, ends, beyond, at_end);
    if (status != CLUMP_OK || *at_end)
        return status;
    return step_in(w, ends, beyond, where);
}

clump_status slowdown_profile(const slowdown_problem *p, size_t unknown, const slowdown_point *best,
                              double threshold, double error_guess,
                              clump_slowdown_estimate *estimate, slowdown_point *better,
                              clump_error *error)
{
    const bool is_base = unknown >= CLUMP_SLOWDOWN_PARAMETERS;
    const double value =
        is_base ? best->log_base[unknown - CLUMP_SLOWDOWN_PARAMETERS] : best->value[unknown];
    double least = value - 20, most = value + 20;
    if (!is_base)
        slowdown_range(p, unknown, &least, &most);
    walk w = {.problem = p,
              .best = best,
              .unknown = unknown,
              .threshold = threshold,
              .better = better,
              .error = error};
    const double first = error_guess * sqrt(threshold);
    const double step =
        first > 1e-9 * (fabs(value) + 1) && isfinite(first) ? first : 1e-3 * fmin(most - least, 1);
    double low = value, high = value;
    bool low_is_bound = false, high_is_bound = false;
    clump_status status = CLUMP_OK;
    if (threshold > negligible) /* else the fit is perfect to the last digits */
        status = find_end(&w, value, least, step, &low, &low_is_bound);
    if (status == CLUMP_OK && threshold > negligible)
        status = find_end(&w, value, most, step, &high, &high_is_bound);
    if (status != CLUMP_OK)
        return status;
    estimate->low = is_base ? exp(low) : low;
    estimate->high = is_base ? exp(high) : high;
    estimate->low_is_bound = low_is_bound;
    estimate->high_is_bound = high_is_bound;
    return CLUMP_OK;
}
