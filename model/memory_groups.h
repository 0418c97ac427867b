/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef CLUMP_MODEL_MEMORY_GROUPS_H
#define CLUMP_MODEL_MEMORY_GROUPS_H

/*
 * Internal to model/. Groups of processors that have NICs of their own, as in a static mapping, and share one
 * memory (new; MODEL.md 27).
 *
 *   q_g   customers of group g that communicate, Q their sum over the groups
 *   J     customers (processors or gangs) of all groups together
 *   K     those of them that compute: J - Q
 *
 * The equilibrium of all groups has product form, prod_g A_g(q_g) K!/V(K). Seen from one group, the
 * others only change the speed at which it computes: while k of its own customers compute, they go
 * on at the rate k E[nu(K)/K], which depends on k alone. So each group can be solved as a closed
 * network on its own, with this rate in place of nu.
 */

#include "model/node.h"
#include "model/station.h"
#include "model/watch.h"

#include <stddef.h>

/** Groups that are alike, solved once for all of them. */
typedef struct model_memory_group {
    size_t count;               /**< at least 1 */
    size_t customers;           /**< of each, processors or gangs, at least 1 */
    const double *utilizations; /**< one for all, or one a customer */
    size_t utilization_count;
    clump_station station; /**< of each; its gang_size is the same in all groups */
    /** Receives `customers` + 1 rates at which the customers of one group compute: put into its
     *  station as `computing`, with gang_size as computing_step. */
    double *rates;
} model_memory_group;

/** Largest J, and largest product of J and the number of groups that differ. */
#define MODEL_MEMORY_MOST_CUSTOMERS ((size_t)10000)
#define MODEL_MEMORY_MOST_STATES ((size_t)10000000)

/** What becomes of processors that fare alike. */
typedef struct model_outcome {
    double slowdown; /**< X of a class */
    double active; /**< share of its time in which it uses NICs; NAN where that is not determined */
    double served; /**< NIC service it receives per unit of time, NICs */
} model_outcome;

/** Processors from index `first` on that fare alike. */
typedef struct model_members {
    size_t first, count;
    model_outcome outcome;
} model_members;

/** The groups of a node that have processors, alike ones counted together. Release with
 *  model_sharing_free. */
typedef struct model_sharing {
    const clump_node *node;
    const double *computing; /**< nu(0..P) of the node */
    size_t distinct;         /**< 1: all processors are equal; P: each group stands for itself */
    model_groups *groups;
    size_t count;
    size_t all; /**< number of groups, each of the alike ones counted */
    /** Of each of the `count`: after model_sharing_solve its station has what it sees of memory. */
    model_memory_group *shares;
    double *rates;
} model_sharing;

/** How many groups of a node have processors. */
size_t model_sharing_groups(const clump_node *node);

clump_status model_sharing_make(model_sharing *sharing, const clump_node *node,
                                const double *computing, size_t distinct, clump_error *error);

/** Harmless on a zeroed struct. */
void model_sharing_free(model_sharing *sharing);

/**
 * What each group sees of memory, with independent demand.
 *
 * @param utilizations  one, or P
 * @param gangs         gangs in each group; 0: as many as there are processors
 * @param distribution  receives the probabilities that 0 to P processors communicate, or NULL
 * @param computed      receives the mean rate at which all compute, in customers
 */
clump_status model_sharing_solve(model_sharing *sharing, const double *utilizations, size_t gangs,
                                 double *distribution, double *computed, clump_error *error);

/** Check that the rate at which all processors compute is the same from the state probabilities
 *  (`by_state`) and from the slowdowns (`by_slowdown`, sum (1-U)/X). Errors: CLUMP_INCONSISTENT. */
clump_status model_sharing_check(const model_sharing *sharing, double by_slowdown, double by_state,
                                 clump_error *error);

/** Gangs of equal processors, in groups of one size; gangs larger than that are of several groups, up to all of the node.
 *  Between whole numbers of gangs X is linear in their size, as in clump_gang_slowdown.
 *  @param members  receives one for each of the `count` groups */
clump_status model_sharing_gangs(model_sharing *sharing, double utilization, double gang_size,
                                 model_members *members, clump_error *error);

/**
 * Correlated demand: all processors of the node start to send together, those of each group share
 * its NICs, and a processor that has sent computes beside all others of the node that compute.
 *
 * @param computation, communication  C and D (needs.h), one or P
 * @param members                     receives P, or one for each of the `count` groups; `active` and `served` are
 *                                    amounts of time, not shares
 */
clump_status model_sharing_correlated(model_sharing *sharing, const double *computation,
                                      const double *communication, model_members *members,
                                      clump_error *error);

/** Scheduled demand of equal processors, in groups of one size. Errors: CLUMP_BAD_ARGUMENT also
 *  where a NIC would serve several processors faster than one. */
clump_status model_sharing_scheduled(model_sharing *sharing, double computation,
                                     double communication, model_outcome *outcome,
                                     clump_error *error);

#endif
