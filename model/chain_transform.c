/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "model/chain.h"

#include <complex.h>
#include <math.h>

/*
 * Letters: s the Laplace variable; v_q the transform of r for a start in state q,
 *     (s + up_q + down_q) v_q - up_q v_{q+1} - down_q v_{q-1} = rho_q.
 * Eliminated from q = P down, v_q = alpha_q + (1 - gamma_q) v_{q-1}; v_0 = alpha_0. Writing gamma
 * for 1 - down/(...) avoids the subtraction that would cancel for small s.
 */

/* CMPLX of the standard, which not every compiler's headers have. All parts are finite here. */
static double complex complex_of(double real, double imaginary)
{
    return real + imaginary * I;
}

/* 1/b without the checks for infinities that the language asks of complex division. The larger part
   is divided out first, so that no square leaves the range of double. */
static double complex reciprocal(double complex b)
{
    const double scale = fmax(fabs(creal(b)), fabs(cimag(b)));
    const double real = creal(b) / scale, imaginary = cimag(b) / scale;
    const double norm = (real * real + imaginary * imaginary) * scale;
    return complex_of(real / norm, -imaginary / norm);
}

/* Transform of r(t) at s. */
static double complex transform(const model_chain *c, double complex s)
{
    double complex alpha = 0, gamma = 0;
    for (size_t q = c->processors + 1; q-- > 0;) {
        const double birth = model_chain_up(c, q);
        const double complex gain = s + birth * gamma;
        const double complex inverse = reciprocal(gain + model_chain_down(c, q));
        alpha = (model_chain_service(c, q) + birth * alpha) * inverse;
        gamma = gain * inverse;
    }
    return alpha;
}

/* The contour of Talbot in the form of Weideman (2006): z(angle) and its derivative. */
static void contour(double angle, int nodes, double complex *z, double complex *slope)
{
    const double cotangent = 1 / tan(0.6407 * angle), sine = sin(0.6407 * angle);
    *z = nodes * complex_of(0.5017 * angle * cotangent - 0.6122, 0.2645 * angle);
    *slope = nodes * complex_of(0.5017 * (cotangent - 0.6407 * angle / (sine * sine)), 0.2645);
}

void model_chain_by_transform(const model_chain *chain, double t, int nodes, double *rate,
                              double *served)
{
    const double pi = 3.14159265358979323846;
    double complex sum_rate = 0, sum_served = 0;
    for (int k = 0; k < nodes / 2; k++) {
        double complex z, slope;
        contour((2 * k + 1) * pi / nodes, nodes, &z, &slope);
        const double complex value = cexp(z) * slope * transform(chain, z / t);
        sum_rate += value;
        sum_served += value * reciprocal(z); /* 1/s integrates */
    }
    /* The conjugate nodes double the imaginary part; 1/t comes from ds = dz/t. */
    *rate = 2 * cimag(sum_rate) / nodes / t;
    *served = 2 * cimag(sum_served) / nodes;
}
