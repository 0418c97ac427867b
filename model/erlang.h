/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef CLUMP_MODEL_ERLANG_H
#define CLUMP_MODEL_ERLANG_H

/*
 * Equal processors, constant station rate mu(q) = N: the sums of (8.7) and (8.8) collapse to the
 * recursion of the Erlang loss formula. New in this project; MODEL.md section 3 derives it.
 *
 *   c   U/(N(1-U))
 *   Z_p = 1 + p c Z_{p-1},  Z_0 = 1      the normalization constant of p processors
 *   b_p = 1/Z_p                          the probability that none of p communicates
 *   X   = (1-U) Z_P/Z_{P-1} = (1-U) b_{P-1} + P U/N
 *
 * For real p:  Z_p = integral_0^inf exp(-t) (1 + c t)^p dt = exp(1/c) c^p Gamma(p+1, 1/c),
 * which satisfies the same recursion.
 */

#include "model/status.h"

#include <stddef.h>

/**
 * Slowdown X: (8.8) for whole P and N, and its continuation to real ones.
 *
 * @param processors   P, real, 1 to CLUMP_MAX_PROCESSORS
 * @param nics         N, real, CLUMP_LEAST_NICS to CLUMP_MOST_NICS (gangs see N/s)
 * @param utilization  U, 0 to 1, both included (8.2.3)
 * @param slowdown     X
 * Cost: O(P) multiplications, no memory. Relative error some 1e-15; only positive terms are added.
 */
clump_status clump_erlang_slowdown(double processors, double nics, double utilization,
                                   double *slowdown, clump_error *error);

#endif
