/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef CLUMP_SCENARIOS_RECORDED_RECORDED_CHAIN_H
#define CLUMP_SCENARIOS_RECORDED_RECORDED_CHAIN_H

/*
 * Chains of dependent messages: rings, pipelines and wavefronts, in which messages between two ranks go one way only (MODEL.md
 * 28, "A ring in step"). Ranks need not wait for what they send, so that what they compute, and latency, hide behind the NIC of
 * their node.
 *
 *     facts -> clump_chain_find -> the chain -> clump_chain_place -> its ranks on nodes of P -> clump_chain_time_us
 */

#include "data/arena.h"
#include "data/store/recorded_facts.h"
#include "model/loggp.h"
#include "model/status.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** Steps of a rank, us. */
typedef struct clump_chain_row {
    double steps, before, after;
    double share; /**< of what its rank communicates */
} clump_chain_row;

/** All messages from a rank to another. */
typedef struct clump_chain_link {
    size_t from, to;
    double messages, bytes;
} clump_chain_link;

typedef struct clump_chain {
    size_t ranks;
    const clump_chain_row *rows;
    const size_t *first; /**< of each rank in `rows`, and one more */
    const clump_chain_link *links;
    size_t link_count;
    double runs; /**< stretches between collective operations, after which all begin anew */
    const double *computing_us; /**< of each rank, in its steps */
    double late_us; /**< that every rank waits at least for late partners, in all steps together */
} clump_chain;

/** On nodes of P processors, ranks block by block. */
typedef struct clump_chain_placed {
    const clump_chain *chain;
    size_t processors;
    bool cyclic;
    double
        link_us; /**< mean time of a link, of the cycle where it is longest; 0 where there is none */
    double fill_us; /**< until the last rank has begun, in all runs together */
    size_t nodes;   /**< the last one may have fewer ranks */
    double *
        busy_us; /**< of each node: time of one NIC for what leaves it, or comes, whichever is more */
    size_t *senders;      /**< of each node: ranks that send to others */
    size_t *remote_links; /**< of each node: from its ranks to those of others */
    double *overhead_us;  /**< of each rank */
} clump_chain_placed;

/**
 * Messages of all sizes together, sorted by sender and receiver, of pairs that have more than a few.
 * @param links  receives them, facts->traffic_count at most
 * @return their number
 */
size_t clump_chain_links(const clump_facts *facts, clump_chain_link *links);

/** Stretches without collectives, of a rank on average. */
double clump_chain_runs(const clump_facts *facts);

/** Whether all calls were traced, so that all steps are known. */
bool clump_chain_is_traced(const clump_facts *facts);

/**
 * @param scale    of each rank: its computation over that by the wall clock, which steps have
 * @param late_us  that each rank waits for late partners in calls between ranks
 * @param chain    receives NULL where messages between two ranks go both ways, where steps are not known for all calls,
 *                 and where collective operations leave no more than a few steps between them
 * Errors: CLUMP_NO_MEMORY. Cost: O(rows log rows).
 */
clump_status clump_chain_find(const clump_facts *facts, const double *scale, const double *late_us,
                              clump_arena *arena, const clump_chain **chain, clump_error *error);

/**
 * @param shared_memory  NULL: of no use, as no link stays in a node
 * @param half_duplex    a NIC sends or receives
 * Errors: CLUMP_NO_MEMORY. Cost: O(ranks times links) where there are cycles.
 */
clump_status clump_chain_place(const clump_chain *chain, size_t processors,
                               const clump_loggp *network, const clump_loggp *shared_memory,
                               bool half_duplex, clump_arena *arena, clump_chain_placed *placed,
                               clump_error *error);

/** The same chain with other numbers of ranks: `place`[r] is that of rank r, each once. Errors: CLUMP_NO_MEMORY. */
clump_status clump_chain_renumber(const clump_chain *chain, const uint32_t *place,
                                  clump_arena *arena, const clump_chain **renumbered,
                                  clump_error *error);

/** How long the chain takes, us. @param nics  of a node that messages take at once  @param penalty  factor of computation */
double clump_chain_time_us(const clump_chain_placed *placed, double nics, double penalty);

#endif
