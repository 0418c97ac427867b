/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "fitting/variance_indices.h"

#include <math.h>

typedef struct moments {
    double mean, variance; /* of A and B together */
} moments;

static moments take_moments(const double *f_a, const double *f_b, size_t count)
{
    const double n = 2 * (double)count;
    double sum = 0, squares = 0;
    for (size_t k = 0; k < count; k++)
        sum += f_a[k] + f_b[k];
    const double mean = sum / n;
    for (size_t k = 0; k < count; k++)
        squares += (f_a[k] - mean) * (f_a[k] - mean) + (f_b[k] - mean) * (f_b[k] - mean);
    return (moments){mean, squares / (n - 1)};
}

/* E[(f - f_ai)^2]/(2 V), and its standard error from the residuals of the ratio. */
static double ratio(const double *f, const double *f_ai, const double *f_a, const double *f_b,
                    size_t count, moments m, double *error)
{
    const double n = (double)count;
    double sum = 0, residuals = 0;
    for (size_t k = 0; k < count; k++)
        sum += (f[k] - f_ai[k]) * (f[k] - f_ai[k]) / 2;
    const double found = sum / n / m.variance;
    for (size_t k = 0; k < count; k++) {
        const double a = f_a[k] - m.mean, b = f_b[k] - m.mean;
        const double e = (f[k] - f_ai[k]) * (f[k] - f_ai[k]) / 2 - found * (a * a + b * b) / 2;
        residuals += e * e;
    }
    *error = sqrt(residuals / n / (n - 1)) / m.variance;
    return found;
}

/* E[(f_b - m) (f_ai - f_a)]/V, and its standard error. */
static double product(const double *f_ai, const double *f_a, const double *f_b, size_t count,
                      moments m, double *error)
{
    const double n = (double)count;
    double sum = 0, residuals = 0;
    for (size_t k = 0; k < count; k++)
        sum += (f_b[k] - m.mean) * (f_ai[k] - f_a[k]);
    const double found = sum / n / m.variance;
    for (size_t k = 0; k < count; k++) {
        const double a = f_a[k] - m.mean, b = f_b[k] - m.mean;
        const double e = b * (f_ai[k] - f_a[k]) - found * (a * a + b * b) / 2;
        residuals += e * e;
    }
    *error = sqrt(residuals / n / (n - 1)) / m.variance;
    return found;
}

clump_status clump_variance_index_estimate(const double *f_a, const double *f_b, const double *f_ai,
                                           size_t count, clump_variance_index *index,
                                           clump_error *error)
{
    if (count < 2)
        return clump_fail(error, CLUMP_BAD_ARGUMENT, "samples: %zu, expected at least 2", count);
    const moments m = take_moments(f_a, f_b, count);
    clump_variance_index found = {0, 0, 0, 0};
    if (m.variance > 1e-28 * m.mean * m.mean) {
        double other_error;
        const double other = product(f_ai, f_a, f_b, count, m, &other_error);
        found.first = 1 - ratio(f_b, f_ai, f_a, f_b, count, m, &found.first_error);
        if (other_error < found.first_error) {
            found.first = other;
            found.first_error = other_error;
        }
        found.total = ratio(f_a, f_ai, f_a, f_b, count, m, &found.total_error);
    }
    *index = found;
    return CLUMP_OK;
}
