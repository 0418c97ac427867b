/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef CLUMP_FITTING_LOGGP_ROBUST_LINE_H
#define CLUMP_FITTING_LOGGP_ROBUST_LINE_H

/*
 * A line through times, t(x) = a + b x, where what is off counts less and what is far off not at
 * all. Times of messages scatter by a factor, so distance is u = log(time/t(x))/scale, and the sum
 * of 2 rho(u) is minimized: Tukey's bisquare, which is u^2 near 0 and never above
 * CLUMP_BISQUARE_MOST (Maronna, Martin, Yohai, "Robust Statistics", 2006, section 2.2).
 */

#include <stddef.h>

/** Beyond this many scales a point has no weight; 95% efficient where nothing is off. */
#define CLUMP_BISQUARE_END 4.685
#define CLUMP_BISQUARE_MOST (CLUMP_BISQUARE_END * CLUMP_BISQUARE_END / 3)

/** psi(u) = rho'(u), psi'(u), and the weight psi(u)/u. */
double clump_bisquare_score(double u);
double clump_bisquare_slope(double u);
double clump_bisquare_weight(double u);

typedef struct clump_robust_line {
    double at_zero; /**< a > 0 unless the line begins far from 0 */
    double slope;   /**< b >= 0 */
    double loss;    /**< sum of 2 rho */
} clump_robust_line;

/** Points of a line: x >= 0, times > 0, scales > 0. */
typedef struct clump_line_points {
    const double *x, *time, *scale;
    size_t count;
} clump_line_points;

/**
 * The line of least loss. From several starts: least squares, least absolute deviations, and
 * `start` if it is not NULL; the loss has local minima.
 *
 * @param points  at least one; with less than two different x the slope is 0
 * @param effort  iterations a start; 4 are enough to compare pieces, 30 for the last digit
 */
clump_robust_line clump_robust_line_fit(const clump_line_points *points,
                                        const clump_robust_line *start, int effort);

#endif
