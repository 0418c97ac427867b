/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "model/transient.h"

#include "model/chain.h"

#include <math.h>
#include <stdlib.h>

/* The error of a contour falls with its nodes, that of the arithmetic grows with them: where both
   numbers give the same result, neither matters. */
enum { few_nodes = 26, more_nodes = 36 };

/* What counts as the same: the elimination carries some rounding from every state. */
static double agreement(const model_chain *c)
{
    return 2e-12 + 1e-16 * (double)c->processors;
}

typedef struct bracket {
    double low, high;
} bracket;

/* r lies between the least and the greatest service, hence the end between T over these. */
static bracket bracket_end(const model_chain *c, double T)
{
    double fastest = 0, slowest = INFINITY;
    for (size_t q = 0; q <= c->processors; q++) {
        fastest = fmax(fastest, model_chain_service(c, q));
        slowest = fmin(slowest, model_chain_service(c, q));
    }
    return (bracket){T / fastest, T / slowest};
}

/*
 * A(t) = T by Newton steps kept inside the bracket, on the transform.
 *
 * @return 1 if another contour confirms the end found, else 0
 */
static int end_by_transform(const model_chain *c, double T, double *t)
{
    bracket b = bracket_end(c, T);
    *t = fmin(fmax(T, b.low), b.high);
    for (int i = 0; i < 60; i++) {
        double r, served, confirmed;
        model_chain_by_transform(c, *t, few_nodes, &r, &served);
        if (!isfinite(r) || !isfinite(served) || !(r > 0))
            return 0;
        const double step = (served - T) / r;
        if (fabs(step) <= 0.05 * agreement(c) * *t || b.high - b.low <= 4e-16 * *t) {
            model_chain_by_transform(c, *t, more_nodes, &r, &confirmed);
            *t -= step;
            return fabs(confirmed - served) <= agreement(c) * T &&
                   fabs(step * r) <= agreement(c) * T;
        }
        if (served > T)
            b.high = *t;
        else
            b.low = *t;
        const double next = *t - step;
        *t = next > b.low && next < b.high ? next : b.low + (b.high - b.low) / 2;
    }
    return 0;
}

static clump_status end_of_phase(const model_chain *c, double T, double *end, clump_error *error)
{
    double t;
    if (end_by_transform(c, T, &t)) {
        *end = t;
        return CLUMP_OK;
    }
    return model_chain_by_steps(c, T, end, error);
}

clump_status clump_transient_slowdown(size_t processors, double utilization,
                                      const clump_station *station, double phase_cycles,
                                      double *slowdown, clump_error *error)
{
    const double U = utilization, T = phase_cycles;
    if (!(U >= 0 && U <= 1))
        return clump_fail(error, CLUMP_BAD_ARGUMENT, "utilization: %g, expected 0 to 1", U);
    if (!(T >= 1e-100 && T <= 1e100))
        return clump_fail(error, CLUMP_BAD_ARGUMENT,
                          "phase length: %g cycles, expected 1e-100 to 1e100", T);
    model_chain c;
    clump_status status = model_chain_prepare(&c, processors, U, station, error);
    if (status != CLUMP_OK)
        return status;
    double end = T;
    if (U == 1)
        end = T * (double)processors / c.rate[processors];
    else if (U >= MODEL_CHAIN_LEAST_UTILIZATION)
        status = end_of_phase(&c, T, &end, error);
    if (status == CLUMP_OK)
        *slowdown = end / T;
    free(c.rate);
    return status;
}
