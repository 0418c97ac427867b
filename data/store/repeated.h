/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef CLUMP_DATA_STORE_REPEATED_H
#define CLUMP_DATA_STORE_REPEATED_H

/* One number that was measured several times: samples of statistic "single". */

#include "data/store/store.h"

/** Start with all zero. */
typedef struct clump_store_repeated {
    size_t count;
    double origin, sum, squares; /* distances from the first, whose digits would be lost */
    double half_width;           /* that the first sample has itself; NAN: none */
} clump_store_repeated;

void clump_store_repeated_add(clump_store_repeated *repeated,
                              const clump_store_measurement *measured);

/**
 * The mean, NAN without samples.
 * @param half_width  receives half of its 95% interval: of several from their scatter, by Student's t (equation (5.1)
 *                    of the thesis has 2 for 100 of them, and 2.01 for 50); of one alone what is said of it; NAN
 *                    if nothing is known
 */
double clump_store_repeated_mean(const clump_store_repeated *repeated, double *half_width);

#endif
