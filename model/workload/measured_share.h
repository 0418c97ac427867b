/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef CLUMP_MODEL_WORKLOAD_MEASURED_SHARE_H
#define CLUMP_MODEL_WORKLOAD_MEASURED_SHARE_H

/*
 * Other numbers of NICs from a share of communication that was measured behind those that are there (new; MODEL.md 12).
 *
 * Nobody measures U on a NOW of as many nodes as there are cores. Everybody has the share s of the time that a program
 * communicates on nodes with N NICs, waiting for NICs included. Computation takes the same time on both, so that
 *
 *     (1 - U)/X(U; N) = 1 - s
 *
 * which falls from 1 to 0 in U where neither memory nor lost efficiency is in X, and has one root. X(U; N')/X(U; N) is the
 * answer for N' NICs. When processors communicate decides much. How busy the NICs are, b, tells it: with b = U P/(N X) the
 * utilization follows without the demand,
 *
 *     U = k/(1 + k),    k = b N/((1 - s) P),    X = (1 - U)/(1 - s),
 *
 * and the demand is that of the gangs whose X this is: of one processor (independent) up to all (correlated).
 */

#include "model/prediction.h"

typedef struct clump_measured_share {
    /** As it was measured: equal processors, pooled NICs, no shared memory and no loss of efficiency. */
    clump_node node;
    double communicating; /**< s, 0 to below 1; waiting for partners that are late taken out */
    double
        busy; /**< b, mean share of the NICs' line rate that is in use, above 0 to 1; NAN: not known */
} clump_measured_share;

/** What may be between demands that fit. */
typedef enum clump_share_timing {
    CLUMP_SHARE_UNKNOWN, /**< b is not known: anything from independent to correlated */
    CLUMP_SHARE_GANGS,   /**< s and b fit gangs of one size */
    CLUMP_SHARE_OVER_BUSY, /**< the NICs are busier than independent processors make them: also by other traffic, or by
                                communication behind computation. Taken as independent */
    CLUMP_SHARE_LATE /**< the NICs are less busy than if all communicated at once: the rest of s is latency or waiting for
                          partners, which other NICs do not change. Taken as correlated, for the part that b explains */
} clump_share_timing;

typedef struct clump_share_load {
    double utilization;
    double gang_size; /**< 1: independent; P: correlated */
    double slowdown;  /**< X(U; N) */
    double busy;      /**< U P/(N X) */
} clump_share_load;

typedef struct clump_share_loads {
    clump_share_load independent, correlated; /**< that s stands for at either end */
    clump_share_timing timing;
    clump_share_load fitted; /**< by b; not set if it is not known */
    double waiting;          /**< CLUMP_SHARE_LATE: part of s that no NIC explains; else 0 */
} clump_share_loads;

/**
 * The loads that a measured share stands for.
 *
 * Errors: CLUMP_BAD_ARGUMENT for numbers out of range and for nodes with static mapping, memory or efficiency; those of
 * clump_predict. Cost: some 40 times clump_predict.
 */
clump_status clump_measured_share_loads(const clump_measured_share *share, clump_share_loads *loads,
                                        clump_error *error);

/** The time with other NICs over that with those that were measured, X(U; N')/X(U; N). */
typedef struct clump_share_change {
    double independent, correlated; /**< at either end of the demand */
    double fitted;                  /**< by how busy the NICs are; NAN: not known */
    double least, most;             /**< `fitted`, or both ends */
    double low,
        high; /**< of these the interval by the model's errors (CLUMP_CHANGE_OTHER_NIC, CLUMP_MODEL_ERROR_LEVEL),
                           between 1 and N/N'; 1 where N' = N */
} clump_share_change;

/**
 * @param loads  of the same share
 * @param nics   N', at least 1
 * Errors: those of clump_predict. Cost: three times clump_predict.
 */
clump_status clump_measured_share_change(const clump_measured_share *share,
                                         const clump_share_loads *loads, size_t nics,
                                         clump_share_change *change, clump_error *error);

#endif
