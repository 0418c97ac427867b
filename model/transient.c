/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "model/transient.h"

#include <complex.h>
#include <math.h>
#include <stdlib.h>

/*
 * Letters: s the Laplace variable; v_q the transform of r for a start in state q,
 *     (s + up_q + down_q) v_q - up_q v_{q+1} - down_q v_{q-1} = rho_q,
 *     rho_q = ((P-q) + mu(q))/P.
 * Eliminated from q = P down, v_q = alpha_q + (1 - gamma_q) v_{q-1}; v_0 = alpha_0. Writing gamma
 * for 1 - down/(...) avoids the subtraction that would cancel for small s.
 */

enum { contour_nodes = 26 }; /* even; the error falls like 3.89^-nodes */

typedef struct chain {
    size_t processors;
    double computation, communication; /* R, S */
    double *rate;                      /* mu(0..P) */
} chain;

static clump_status chain_prepare(chain *c, size_t processors, double utilization,
                                  const clump_station *station, clump_error *error)
{
    const clump_status status = clump_station_check(station, processors, error);
    if (status != CLUMP_OK)
        return status;
    *c = (chain){processors, 1 - utilization, utilization,
                 malloc((processors + 1) * sizeof *c->rate)};
    if (c->rate == NULL)
        return clump_fail_memory(error, "the transient");
    for (size_t q = 0; q <= processors; q++)
        c->rate[q] = clump_station_rate(station, q);
    return CLUMP_OK;
}

static double up(const chain *c, size_t q)
{
    return (double)(c->processors - q) / c->computation;
}

static double down(const chain *c, size_t q)
{
    return c->rate[q] / c->communication;
}

static double service(const chain *c, size_t q)
{
    return ((double)(c->processors - q) + c->rate[q]) / (double)c->processors;
}

/* CMPLX of the standard, which not every compiler's headers have. All parts are finite here. */
static double complex complex_of(double real, double imaginary)
{
    return real + imaginary * I;
}

/* The quotient without the checks for infinities that the language asks of complex division. */
static double complex divide(double complex a, double complex b)
{
    const double norm = creal(b) * creal(b) + cimag(b) * cimag(b);
    return complex_of((creal(a) * creal(b) + cimag(a) * cimag(b)) / norm,
                      (cimag(a) * creal(b) - creal(a) * cimag(b)) / norm);
}

/* Transform of r(t) at s. */
static double complex transform(const chain *c, double complex s)
{
    double complex alpha = 0, gamma = 0;
    for (size_t q = c->processors + 1; q-- > 0;) {
        const double birth = up(c, q), death = down(c, q);
        const double complex gain = s + birth * gamma;
        const double complex inverse = divide(1, gain + death);
        alpha = (service(c, q) + birth * alpha) * inverse;
        gamma = gain * inverse;
    }
    return alpha;
}

/* r(t), and its integral from 0 to t, by the cotangent contour of Talbot and Weideman. */
static void invert(const chain *c, double t, double *rate, double *integral)
{
    const double pi = 3.14159265358979323846;
    double complex sum_rate = 0, sum_integral = 0;
    for (int k = 0; k < contour_nodes / 2; k++) {
        const double angle = (2 * k + 1) * pi / contour_nodes;
        const double cotangent = 1 / tan(0.6407 * angle);
        const double sine = sin(0.6407 * angle);
        const double complex z =
            contour_nodes * complex_of(0.5017 * angle * cotangent - 0.6122, 0.2645 * angle);
        const double complex slope =
            contour_nodes *
            complex_of(0.5017 * cotangent - 0.5017 * 0.6407 * angle / (sine * sine), 0.2645);
        const double complex weight = cexp(z) * slope;
        const double complex value = weight * transform(c, z / t);
        sum_rate += value;
        sum_integral += divide(value, z);
    }
    /* Conjugate nodes double the imaginary part; 1/t comes from ds, t from the 1/s. */
    *rate = 2 * cimag(sum_rate) / contour_nodes / t;
    *integral = 2 * cimag(sum_integral) / contour_nodes;
}

