/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef CLUMP_MODEL_DISTRIBUTION_H
#define CLUMP_MODEL_DISTRIBUTION_H

#include <stddef.h>

/**
 * A discrete distribution p[0..n] from the ratios ratio[q] = p[q+1]/p[q],
 * summed outward from its mode.
 *
 * A product of ratios that starts at q = 0 overflows or loses everything to rounding by the time
 * it arrives where the probability is. Started at the mode it falls on both sides, and what
 * underflows is negligible. Several peaks are handled: the walk keeps an exponent of its own, so
 * that a peak beyond a deep valley gets its true weight.
 *
 * @param ratio  n ratios, finite; 0 ends the distribution
 * @param drift  relative error that all ratios have in common (some 1e-16); it would add up over
 *               the width of the distribution, and is taken out again
 * @param p      receives n+1 probabilities that sum to 1; may not overlap `ratio`
 * Cost: O(n), no memory.
 */
void model_distribution_from_ratios(const double *ratio, size_t n, double drift, double *p);

#endif
