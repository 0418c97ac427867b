/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef CLUMP_FITTING_LOGGP_MESSAGE_MODEL_H
#define CLUMP_FITTING_LOGGP_MESSAGE_MODEL_H

/*
 * Time per message of a benchmark, from the line s(n) = a + b (n-1) of one piece and the round trip
 * R(n) that its window waits for:
 *
 *     line     s(n)
 *     burst    ((W-1) s(n) + R(n)) / W     W messages, then a reply (osu_bw, IMB Uniband)
 *     sliding  max(s(n), R(n)/W)           never more than W on their way
 *
 * Each point says how it was measured (clump_curve_waiting). R(n) is known from half round trips,
 * or it is r0 + r1 (n-1) and fitted with the rest, which takes samples with different windows.
 */

#include "fitting/loggp/curve.h"

enum { CLUMP_MESSAGE_MOST_PARAMETERS = 4 };

/**
 * The model's time for a point.
 * @param parameters  1: a alone; 2: a, b; 3: a, b, r0; 4: a, b, r0, r1
 * @param theta     the parameters, us and us/byte
 * @param gradient  receives the derivative of the logarithm of the time by each; may be NULL
 * @return at least 1e-300, so that it has a logarithm
 */
double clump_message_time(size_t parameters, const double *theta, const clump_curve_point *point,
                          double *gradient);

/**
 * Robust nonlinear least squares (Levenberg-Marquardt of GSL, reweighted): the theta of least loss
 * of log(time/model)/scale, see robust_line.h.
 *
 * @param scales  of the points, relative
 * @param theta   start, and result; b and r1 are kept from falling below 0
 * @param error   may be NULL
 * @return CLUMP_NO_CONVERGENCE if it does not come to rest; theta is unchanged then
 */
clump_status clump_message_fit(size_t parameters, const clump_curve_point *points,
                               const double *scales, size_t count, double *theta,
                               clump_error *error);

#endif
