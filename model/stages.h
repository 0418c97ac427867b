/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef CLUMP_MODEL_STAGES_H
#define CLUMP_MODEL_STAGES_H

/*
 * Processors that differ, between two barriers (new; MODEL.md 25).
 *
 * From one barrier to the next each processor has its own work to do, C without NICs and D with them
 * (needs.h), in many small cycles. Who is done waits at the barrier and uses nothing any more. So
 * the time falls into stages: in each of them those that still have work, A, are in the state that
 * the demand says, until the first of them is done. The processor of the last stage is the one for
 * which all others wait.
 *
 *   independent  A is in its equilibrium; on its own the whole work of p would take
 *                (C_p + D_p) X_p(A), X_p of closed_network.h
 *   correlated   in each cycle all start to communicate together, and who has sent computes: the
 *                time is max(C_p + t_p), t_p of clump_correlated_slowdown
 *   gangs        a gang of neighbours is a customer that communicates until the last of its members
 *                has sent. Gangs are at their equilibrium, and leave one by one, too
 *   scheduled    the least time in which a schedule lets all be done
 *
 * The NOW, where nobody shares anything, takes max(C_p + D_p) of its own C and D.
 */

#include "model/needs.h"
#include "model/prediction.h"

#include <stdbool.h>
#include <stddef.h>

/** Who is done last. */
typedef struct clump_last {
    double time;         /**< from barrier to barrier, in the unit of the needs */
    size_t processor;    /**< from 0 */
    size_t group;        /**< processors that share NICs with it, itself included */
    clump_bounds bounds; /**< of `time`; all 0: none known, as of gangs that differ */
} clump_last;

/**
 * @param load   its demand and gang size are read, and a phase length refused; of utilizations and coupling only
 *               clump_coupling_waiting, where memory is shared
 * @param needs  P needs, one a processor in their order; both times of one may be 0: it waits at the barrier
 *               from the beginning. Their `processors` is not read
 * @param ends   receives P times from the barrier until the processor is done, or NULL
 * Errors: those of clump_predict; CLUMP_BAD_ARGUMENT also where processors differ and share memory with gangs (not of
 *         all) or a schedule, and where clump_scheduled_slowdown has one.
 * Cost: independent, K kinds of processors: K solutions of the closed network of those left, O(K P^2); with gangs of s
 *       twice that of P/s processors. Correlated, scheduled: O(P log P). CLUMP_STOPPED between two stages.
 */
clump_status clump_stages_solve(const clump_node *node, const clump_load *load,
                                const clump_need *needs, double *ends, clump_last *last,
                                clump_error *error);

/*
 * Internal to model/: the time alone, quickly, of processors that start together and share nothing but near NICs, in a
 * node that has been checked. `needs` are sorted. @return false: it is not that case
 */
bool model_stages_together(const clump_node *node, const clump_load *load, clump_need *needs,
                           double *time);

#endif
