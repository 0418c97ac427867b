/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "data/store/repeated.h"

#include <gsl/gsl_cdf.h>

#include <math.h>

void clump_store_repeated_add(clump_store_repeated *repeated,
                              const clump_store_measurement *measured)
{
    if (repeated->count++ == 0) {
        repeated->origin = measured->value;
        repeated->half_width = measured->half_width;
    }
    const double away = measured->value - repeated->origin;
    repeated->sum += away;
    repeated->squares += away * away;
}

double clump_store_repeated_mean(const clump_store_repeated *repeated, double *half_width)
{
    const double n = (double)repeated->count, mean = repeated->sum / n;
    *half_width = NAN;
    if (repeated->count == 1)
        *half_width = repeated->half_width;
    if (repeated->count > 1)
        *half_width = gsl_cdf_tdist_Pinv(0.975, n - 1) *
                      sqrt(fmax(repeated->squares - n * mean * mean, 0) / (n - 1) / n);
    return repeated->origin + mean;
}
