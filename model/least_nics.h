/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef CLUMP_MODEL_LEAST_NICS_H
#define CLUMP_MODEL_LEAST_NICS_H

/*
 * Inversions of clump_predict: how many NICs, and up to which utilization.
 */

#include "model/prediction.h"

typedef struct clump_least_nics {
    size_t nics;     /**< smallest N with X(N) <= the limit; 0: none up to `most` */
    double real;     /**< the real N at which X is the limit, where the closed form has one (pooled,
                          independent or gang demand, constant rate); NAN elsewhere. The smallest
                          whole N is then its ceiling */
    double slowdown; /**< X at `nics`; at `most` if there is none */
} clump_least_nics;

/**
 * The smallest number of NICs that keeps the slowdown (the mean over the processors) within a
 * limit.
 *
 * X does not grow with N as long as all NICs are near: N is doubled and bisected on the exact
 * engine, starting from the real root where there is one. With unequal placements X need not be
 * monotonic, and every N is tried.
 *
 * @param node   `nics` is not read; group_sizes must be NULL
 * @param limit  of the slowdown, above 0
 * @param most   greatest N to consider, 1 to CLUMP_MAX_PROCESSORS
 * Cost: O(log most) predictions, O(most) with unequal placements.
 */
clump_status clump_least_nics_find(const clump_node *node, const clump_load *load, double limit,
                                   size_t most, clump_least_nics *least, clump_error *error);

/**
 * The utilizations at which the slowdown is the limit, or next to which a node stays within it.
 *
 * @param load    one utilization, which is not read
 * @param from    the answer is looked for from here up
 * @param highest receives the least U > `from` at which X goes above the limit; 1 if it never does
 * Errors: CLUMP_BAD_ARGUMENT if X is above the limit already at `from`.
 * Cost: some hundred predictions.
 */
clump_status clump_highest_utilization(const clump_node *node, const clump_load *load, double limit,
                                       double from, double *highest, clump_error *error);

#endif
