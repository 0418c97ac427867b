/* SPDX-License-Identifier: GPL-3.0-or-later */
/**
 * What two processes of a team time of their messages (5.3.1, figure 5.6), and LogGP from it. Ranks 0 and 1 call all of it; rank 0
 * learns the result.
 */
#ifndef CLUMP_PROTOCOLS_CALIBRATION_PAIR_H
#define CLUMP_PROTOCOLS_CALIBRATION_PAIR_H

#include "protocols/calibration/stage.h"

/** Messages from one rank to another. */
typedef struct clump_pair {
    unsigned client;      /**< the rank that sends; 0 but for round trips */
    unsigned destination; /**< of its messages */
    unsigned handler;     /**< CLUMP_TEAM_ECHO or CLUMP_TEAM_ACKNOWLEDGE */
    unsigned size;        /**< up to 32 as arguments, above as bulk data */
    unsigned messages;    /**< that are timed */
    unsigned window;      /**< of these at once; of clump_pair_windows() */
    unsigned warm;        /**< round trips before, in which estimates settle */
    unsigned bursts;      /**< of `messages`; of clump_pair_bursts() */
    uint64_t turns;       /**< of the pause; of clump_pair_apart() */
    double *pause_us;     /**< receives the pause, mean; of clump_pair_apart() */
    double clock_ns;
} clump_pair;

/* Measurements of team.h with a clump_pair as setup: us a message. */

/** (b): bursts that fill the queue while the receiver is held back. */
clump_team_measurement clump_pair_bursts;
/** (c): send, compute for longer than a round trip, accept the reply; the pause included. */
clump_team_measurement clump_pair_apart;
/** (d): `window` messages, then wait for all replies, until all are sent. */
clump_team_measurement clump_pair_windows;
/** Polls of an endpoint to which nothing comes: `messages` of them. */
clump_team_measurement clump_pair_empty_polls;

/** The turns of a pause that is longer than a round trip of so many us; of 200 us at most: a message takes longer only if its
 *  receiver has no processor, and a loop that waits for that would keep it from one. */
uint64_t clump_pair_turns(double round_trip_us);

/** How much of each is measured, at effort 1. */
typedef struct clump_pair_amounts {
    unsigned warm, trips, burst, bursts, apart, stream, polls;
} clump_pair_amounts;

/** What clump_pair_loggp() measures: us a message; of the round trips the sum of both directions. */
enum {
    CLUMP_PAIR_TRIPS,
    CLUMP_PAIR_SEND,
    CLUMP_PAIR_SUM,
    CLUMP_PAIR_PAUSE,
    CLUMP_PAIR_GAP,
    CLUMP_PAIR_POLL,
    CLUMP_PAIR_NUMBERS
};

/**
 * Short messages from rank 0 to 1 and back, of which the other one is destination `offset` + rank.
 * @param before  called before the round trips, the gap and, with `held_high`, the bursts; may be NULL
 * @param r       receives CLUMP_PAIR_NUMBERS numbers
 */
void clump_pair_loggp(struct clump_team_member *member, const clump_pair_amounts *amounts,
                      unsigned offset, double clock_ns,
                      void (*before)(struct clump_team_member *member, const void *context,
                                     bool held_high),
                      const void *context, double *r);

/** Hand these numbers out. */
void clump_pair_give(clump_stage *stage, clump_calibration_sample sample,
                     const clump_pair_amounts *amounts, const double *r);

/** o_r = S - D - o_s. Where the overheads differ by less than they scatter it could fall below 0, and
 *  is not handed out. */
void clump_pair_give_receive(clump_stage *stage, clump_calibration_sample sample, double us,
                             int64_t iterations);

#endif
