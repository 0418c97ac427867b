/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef CLUMP_MODEL_STATISTICS_H
#define CLUMP_MODEL_STATISTICS_H

/* Median and quantiles of a list of numbers. To sort one use gsl_sort. */

#include <stddef.h>

/** The median; NAN if there are no values. Sorts `values`. */
double clump_median(double *values, size_t count);

/** The value below which the share q (0 to 1) of `sorted` lies, interpolated; NAN if there are
 *  none. */
double clump_quantile(const double *sorted, size_t count, double q);

#endif
