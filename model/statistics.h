/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef CLUMP_MODEL_STATISTICS_H
#define CLUMP_MODEL_STATISTICS_H

/* What is asked of a list of numbers. To sort one: gsl_sort. */

#include <stddef.h>

/** The median; NAN of no values. Sorts them. */
double clump_median(double *values, size_t count);

/** The value below which the share q (0 to 1) of ascending values is, interpolated; NAN of none. */
double clump_quantile(const double *sorted, size_t count, double q);

#endif
