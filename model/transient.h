/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef CLUMP_MODEL_TRANSIENT_H
#define CLUMP_MODEL_TRANSIENT_H

/*
 * Phases too short for equilibrium (new; the thesis leaves transients open, 8.5.2).
 *
 * With P equal processors the number q that communicate is a birth-death chain: up with rate
 * nu(P-q)/R (nu(k) = k without memory), down with rate mu(q)/S. A phase starts with q = 0, as after a barrier. At time t a
 * processor accumulates service at the expected rate
 *     r(t) = sum_q p_q(t) (nu(P-q) + mu(q))/P,
 * so that a phase of length T on the NOW ends on the Clump at T' with integral_0^T' r = T.
 *
 * Times are in cycles: one computation and one communication on the NOW, R + S = 1.
 */

#include "model/station.h"
#include "model/watch.h"

#include <stddef.h>

/**
 * X_T = T'/T. It starts at 1 for T -> 0 and tends to the equilibrium slowdown for large T.
 *
 * @param processors    P, 1 to CLUMP_MAX_PROCESSORS
 * @param utilization   U, 0 to 1; for U = 0 and U = 1 q does not change
 * @param phase_cycles  T, 1e-100 to 1e100
 * Method: the Laplace transform of r is one tridiagonal elimination; it is inverted on two contours
 *         (MODEL.md 6). Where they do not agree to 2e-12 + 1e-16 P, the chain is followed jump by
 *         jump until it is in equilibrium.
 * Cost: O(P), about a microsecond a state. Jump by jump O(sqrt(P)) for each jump until equilibrium,
 *       of which there are P and more: seconds for 10^5 processors, minutes for 10^6; before that `watch`
 *       (or NULL) is asked whether so much time may be spent.
 * Errors: CLUMP_BAD_ARGUMENT, also if it may not; CLUMP_STOPPED.
 */
clump_status clump_transient_slowdown(size_t processors, double utilization,
                                      const clump_station *station, double phase_cycles,
                                      const clump_watch *watch, double *slowdown,
                                      clump_error *error);

#endif
