/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef CLUMP_MODEL_NETWORK_CHECK_H
#define CLUMP_MODEL_NETWORK_CHECK_H

/*
 * Internal to model/. The checks that every solution of the closed network passes before it is
 * returned: the probabilities sum to 1, idle time and flow balance by state and by slowdown agree
 * (MODEL.md 2), and every slowdown lies within its bounds.
 */

#include "model/closed_network.h"

/** Probabilities below this count as nothing; well above where double goes denormal and slow. */
#define MODEL_NEGLIGIBLE_PROBABILITY 1e-300

/** A processor with less communication than this neither notices the NICs nor is noticed. */
#define MODEL_LEAST_UTILIZATION 1e-290

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
