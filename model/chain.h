/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef CLUMP_MODEL_CHAIN_H
#define CLUMP_MODEL_CHAIN_H

/*
 * Internal to model/. The birth-death chain on the number q of processors that communicate, and two
 * ways to follow it in time. Times are in cycles, R + S = 1.
 *
 *   up_q   = (P-q)/R              down_q = mu(q)/S
 *   rho_q  = ((P-q) + mu(q))/P    service that a processor gains per time in state q
 *   r(t)   = E[rho] at time t, from q = 0 at t = 0;  A(t) = integral_0^t r
 */

#include "model/station.h"
#include "model/status.h"

#include <stddef.h>

typedef struct model_chain {
    size_t processors;
    double computation, communication; /* R, S */
    double *rate;                      /* mu(0..P) */
} model_chain;

/** Utilizations below this are nothing to the chain, and their reciprocals would overflow. */
#define MODEL_CHAIN_LEAST_UTILIZATION 1e-280

/** Prepare; release `rate` with free(). Utilization above the least and below 1. */
clump_status model_chain_prepare(model_chain *chain, size_t processors, double utilization,
                                 const clump_station *station, clump_error *error);

static inline double model_chain_up(const model_chain *c, size_t q)
{
    return (double)(c->processors - q) / c->computation;
}

static inline double model_chain_down(const model_chain *c, size_t q)
{
    return c->rate[q] / c->communication;
}

static inline double model_chain_service(const model_chain *c, size_t q)
{
    return ((double)(c->processors - q) + c->rate[q]) / (double)c->processors;
}

/**
 * r(t) and A(t) by inversion of the Laplace transform on a contour of `nodes` points (even).
 * Accurate when two numbers of nodes agree; it fails where r has a nearly sharp bend, as it does
 * for large P before the first processors have to wait. Cost: O(P nodes).
 */
void model_chain_by_transform(const model_chain *chain, double t, int nodes, double *rate,
                              double *served);

/**
 * The t at which A(t) = T, by uniformization: positive terms only, whatever the shape of r.
 *
 * Errors: CLUMP_NO_CONVERGENCE when the chain would have to be followed for too many steps.
 * Cost: O(steps sqrt(P)), steps = greatest rate times t.
 */
clump_status model_chain_by_steps(const model_chain *chain, double T, double *t,
                                  clump_error *error);

#endif
