/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "model/erlang.h"
#include "model/constants.h"

#include "model/likely_states.h"

#include <math.h>

static clump_status check_arguments(double P, double N, double U, clump_error *error)
{
    if (!(P >= 1) || P > (double)CLUMP_MAX_PROCESSORS)
        return clump_fail(error, CLUMP_BAD_ARGUMENT, "processors: %g, expected 1 to %zu", P,
                          CLUMP_MAX_PROCESSORS);
    if (!(N >= CLUMP_LEAST_NICS && N <= CLUMP_MOST_NICS))
        return clump_fail(error, CLUMP_BAD_ARGUMENT, "nics: %g, expected %g to %g", N,
                          CLUMP_LEAST_NICS, CLUMP_MOST_NICS);
    if (!(U >= 0 && U <= 1))
        return clump_fail(error, CLUMP_BAD_ARGUMENT, "utilization: %g, expected 0 to 1", U);
    return CLUMP_OK;
}

/*
 * x exp(x) x^-a Gamma(a, x) for 1 < a < 2 and x >= 1 by the continued fraction
 * 1/(x+1-a - 1(1-a)/(x+3-a - 2(2-a)/(x+5-a - ...))) (the even
 * part of DLMF 8.9.2), modified Lentz.
 */
static clump_status upper_gamma_fraction(double a, double x, double *value, clump_error *error)
{
    const double tiny = 1e-300;
    double b = x + 1 - a;
    double C = 1 / tiny;
    double D = 1 / b;
    double h = D;
    for (int i = 1; i <= 10000; i++) {
        const double numerator = -i * (i - a);
        b += 2;
        D = numerator * D + b;
        D = 1 / (fabs(D) < tiny ? tiny : D);
        C = b + numerator / C;
        if (fabs(C) < tiny)
            C = tiny;
        const double factor = D * C;
        h *= factor;
        if (fabs(factor - 1) <= 4e-16) {
            *value = x * h;
            return CLUMP_OK;
        }
    }
    return clump_fail(error, CLUMP_NO_CONVERGENCE,
                      "incomplete gamma function: no convergence at a = %g, x = %g", a, x);
}

/*
 * The lower incomplete gamma function for 1 < a < 2 and 0 < x < 1 (DLMF 8.7.1). It stays below
 * 0.64 Gamma(a) there, so that Gamma(a) minus it loses no more than two bits.
 */
static double lower_gamma_series(double a, double x)
{
    double term = 1 / a;
    double sum = term;
    for (int n = 1; term > sum * 1e-17; n++) {
        term *= x / (a + n);
        sum += term;
    }
    return sum * pow(x, a) * exp(-x);
}

/* Z_d for a fractional 0 <= d < 1: exp(x) x^-d Gamma(d+1, x) with x = 1/c. */
static clump_status fractional_start(double d, double c, double *Z, clump_error *error)
{
    const double x = 1 / c;
    if (d == 0 || x > 1e17) { /* Z_d = 1 + d c ... */
        *Z = 1;
        return CLUMP_OK;
    }
    if (x >= 1)
        return upper_gamma_fraction(d + 1, x, Z, error);
    *Z = exp(x) * pow(x, -d) * (tgamma(d + 1) - lower_gamma_series(d + 1, x));
    return CLUMP_OK;
}

/*
 * b_p from Z_first by p steps of Z = 1 + p c Z. Z grows like a factorial, so that it is carried
 * with a common scale for Z and for the 1: y = scale Z. A multiplication and an addition a step
 * are several times faster than the division of the equivalent b = b/(b + p c).
 */
static double empty_probability(double first, size_t steps, double Z_first, double c)
{
    const double threshold = 0x1p+500;
    const double growth = 1 + (first + (double)steps) * c;
    const size_t block = (size_t)fmin(fmax(floor(500 / log2(growth + 1)), 1), 64);
    double y = Z_first;
    double scale = 1;
    size_t i = 0;
    while (i < steps && scale > 0) {
        const size_t end = i + block < steps ? i + block : steps;
        for (; i < end; i++)
            y = scale + (first + (double)(i + 1)) * c * y;
        if (y > threshold) {
            y *= 0x1p-500;
            scale *= 0x1p-500;
        }
    }
    return scale / y;
}

clump_status clump_erlang_slowdown(double processors, double nics, double utilization,
                                   double *slowdown, clump_error *error)
{
    const double P = processors, N = nics, U = utilization;
    clump_status status = check_arguments(P, N, U, error);
    if (status != CLUMP_OK)
        return status;
    if (P >= MODEL_LIKELY_FROM_CONSTANT && P == floor(P) && U > 0 && U < 1) {
        double active;
        const clump_station station = {.nics = N};
        return model_likely_solve((size_t)P, U, &station, slowdown, &active, error);
    }
    double b = 0; /* for U = 1 somebody always communicates */
    if (U < 1 && U > 0) {
        const double c = U / (1 - U) / N;
        const double whole = floor(P - 1);
        const double fraction = P - 1 - whole;
        double Z = 1;
        status = fractional_start(fraction, c, &Z, error);
        if (status != CLUMP_OK)
            return status;
        b = empty_probability(fraction, (size_t)whole, Z, c);
    } else if (U == 0) {
        b = 1;
    }
    *slowdown = (1 - U) * b + P * U / N;
    return CLUMP_OK;
}
