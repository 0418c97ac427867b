/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "model/uncertain.h"

#include <gsl/gsl_cdf.h>

#include <math.h>

clump_status clump_uncertain_check(const clump_uncertain *u, clump_error *error)
{
    const double a = u->a, b = u->b, c = u->c;
    if (!isfinite(a) || !isfinite(b))
        return clump_fail(error, CLUMP_BAD_ARGUMENT, "distribution: %g and %g, expected numbers", a,
                          b);
    switch (u->kind) {
    case CLUMP_UNCERTAIN_UNIFORM:
        if (a < b)
            return CLUMP_OK;
        return clump_fail(error, CLUMP_BAD_ARGUMENT, "distribution: from %g to %g, expected more",
                          a, b);
    case CLUMP_UNCERTAIN_TRIANGULAR:
        if (a < b && c >= a && c <= b)
            return CLUMP_OK;
        return clump_fail(error, CLUMP_BAD_ARGUMENT,
                          "distribution: from %g to %g, most likely %g, expected it between", a, b,
                          c);
    case CLUMP_UNCERTAIN_NORMAL:
        if (b > 0 && u->least < u->most && a + 6 * b > u->least && a - 6 * b < u->most)
            return CLUMP_OK;
        return clump_fail(error, CLUMP_BAD_ARGUMENT,
                          "distribution: mean %g, standard deviation %g, from %g to %g, expected a "
                          "deviation above 0 and the mean near the bounds",
                          a, b, u->least, u->most);
    case CLUMP_UNCERTAIN_LOGNORMAL:
        if (a > 0 && b > 0 && b <= 50)
            return CLUMP_OK;
        return clump_fail(error, CLUMP_BAD_ARGUMENT,
                          "distribution: median %g, deviation %g of the logarithm, expected both "
                          "above 0",
                          a, b);
    }
    return clump_fail(error, CLUMP_BAD_ARGUMENT, "distribution: %d is no kind of it", (int)u->kind);
}

/* Where the share u of what lies between the bounds is below; on the side of the nearer tail, which
 * keeps its digits. */
static double normal_quantile(const clump_uncertain *d, double u)
{
    const double low = (d->least - d->a) / d->b, high = (d->most - d->a) / d->b;
    if (low > 0) {
        const double q_low = gsl_cdf_ugaussian_Q(low), q_high = gsl_cdf_ugaussian_Q(high);
        return d->a + d->b * gsl_cdf_ugaussian_Qinv(q_low + u * (q_high - q_low));
    }
    const double p_low = gsl_cdf_ugaussian_P(low), p_high = gsl_cdf_ugaussian_P(high);
    return d->a + d->b * gsl_cdf_ugaussian_Pinv(p_low + u * (p_high - p_low));
}

static double triangular_quantile(const clump_uncertain *d, double u)
{
    const double width = d->b - d->a, rise = d->c - d->a;
    if (u * width <= rise)
        return d->a + sqrt(u * width * rise);
    return d->b - sqrt((1 - u) * width * (d->b - d->c));
}

double clump_uncertain_quantile(const clump_uncertain *d, double u)
{
    const double inner = fmin(fmax(u, 1e-15), 1 - 1e-15);
    switch (d->kind) {
    case CLUMP_UNCERTAIN_UNIFORM:
        return d->a + u * (d->b - d->a);
    case CLUMP_UNCERTAIN_NORMAL:
        return fmin(fmax(normal_quantile(d, inner), d->least), d->most);
    case CLUMP_UNCERTAIN_LOGNORMAL:
        return d->a * exp(d->b * gsl_cdf_ugaussian_Pinv(inner));
    case CLUMP_UNCERTAIN_TRIANGULAR:
        return triangular_quantile(d, u);
    }
    return NAN;
}
