/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef CLUMP_MODEL_TRANSIENT_H
#define CLUMP_MODEL_TRANSIENT_H

/*
 * Phases too short for equilibrium (new; the thesis leaves transients open, 8.5.2).
 *
 * With P equal processors the number q that communicate is a birth-death chain: up with rate
 * (P-q)/R, down with rate mu(q)/S. A phase starts with q = 0, as after a barrier. At time t a
 * processor accumulates service at the expected rate
 *     r(t) = sum_q p_q(t) ((P-q) + mu(q))/P,
 * so that a phase of length T on the NOW ends on the Clump at T' with integral_0^T' r = T.
 *
 * Times are in cycles: one computation and one communication on the NOW, R + S = 1.
 */

#include "model/station.h"
#include "model/status.h"

#include <stddef.h>

/**
 * X_T = T'/T. It starts at 1 for T -> 0 and tends to the equilibrium slowdown for large T.
 *
 * @param processors    P, 1 to CLUMP_MAX_PROCESSORS
 * @param utilization   U, 0 to 1; for U = 0 and U = 1 there is no transient
 * @param phase_cycles  T > 0, finite
 * Method: the Laplace transform of r is one tridiagonal elimination; it is inverted on a
 *         cotangent contour (MODEL.md 6). Relative error about 1e-12.
 * Cost: O(P) time, some hundred operations a state; memory 2 P numbers.
 */
clump_status clump_transient_slowdown(size_t processors, double utilization,
                                      const clump_station *station, double phase_cycles,
                                      double *slowdown, clump_error *error);

/**
 * Relaxation time: 1/spectral gap of the chain, in cycles; the time in which the slowest
 * deviation from equilibrium falls to 1/e.
 *
 * @param utilization  U, above 0 and below 1
 * Cost: O(P) a bisection step, about 60 steps; also for gaps far below the rates.
 */
clump_status clump_relaxation_time(size_t processors, double utilization,
                                   const clump_station *station, double *cycles,
                                   clump_error *error);

#endif
