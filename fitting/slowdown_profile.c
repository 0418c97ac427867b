/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Intervals by profile likelihood: how far one unknown can go while all others make up for it. */
#include "fitting/slowdown_search.h"

#include <math.h>

enum { STARTS = 3, DOUBLINGS = 60, HALVINGS = 40 };

clump_status slowdown_hold(const slowdown_problem *problem, size_t unknown, double value,
                           const slowdown_point *near, slowdown_point *held, clump_error *error)
{
    slowdown_problem p = *problem;
    if (unknown < CLUMP_SLOWDOWN_PARAMETERS) {
        p.free[unknown] = false;
        p.value[unknown] = value;
    } else {
        p.log_base[unknown - CLUMP_SLOWDOWN_PARAMETERS] = value;
    }
    return slowdown_search(&p, near->value, slowdown_free_parameters(&p) > 0 ? STARTS : 0, held,
                           NULL, error);
}

typedef struct walk {
    const slowdown_problem *problem;
    const slowdown_point *best;
    size_t unknown;
    double limit;          /* of chi_square */
    slowdown_point last;   /* within the interval, from where the next search starts */
    slowdown_point *better;
    clump_error *error;
} walk;

/* Whether `value` is within the interval. */
static clump_status look(walk *w, double value, bool *within)
{
    slowdown_point held;
    const clump_status status =
        slowdown_hold(w->problem, w->unknown, value, &w->last, &held, w->error);
    if (status != CLUMP_OK)
        return status;
    if (held.chi_square < w->best->chi_square - 1e-3 * (w->limit - w->best->chi_square)) {
        *w->better = held;
        return clump_fail(w->error, CLUMP_NO_CONVERGENCE, "the search had not found the minimum");
    }
    *within = held.chi_square <= w->limit;
    if (*within)
        w->last = held;
    return CLUMP_OK;
}

/* Out from `from` in steps that double, to `end` at most; then back between the last two. */
static clump_status find_end(walk *w, double from, double end, double step, double *where,
                             bool *at_end)
{
    double inside = from, outside = end;
    bool within = true;
    w->last = *w->best;
    for (int i = 0; i < DOUBLINGS && within; i++, step *= 2) {
        const double next = fabs(end - from) <= step ? end : from + copysign(step, end - from);
        const clump_status status = look(w, next, &within);
        if (status != CLUMP_OK)
            return status;
        if (within && next == end) { /* NOLINT(clang-diagnostic-float-equal): it was assigned */
            *where = end;
            *at_end = true;
            return CLUMP_OK;
        }
        if (within)
            inside = next;
        else
            outside = next;
    }
    for (int i = 0; i < HALVINGS && fabs(outside - inside) > 1e-6 * (fabs(inside) + 1e-3); i++) {
        const double middle = (inside + outside) / 2;
        const clump_status status = look(w, middle, &within);
        if (status != CLUMP_OK)
            return status;
        if (within)
            inside = middle;
        else
            outside = middle;
    }
    *where = inside;
    *at_end = false;
    return CLUMP_OK;
}

clump_status slowdown_profile(const slowdown_problem *p, size_t unknown, const slowdown_point *best,
                              double threshold, clump_slowdown_estimate *estimate,
                              slowdown_point *better, clump_error *error)
{
    /* First steps small against any parameter that is known at all. */
    const bool is_base = unknown >= CLUMP_SLOWDOWN_PARAMETERS;
    const double value = is_base ? best->log_base[unknown - CLUMP_SLOWDOWN_PARAMETERS]
                                 : best->value[unknown];
    double least = value - 20, most = value + 20;
    if (!is_base)
        slowdown_range(p, unknown, &least, &most);
    walk w = {.problem = p,
              .best = best,
              .unknown = unknown,
              .limit = best->chi_square + threshold,
              .better = better,
              .error = error};
    const double step = is_base ? 1e-4 : 1e-4 * fmin(most - least, 1);
    double low, high;
    bool low_is_bound = false, high_is_bound = false;
    clump_status status = find_end(&w, value, least, step, &low, &low_is_bound);
    if (status == CLUMP_OK)
        status = find_end(&w, value, most, step, &high, &high_is_bound);
    if (status != CLUMP_OK)
        return status;
    estimate->low = is_base ? exp(low) : low;
    estimate->high = is_base ? exp(high) : high;
    estimate->low_is_bound = low_is_bound;
    estimate->high_is_bound = high_is_bound;
    return CLUMP_OK;
}
