/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "model/prediction.h"

#include <math.h>

/* Times may be in any unit: they are taken relative to the longest, so that sums stay in range. */
static clump_status longest_phase(const clump_phase *phases, size_t count, double *longest,
                                  clump_error *error)
{
    if (count == 0)
        return clump_fail(error, CLUMP_BAD_ARGUMENT, "phases: 0, expected at least 1");
    *longest = 0;
    for (size_t f = 0; f < count; f++) {
        const double T = phases[f].time;
        if (!(T > 0) || !isfinite(T))
            return clump_fail(error, CLUMP_BAD_ARGUMENT,
                              "phase %zu: time %g, expected a finite number above 0", f + 1, T);
        *longest = fmax(*longest, T);
    }
    return CLUMP_OK;
}

clump_status clump_predict_phases(const clump_node *node, const clump_phase *phases, size_t count,
                                  clump_prediction *prediction, clump_prediction *by_phase,
                                  clump_error *error)
{
    clump_prediction sum = {0};
    double unit, time = 0, clump_time = 0, longest = 0;
    clump_status status = longest_phase(phases, count, &unit, error);
    if (status != CLUMP_OK)
        return status;
    for (size_t f = 0; f < count; f++) {
        clump_prediction one;
        status = clump_predict(node, &phases[f].load, &one, NULL, error);
        if (status != CLUMP_OK)
            return status;
        const double T = phases[f].time / unit;
        const double spent = one.slowdown * T;
        time += T;
        clump_time += spent;
        sum.slowest += one.slowest * T;
        sum.adjusted_utilization += one.adjusted_utilization * spent;
        sum.mean_active += one.mean_active * spent;
        sum.nic_utilization += one.nic_utilization * spent;
        if (spent > longest) {
            longest = spent;
            sum.slowest_processor = one.slowest_processor;
        }
        if (by_phase != NULL)
            by_phase[f] = one;
    }
    sum.slowdown = clump_time / time;
    sum.slowest /= time;
    sum.adjusted_utilization /= clump_time;
    sum.mean_active /= clump_time;
    sum.nic_utilization /= clump_time;
    *prediction = sum;
    return CLUMP_OK;
}
