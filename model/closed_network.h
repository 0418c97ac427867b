/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef CLUMP_MODEL_CLOSED_NETWORK_H
#define CLUMP_MODEL_CLOSED_NETWORK_H

/*
 * The closed network of section 8.2, solved exactly for any mix of utilizations and any mu(q).
 *
 *   U_p    utilization of processor p with a NIC of its own, 0 to 1
 *   q      processors that communicate
 *   pi(q)  equilibrium probability of q
 *   X_p    slowdown of processor p:  X_p = (1-U_p) Z(w)/Z(w without p)      (new; MODEL.md 4)
 *
 * The sum over subsets (8.4) is never formed. Processors are scanned one after the other; the
 * solver keeps, for the number of communicating processors so far, ratios of tail sums (backward)
 * and true probabilities (forward). Both are bounded by the ratios q/mu(q) whatever the size, and
 * only positive terms are added, so that nothing overflows and nothing cancels.
 *
 * Every solution is checked before it is returned: probabilities sum to 1,
 *   sum_p (1-U_p)/X_p = P - E[q]      (idle time),
 *   sum_p U_p/X_p     = E[mu(q)]      (flow balance through the NICs).
 * A solution that fails is withheld with CLUMP_INCONSISTENT.
 */

#include "model/station.h"
#include "model/status.h"
#include "model/watch.h"

#include <stddef.h>

/** A class of processors with equal utilization. */
typedef struct clump_class {
    double utilization; /**< U, 0 to 1 */
    size_t processors;  /**< may be 0 */
} clump_class;

/** What the whole station does in equilibrium. */
typedef struct clump_network_totals {
    double mean_active; /**< E[q], processors */
    double throughput;  /**< E[mu(q)], NICs */
} clump_network_totals;

/**
 * Solve for K classes.
 *
 * @param classes       K classes; the processors of all together are P, 1 to CLUMP_MAX_PROCESSORS
 * @param station       mu(q)
 * @param watch         or NULL; is told now and then what share of the work is done, and may stop it
 * @param slowdowns     receives K slowdowns, one a class (1 for an empty class)
 * @param distribution  receives pi(0..P), or NULL
 * @param totals        receives E[q] and E[mu(q)], or NULL
 * Errors: also CLUMP_STOPPED.
 * Cost: with n the size of the largest class, O(n + (P-n) P) time; for one class O(P).
 *       Memory O(P sqrt(P)) for distinct utilizations, O(P) for one class.
 */
clump_status clump_network_solve(const clump_class *classes, size_t class_count,
                                 const clump_station *station, const clump_watch *watch,
                                 double *slowdowns, double *distribution,
                                 clump_network_totals *totals, clump_error *error);

/*
 * Internal to model/. The checks that every solution of the closed network passes before it is
 * returned: the probabilities sum to 1, idle time and flow balance by state and by slowdown agree
 * (MODEL.md 2).
 */

typedef struct model_network_solution {
    const clump_class *classes;
    size_t class_count;
    const clump_station *station;
    size_t processors;
    const double *distribution; /**< pi(0..P) */
    const double *slowdowns;    /**< one a class */
} model_network_solution;

/**
 * @param totals  filled in if the solution passes
 * Errors: CLUMP_INCONSISTENT. Cost: O(P).
 */
clump_status model_network_check(const model_network_solution *solution,
                                 clump_network_totals *totals, clump_error *error);

#endif
