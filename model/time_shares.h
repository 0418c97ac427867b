/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef CLUMP_MODEL_TIME_SHARES_H
#define CLUMP_MODEL_TIME_SHARES_H

/*
 * Internal to model/. Which share of its time a node should spend with q processors active, and
 * which processors, so that their mean slowdown is least; for stations where more than one q can be
 * part of the answer. MODEL.md 5 has the derivation.
 *
 *   j       state: q_j processors are active, each is served at the rate g_j = mu(q_j)/q_j
 *   tau_j   share of the time in state j; tau_0 is that in which nobody is active
 *   a_kj    share of the time in which a processor of class k is active in state j
 *   s_k     service that it receives per time, sum_j g_j a_kj; its slowdown is D_k/s_k
 *
 *   minimize  sum_k n_k D_k/s_k
 *   where     0 <= a_kj <= tau_j,   sum_j tau_j <= 1
 *             sum_k n_k a_kj <= q_j tau_j   (= where the state is exact)
 *             sum_j a_kj + C_k s_k/D_k <= 1
 */

#include "model/needs.h"
#include "model/status.h"
#include "model/watch.h"

#include <stdbool.h>
#include <stddef.h>

typedef struct model_share_state {
    double active; /**< q_j, whole */
    double rate;   /**< g_j */
    bool exact;    /**< fewer than q_j would be served at less than g_j each */
} model_share_state;

/**
 * @param needs      all with communication and processors; sum of the processors is P
 * @param states     ascending in q; only the last can have q = P and be exact
 * @param watch      or NULL; asked whether the time may be spent, before each attempt and before
 *                   the states that the attempt left out are looked at
 * @param slowdowns  receives one value a need
 * Errors: CLUMP_NO_CONVERGENCE if the result cannot be shown to be optimal to 1e-7; mostly it
 *         is to 2e-11.
 *         CLUMP_BAD_ARGUMENT if it would take longer than some ten seconds, or than `watch` allows;
 *         CLUMP_STOPPED.
 * Cost: with M states in use, mostly 5 to 15, some 40 rounds of K M^3; and a few of J K log K.
 */
clump_status model_time_shares_solve(const clump_need *needs, size_t count,
                                     const model_share_state *states, size_t state_count,
                                     const clump_watch *watch, double *slowdowns,
                                     clump_error *error);

#endif