/* integral_0^t r = T for t, by Newton steps kept inside a bracket that r's extremes give. */
static clump_status end_of_phase(const chain *c, double T, double *end, clump_error *error)
{
    double fastest = 0, slowest = INFINITY;
    for (size_t q = 0; q <= c->processors; q++) {
        fastest = fmax(fastest, service(c, q));
        slowest = fmin(slowest, service(c, q));
    }
    double low = T / fastest, high = T / slowest;
    double t = fmin(fmax(T, low), high);
    for (int i = 0; i < 200; i++) {
        double r, served;
        invert(c, t, &r, &served);
        if (!isfinite(r) || !isfinite(served))
            break;
        const double step = (served - T) / r;
        if (fabs(served - T) <= 1e-14 * T || high - low <= 4e-16 * t) {
            *end = t;
            return CLUMP_OK;
        }
        if (served > T)
            high = t;
        else
            low = t;
        const double next = t - step;
        if (fabs(step) <= 2e-15 * t) {
            *end = fmin(fmax(next, low), high);
            return CLUMP_OK;
        }
        t = next > low && next < high ? next : low + (high - low) / 2;
    }
    return clump_fail(error, CLUMP_NO_CONVERGENCE,
                      "transient: no end of a phase of %g cycles between %g and %g cycles", T, low,
                      high);
}

static clump_status check_utilization(double U, int ends_included, clump_error *error)
{
    if (ends_included ? U >= 0 && U <= 1 : U > 0 && U < 1)
        return CLUMP_OK;
    return clump_fail(error, CLUMP_BAD_ARGUMENT, "utilization: %g, expected %s", U,
                      ends_included ? "0 to 1" : "more than 0 and less than 1");
}

clump_status clump_transient_slowdown(size_t processors, double utilization,
                                      const clump_station *station, double phase_cycles,
                                      double *slowdown, clump_error *error)
{
    const double T = phase_cycles;
    clump_status status = check_utilization(utilization, 1, error);
    if (status != CLUMP_OK)
        return status;
    if (!(T > 0) || !isfinite(T))
        return clump_fail(error, CLUMP_BAD_ARGUMENT,
                          "phase length: %g cycles, expected a finite number above 0", T);
    chain c;
    status = chain_prepare(&c, processors, utilization, station, error);
    if (status != CLUMP_OK)
        return status;
    double end = T;
    if (utilization == 1)
        end = T * (double)processors / c.rate[processors];
    else if (utilization > 0)
        status = end_of_phase(&c, T, &end, error);
    if (status == CLUMP_OK)
        *slowdown = end / T;
    free(c.rate);
    return status;
}

/*
 * Whether an eigenvalue of -Q other than 0 lies below x. Symmetrized, -Q = M^T M with M bidiagonal
 * (squares up_q and down_{q+1}); M M^T has the same eigenvalues without the 0. d are the pivots of
 * M M^T - x; carrying t = d - down instead of d keeps full relative accuracy for tiny x.
 */
static int has_eigenvalue_below(const chain *c, double x)
{
    double t = up(c, 0) - x;
    for (size_t q = 0; q < c->processors; q++) {
        const double d = t + down(c, q + 1);
        if (d <= 0)
            return 1;
        t = up(c, q + 1) * (t / d) - x;
    }
    return 0;
}

clump_status clump_relaxation_time(size_t processors, double utilization,
                                   const clump_station *station, double *cycles, clump_error *error)
{
    chain c;
    clump_status status = check_utilization(utilization, 0, error);
    if (status == CLUMP_OK)
        status = chain_prepare(&c, processors, utilization, station, error);
    if (status != CLUMP_OK)
        return status;
    double low = 0, high = up(&c, 0) + down(&c, 1);
    while (!has_eigenvalue_below(&c, high))
        high *= 2;
    /* Halve geometrically first: the gap can be many orders below the rates. */
    low = high;
    while (has_eigenvalue_below(&c, low) && low > 1e-290)
        low /= 1024;
    while (high - low > 1e-15 * high) {
        const double middle = low + (high - low) / 2;
        if (middle <= low || middle >= high)
            break;
        if (has_eigenvalue_below(&c, middle))
            high = middle;
        else
            low = middle;
    }
    *cycles = 2 / (low + high);
    free(c.rate);
    return status;
}
