/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Least squares of costs, which are positive: along each logarithm in turn, with steps that adapt.
 */
#ifndef CLUMP_TESTS_BENCH_PATTERN_SEARCH_H
#define CLUMP_TESTS_BENCH_PATTERN_SEARCH_H

#include <math.h>
#include <stdbool.h>
#include <stddef.h>

enum { SEARCH_MOST = 16 };

/** From where the parameters are. @return the least misfit found, which they then have */
static inline double pattern_search(double *const *parameter, size_t count, double (*misfit)(void))
{
    double step[SEARCH_MOST], best = misfit(), longest = 0.3;
    for (size_t i = 0; i < count; i++)
        step[i] = longest;
    while (longest > 1e-4) {
        bool better = false;
        for (size_t i = 0; i < 2 * count; i++) {
            const double before = *parameter[i / 2];
            *parameter[i / 2] *= exp((i % 2 ? 1 : -1) * step[i / 2]);
            const double sum = misfit();
            if (sum < best) {
                best = sum;
                better = true;
                step[i / 2] *= 1.3;
            } else {
                *parameter[i / 2] = before;
            }
        }
        longest = 0;
        for (size_t i = 0; i < count; i++) {
            step[i] *= better ? 1 : 0.5;
            longest = step[i] > longest ? step[i] : longest;
        }
    }
    return best;
}

#endif
