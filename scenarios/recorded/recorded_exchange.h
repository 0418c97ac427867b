/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef CLUMP_SCENARIOS_RECORDED_RECORDED_EXCHANGE_H
#define CLUMP_SCENARIOS_RECORDED_RECORDED_EXCHANGE_H

/*
 * Exchanges in step: in each step a rank computes, sends to all of its partners, and goes on when it has heard of all of them (halo
 * exchanges, MODEL.md 28, "Exchanges in step"). NICs that ranks share let them go one after the other, and in the next step they come to
 * it one after the other: how much that helps depends on who waits for whom, so that some steps are played message by message.
 *
 *     facts -> clump_exchanging_find -> the exchange -> clump_exchanging_play, on any nodes -> time
 */

#include "scenarios/recorded/recorded_together.h"

/** Steps of a rank that are alike. */
typedef struct clump_exchanging_row {
    double share; /**< of its steps */
    double before,
        after; /**< us that each computes before its messages are sent, and from then on */
} clump_exchanging_row;

/** What a rank sends to another in each step. */
typedef struct clump_exchanging_link {
    size_t from, to;
    size_t messages; /**< of a step, at least 1 */
    double bytes;    /**< of each */
    size_t place;    /**< among the links of its sender, in the order in which it sends */
} clump_exchanging_link;

typedef struct clump_exchanging {
    size_t ranks;
    const clump_exchanging_row *rows;
    const size_t *first; /**< of each rank in `rows`, and one more */
    const clump_exchanging_link *links;
    size_t link_count;
    double runs;                /**< stretches between collectives, which all begin together */
    double steps;               /**< of a run */
    const double *computing_us; /**< of each rank, in all of its steps */
    double late_us;             /**< mean of what ranks wait for late partners in a step */
    double played;              /**< steps that are played at most */
    double share_alike;         /**< of ranks whose long steps come at the same time */
    double rest_us;             /**< that is waited in a run beside what they explain */
} clump_exchanging;

/**
 * @param scale     of each rank: its computation over that by the wall clock, which steps have
 * @param late_us   that each rank waits for late partners in calls between ranks
 * @param exchange  receives NULL where ranks do not send to each of their partners in each step, where steps are not known for all
 *                  calls, and where there are too many messages
 * Errors: CLUMP_NO_MEMORY. Cost: O(rows log rows), and two of what is said below.
 */
clump_status clump_exchanging_find(const clump_facts *facts, const double *scale,
                                   const double *late_us, clump_arena *arena,
                                   const clump_exchanging **exchange, clump_error *error);

/** Time of all its steps. @param penalty  factor of computation. Errors: those of clump_schedule_run. Cost: some 3 events a
 *  message that is played, twice at most. */
clump_status clump_exchanging_play(const clump_exchanging *exchange,
                                   const clump_together_machine *machine, double penalty,
                                   clump_together_time *time, clump_error *error);

#endif
