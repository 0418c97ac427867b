/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef CLUMP_MODEL_PREDICTION_H
#define CLUMP_MODEL_PREDICTION_H

/*
 * The facade of the engine: given a node and the load that its processors put on it, the slowdown.
 *
 * Slowdown X is execution time on the Clump over execution time on the NOW (section 8.3.2). Where
 * processors differ, `slowdown` is their mean and `slowest` that of the processor for
 * which a bulk-synchronous program waits. The X_p themselves leave that waiting out.
 */

#include "model/demand.h"
#include "model/needs.h"
#include "model/node.h"
#include "model/status.h"
#include "model/tight_coupling.h"

#include <stddef.h>
#include <stdint.h>

typedef struct clump_load {
    const double *utilizations; /**< U on the NOW, 0 to 1 */
    size_t utilization_count;   /**< 1: the same for all; P: one a processor */
    clump_demand demand;
    double
        gang_size; /**< s, 1 to P, real; read for CLUMP_DEMAND_GANG. P is correlated demand. Gangs are
                                  neighbours: mapped statically, a gang shares NICs as far as they have room */
    clump_coupling coupling; /**< CLUMP_COUPLING_NONE for the plain model */
    double phase_cycles;     /**< length of the phase in cycles R+S for a transient; 0: equilibrium.
                                  Independent demand with equal utilizations only */
} clump_load;

typedef struct clump_prediction {
    double slowdown;             /**< mean of X_p; with scheduled demand the least that a
                                           schedule reaches; with correlated demand, where all wait
                                           for the slowest, the time from start to start */
    double slowest;              /**< greatest X_p */
    size_t slowest_processor;    /**< its index, from 0 */
    double adjusted_utilization; /**< mean U_adj: use of the NIC per time without contention */
    double mean_active;          /**< mean number of processors that use NICs; NAN for a
                                           transient, and for a schedule, which leaves it open */
    clump_bounds bounds, slowest_bounds; /**< of `slowdown` and of `slowest`; all 0: none known */
    double nic_utilization;              /**< mean share of the NICs' capacity in use, that of their
                                     slots if they share some; NAN for a transient */
} clump_prediction;

/**
 * Where to put what differs between processors or states; any of the pointers may be NULL. What
 * they point to is undefined after an error.
 */
typedef struct clump_prediction_details {
    double *slowdowns;    /**< P values X_p */
    double *distribution; /**< P+1 values: probability that q processors use NICs; independent
                               demand in equilibrium only */
} clump_prediction_details;

/**
 * Predict one phase.
 *
 * @param details  or NULL
 * Errors: CLUMP_BAD_ARGUMENT names what is wrong; CLUMP_INCONSISTENT if a solution fails its
 * checks; CLUMP_NO_CONVERGENCE if the best schedule cannot be shown to be
 * the best; CLUMP_STOPPED if the node's watch says so.
 * Cost: one utilization: O(P), no memory when N is constant; P utilizations: O(P^2). Where
 * processors share memory, that of clump_memory_rates is added; a static mapping then takes O(P^2),
 * for 10,000 processors at most.
 */
clump_status clump_predict(const clump_node *node, const clump_load *load,
                           clump_prediction *prediction, const clump_prediction_details *details,
                           clump_error *error);

/**
 * As clump_predict, for processors that differ in more than utilization, for example in how much of
 * their communication leaves the node: `needs` gives what each of them needs as amounts of time. Of
 * the load, demand, gang size and phase length are read; coupling and utilizations only where
 * memory is shared, for the share of time spent waiting for latency.
 *
 * @param needs  C and D of needs.h: one for all (`count` 1), or one a processor in their order;
 *               their `processors` is not read
 * Errors: also CLUMP_BAD_ARGUMENT for times below 0 or above 1e30, or both 0. Cost: as above.
 */
clump_status clump_predict_needs(const clump_node *node, const clump_load *load,
                                 const clump_need *needs, size_t count,
                                 clump_prediction *prediction,
                                 const clump_prediction_details *details, clump_error *error);

/** A question with numbers alone, for programs that ask many. */
typedef struct clump_plain_question {
    size_t processors, nics;
    double utilization;
    double max_nics_per_processor; /**< m >= 1, or 0 for no limit */
    double gang_size;              /**< s; read for CLUMP_DEMAND_GANG */
    double remote_fraction,
        cost_ratio;  /**< f and V; 1 and 1 where all communication leaves the node */
    int32_t demand;  /**< clump_demand */
    int32_t mapping; /**< clump_mapping */
} clump_plain_question;

/**
 * The slowdowns of many questions.
 *
 * @param slowdowns  receives `count` values; those up to the first error are set
 * @param done       receives how many are; or NULL
 * Errors: those of clump_predict, of the first question that has one. Cost: that of clump_predict for each.
 */
clump_status clump_slowdowns(const clump_plain_question *questions, size_t count, double *slowdowns,
                             size_t *done, clump_error *error);

/** A phase of a program: its load, and its time on the NOW in any unit (> 0). */
typedef struct clump_phase {
    clump_load load;
    double time;
} clump_phase;

/**
 * A program of phases that all processors go through together (8.3.4):
 * X = sum X_f T_f / sum T_f. In `slowest` all wait for the slowest processor in every phase; the
 * other means are weighted by time on the Clump, and `slowest_processor` is that of the longest
 * phase.
 *
 * @param by_phase  receives `count` predictions, or NULL; undefined after an error
 */
clump_status clump_predict_phases(const clump_node *node, const clump_phase *phases, size_t count,
                                  clump_prediction *prediction, clump_prediction *by_phase,
                                  clump_error *error);

/*
 * Internal to model/: what a simulation does the same way.
 */

/** The demand that it comes to: a gang of all processors of the node is correlated demand. */
clump_demand model_demand_of(const clump_load *load, size_t processors);

/**
 * NICs at the mean speed c make communication 1/c as long: of a NOW time in which the share U is
 * communication becomes 1 - U + U/c, all else left as it is (MODEL.md 12).
 *
 * @param count          processors, or 1 where all are alike
 * @param communication  D of needs.h, or NULL
 */
void model_apply_placement(const clump_node *node, size_t count, double *adjusted, double *factor,
                           double *communication);

/** Sums over phases: begin with all of them, add each, end with what clump_predict_phases returns. */
typedef struct model_phases {
    double unit; /**< of their times: the longest */
    double time, clump_time, longest;
    clump_prediction sum;
} model_phases;

clump_status model_phases_begin(const clump_phase *phases, size_t count, model_phases *all,
                                clump_error *error);
/** @return its time in units of the longest */
double model_phases_add(model_phases *all, const clump_phase *phase, const clump_prediction *one);
clump_prediction model_phases_end(const model_phases *all);

#endif
