/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef CLUMP_MODEL_LIKELY_STATES_H
#define CLUMP_MODEL_LIKELY_STATES_H

/*
 * Internal to model/. The closed network of equal processors (closed_network.h) where the number q of those
 * that communicate has one peak: only the states around it are computed, O(sqrt(P)) of them.
 *
 *   p_{q+1}/p_q = (P - q) w / mu(q+1)
 *
 * falls with q if mu does not fall: p is log-concave. MODEL.md 4.
 */

#include "model/station.h"
#include "model/status.h"

#include <stddef.h>

/** Whether mu(q) of the station is known not to fall with q: no efficiency E(q) is given. */
int model_likely_applies(const clump_station *station);

/**
 * @param U            above 0 and below 1
 * @param station      to which model_likely_applies
 * @param mean_active  receives E[q]
 * Errors: those of clump_station_check; CLUMP_INCONSISTENT. Cost: O(sqrt(P)) rates, no memory.
 */
clump_status model_likely_solve(size_t processors, double U, const clump_station *station,
                                double *slowdown, double *mean_active, clump_error *error);

/**
 * The closed network of equal customers: by its likely states where there are many, and it has one peak; else all of them.
 *
 * @param mean_active  receives E[q]
 * Errors: those of clump_network_solve. Cost: O(sqrt(P)) rates, or O(P).
 */
clump_status model_equal_solve(size_t customers, double U, const clump_station *station,
                               double *slowdown, double *mean_active, clump_error *error);

#endif
