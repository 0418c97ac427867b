/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "model/statistics.h"

#include <gsl/gsl_sort.h>
#include <gsl/gsl_statistics_double.h>
#include <math.h>

double clump_median(double *values, size_t count)
{
    gsl_sort(values, 1, count);
    return count > 0 ? gsl_stats_median_from_sorted_data(values, 1, count) : NAN;
}

double clump_quantile(const double *sorted, size_t count, double q)
{
    if (count == 0)
        return NAN;
    const double place = q * (double)(count - 1), below = floor(place);
    const size_t i = (size_t)below;
    return i + 1 < count ? sorted[i] + (place - below) * (sorted[i + 1] - sorted[i])
                         : sorted[count - 1];
}
