/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "model/limit.h"

#include "model/constants.h"

#include <float.h>
#include <math.h>

double clump_slowdown_accuracy(size_t processors, double phase_cycles)
{
    const double P = (double)processors;
    const double rounding = fmin(16 * DBL_EPSILON * (P + 16), 1e-9);
    return phase_cycles > 0 ? rounding + 2 * MODEL_TRANSIENT_ACCURACY(processors) : rounding;
}

int clump_is_within(double value, double limit, double accuracy)
{
    return value <= limit + accuracy * fabs(limit);
}
