/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef CLUMP_MODEL_LEAST_NICS_H
#define CLUMP_MODEL_LEAST_NICS_H

/*
 * clump_predict inverted: how many NICs keep the slowdown within a limit, and at which
 * utilization it stays within the limit.
 */

#include "model/prediction.h"

typedef struct clump_least_nics {
    size_t nics; /**< smallest N that was tried with X(N) within the limit; 0: none up to `most` */
    double real; /**< the real N at which X is the limit, where the closed form has one (pooled,
                          independent or gang demand, constant rate); NAN elsewhere. The smallest
                          whole N is then its ceiling */
    double slowdown; /**< X at `nics`; at the last N that was tried if there is none */
    /** Every N below `nics` and up to this one was tried or is known to be too small. Less than
     *  `most` where X may rise with N and there are too many N to try them all: above it only some
     *  were tried, so that an N below `nics` may be enough too. */
    size_t tried;
    /** Where X may rise with N: the least number above `nics`, up to that of processors and among the next 256, which is not enough; 0: none. */
    size_t but_not;
} clump_least_nics;

/** Most numbers of NICs that are tried one after the other; fewer are where these would take more
 *  than some seconds. */
#define CLUMP_LEAST_NICS_TRIED ((size_t)4096)

/**
 * Whether X(N) is known not to rise with N; `nics` is not read. MODEL.md 13 has the proof. It holds
 * where all NICs are near, for
 *
 * - pooled NICs: mu(q) does not fall with N for any q; gangs only in whole numbers or with a constant
 *   rate;
 * - a static mapping in equilibrium with one utilization, NICs that do not share slots, and an
 *   efficiency with which a processor gets no more when others communicate as well (E(q)/q does not
 *   rise; looked at for every q up to P, O(P)); gangs only with constant efficiency.
 *
 * Where processors share memory: pooled NICs, one utilization, a curve that does not fall, whole gangs.
 *
 * Elsewhere X can rise: a second port in a slot that is full takes from the first, and with another
 * number of NICs other processors may be near, or share one.
 */
int clump_least_nics_is_monotonic(const clump_node *node, const clump_load *load);

/** Only multiples of this number of NICs are tried. It is 1, so that all are, except where
 *  processors are not equally near to the NICs and there are more than CLUMP_LEAST_NICS_TRIED
 *  processors: then it is the number of domains, since a prediction with any other number of NICs
 *  takes O(P^2). */
size_t clump_least_nics_unit(const clump_node *node);

/**
 * The smallest number of NICs that keeps the slowdown within a
 * limit, to the accuracy of the computation (limit.h).
 *
 * Where X is known not to rise with N (clump_least_nics_is_monotonic), N is doubled and bisected on
 * the exact engine, starting from the real root where there is one. Elsewhere numbers are tried one
 * after the other, CLUMP_LEAST_NICS_TRIED of them at most, and then in growing steps. Those that are not
 * multiples of clump_least_nics_unit are skipped.
 *
 * @param node   `nics` is not read; group_sizes must be NULL
 * @param limit  of the slowdown, above 0
 * @param most   greatest N to consider, 1 to CLUMP_MAX_PROCESSORS
 * Cost: O(log most) predictions, up to CLUMP_LEAST_NICS_TRIED more where X may rise.
 */
clump_status clump_least_nics_find(const clump_node *node, const clump_load *load, double limit,
                                   size_t most, clump_least_nics *least, clump_error *error);

/** Ranges of utilization; more are not told apart. */
enum { CLUMP_MOST_RANGES = 16 };

/**
 * At which utilizations the slowdown stays within the limit (by more than the accuracy of the computation it is above it elsewhere):
 * all ranges of them from 0 to 1, in rising order.
 *
 * @param load  with one utilization, whose value is not read
 * @param ends  receives the first and the last of each range
 * @param count receives the number of ranges
 * Cost: some hundred predictions.
 */
clump_status clump_utilizations_within(const clump_node *node, const clump_load *load, double limit,
                                       double ends[2 * CLUMP_MOST_RANGES], size_t *count,
                                       clump_error *error);

#endif
