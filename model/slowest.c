/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "model/slowest.h"

#include <math.h>

/*
 * integral x k phi(x) Phi(x)^(k-1) dx by the trapezoidal rule over the whole line. The integrand is
 * analytic and vanishes at both ends, so that the error falls exponentially with 1/step. It is worst
 * for many, where the maximum has nearly Gumbel's distribution of scale 1/sqrt(2 log k): the error is
 * then some exp(-pi^2 scale/step), exp(-68) for 10^18 numbers.
 */
static double integrate(size_t count)
{
    static const double step = 1.0 / 64;
    const double k = (double)count, root2 = sqrt(2), root_2pi = sqrt(2 * acos(-1.0));
    const double end = step * ceil(sqrt(2 * (log(k) + 50)) / step); /* k phi is exp(-50) there */
    double sum = 0;
    for (double x = -end; x <= end; x += step) {
        const double above = erfc(x / root2) / 2;
        const double log_below = x > 0 ? log1p(-above) : log(erfc(-x / root2) / 2);
        sum += x * exp((k - 1) * log_below - x * x / 2);
    }
    return sum * k * step / root_2pi;
}

double clump_slowest_normal(size_t count)
{
    /* Processors of a node, groups and nodes are mostly few, and each row of a sweep may ask. */
    static _Thread_local double known[65];
    if (count < 2)
        return 0;
    if (count >= sizeof known / sizeof *known)
        return integrate(count);
    if (known[count] == 0)
        known[count] = integrate(count);
    return known[count];
}

double clump_uneven_deviation(const clump_uneven *u)
{
    if (u->processors <= 1)
        return 0;
    return (u->greatest - u->least) / (2 * clump_slowest_normal(u->processors));
}

double clump_uneven_excess(const clump_uneven *u, size_t group)
{
    if (!(u->least <= u->mean && u->mean <= u->greatest))
        return NAN;
    if (group == 0 || group >= u->processors)
        return 0;
    const size_t groups = u->processors / group;
    const double expected =
        clump_slowest_normal(groups) * clump_uneven_deviation(u) / sqrt((double)group);
    return fmin(expected, u->greatest - u->mean);
}

double clump_uneven_wait(const clump_coupling *coupling, double utilization, double slowdown,
                         double excess, double gap)
{
    double adjusted, factor;
    if (!(excess > 0) ||
        clump_coupling_apply(coupling, utilization, &adjusted, &factor, NULL) != CLUMP_OK ||
        !(adjusted > 0))
        return 0;
    const double others = fmax((slowdown - factor) / (adjusted * factor), 0);
    return others * excess * gap;
}
