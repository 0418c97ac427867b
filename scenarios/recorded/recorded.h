/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef CLUMP_SCENARIOS_RECORDED_RECORDED_H
#define CLUMP_SCENARIOS_RECORDED_RECORDED_H

/*
 * What was recorded of a program, in the terms of the model (new; MODEL.md 28):
 *
 *     facts, LogGP of both protocols -> clump_recorded_make -> the program
 *     the program, P                 -> clump_recorded_place -> what its ranks ask of nodes of P processors
 *     that, N, mapping, demand       -> clump_recorded_predict -> slowdown
 *
 * Memory is that of an arena of the caller, which must outlive what it holds.
 */

#include "data/arena.h"
#include "data/store/recorded_facts.h"
#include "model/loggp.h"
#include "model/prediction.h"
#include "model/workload/placed.h"
#include "model/workload/rank_order.h"
#include "scenarios/recorded/recorded_chain.h"
#include "scenarios/recorded/recorded_exchange.h"
#include "scenarios/recorded/recorded_kept.h"
#include "scenarios/recorded/recorded_together.h"

#include <stdbool.h>

/** What a rank's time of computation is. */
typedef enum clump_recorded_clock {
    CLUMP_RECORDED_AUTO,      /**< by the wall, unless ranks shared processors */
    CLUMP_RECORDED_WALL,      /**< time outside MPI */
    CLUMP_RECORDED_PROCESSOR, /**< of the processor, outside MPI */
} clump_recorded_clock;

typedef struct clump_recorded_options {
    const clump_loggp *network;       /**< of the platform that is asked about */
    const clump_loggp *shared_memory; /**< NULL: not known */
    clump_recorded_clock clock;
    bool half_duplex; /**< a NIC sends or receives */
    bool
        recorded_here; /**< it was recorded on the NOW of this platform: transfers take what they took there */
    double
        stripe_bytes; /**< messages are cut into pieces of this size, which take different NICs; 0: what the MPI library
                              is known for; HUGE_VAL: they are not */
    clump_rank_order order; /**< which ranks are on a node */
    clump_recorded_kept *
        kept; /**< of these facts, where their calls stay unpacked; NULL: they are unpacked each time */
} clump_recorded_options;

/** A rank, times in microseconds. */
typedef struct clump_recorded_rank {
    double computation; /**< as it was recorded, to which memory penalties apply */
    double late;        /**< waiting for late partners that is there on any network */
    double transfer;    /**< inside MPI without that; NAN: not known */
    clump_placed_style style;
} clump_recorded_rank;

enum { CLUMP_RECORDED_NOTES = 12 };

/** A program; recorded_make.c has where its numbers come from. */
typedef struct clump_recorded {
    const clump_facts *facts; /**< of the caller */
    clump_recorded_options options;
    clump_loggp network, shared_memory; /**< where the options point */
    size_t ranks;
    const clump_recorded_rank *rank;
    const clump_placed_messages *messages; /**< rank to rank, by size */
    size_t message_count;
    const clump_chain *chain; /**< its messages between ranks are one; NULL: they are not */
    size_t chained; /**< so many of `messages` are its, the last ones before those of `together` */
    const clump_exchanging
        *exchange; /**< its messages between ranks are exchanges in step; NULL: they are not */
    const clump_together
        *together;      /**< collective operations that all ranks wait for; NULL: there are none */
    size_t in_together; /**< so many of `messages`, the last ones, are theirs */
    double together_us; /**< that they took, if transfers take what they took; NAN: not known */
    double
        in_flight; /**< messages that a rank has on its way at a time, pieces included; at least 1 */
    bool peer_by_peer; /**< those to one peer take one NIC */
    bool
        open_mpi; /**< messages take NICs in turn, and long ones all of them, as with Open MPI over TCP */
    double
        in_turn; /**< share of the bytes in messages that take NICs in turn, every other one (Open MPI over TCP) */
    double
        calls_now_us; /**< time of the calls that the facts have, on the NOW; 0: they are not played (recorded_calls.h) */
    double calls_events;    /**< of that */
    double processor_share; /**< processor time over time outside MPI, all ranks; NAN: not known */
    bool alone;             /**< every rank had a node of its own: it was a NOW */
    bool
        scheduled_apart; /**< ranks shared processors: who does what at a time is that of their scheduler */
    bool late_known; /**< waiting for late partners was recorded and can be believed */
    const char
        *notes[CLUMP_RECORDED_NOTES]; /**< what cannot be known, or is assumed: a sentence each */
    size_t note_count;
} clump_recorded;

/**
 * @param error  the first thing that is missing
 * Errors: CLUMP_BAD_ARGUMENT for facts that do not fit together; CLUMP_NO_MEMORY. Cost: O(rows of the facts).
 */
clump_status clump_recorded_make(const clump_facts *facts, const clump_recorded_options *options,
                                 clump_arena *arena, clump_recorded *program, clump_error *error);

/** Add to its notes, as printf does. Without memory, or room, it is not said. */
__attribute__((format(printf, 3, 4))) void
clump_recorded_note(clump_recorded *program, clump_arena *arena, const char *format, ...);

/** How the processors of a node communicate together. Where nothing tells, they are taken to do so all at once, as measured
 *  programs did that synchronize (MODEL.md 18), and the interval is all that is possible. */
typedef struct clump_recorded_gangs {
    bool known;             /**< fitted to what was recorded */
    const char *doing;      /**< "transferring" or "in MPI": what q counts */
    double size, low, high; /**< s of nodes of P, and its 90% interval (NAN: none) */
    double ratio;           /**< below 1: they avoid each other */
    double observations;    /**< independent ones behind it; NAN: not known */
    bool rejects_independent, rejects_correlated;
    size_t
        recorded_processors; /**< nodes of which they were counted for: P, or the nearest number that there is */
} clump_recorded_gangs;

/** Ranks on nodes of P processors, in the order of the options. Times are shares of the program's time on the NOW. */
typedef struct clump_recorded_placed {
    size_t processors;
    size_t nodes;     /**< that are full */
    size_t left_over; /**< ranks on one more node that is not */
    double now_s;     /**< time on the NOW */
    size_t
        kept; /**< nodes that may be the slowest; the first is that of the rank that is last on the NOW */
    const double *computation; /**< `kept` times P, node by node */
    const double *local;       /**< messages within the node, what is no transfer */
    const double *local_sent, *local_received;
    const double *idle;            /**< waiting for partners and latency */
    const double *slack;           /**< waiting for the last rank, which has most to do */
    const double *sent, *received; /**< service of NICs, which go both ways at once */
    const double
        *serial; /**< share of the shorter of both that is not under way with the longer one */
    /* Means over the first of them, in the terms of chapter 8. */
    double utilization, remote_fraction, cost_ratio, waiting_fraction;
    const clump_chain_placed
        *chain;      /**< whose time and messages are not in the lists above; NULL: none */
    double chain_us; /**< how long it takes on the NOW */
    const clump_recorded *
        program; /**< whose collectives and exchanges are not in the lists above either; NULL: none */
    const clump_recorded *calls; /**< whose calls can be played again; NULL: none */
    double together_us;          /**< how long they take on the NOW */
    double exchange_us;    /**< how long exchanges in step take on the NOW; 0: there are none */
    double together_scale; /**< they take so many times what they take message by message */
    bool peer_by_peer;     /**< messages to one peer take one NIC */
    double in_turn;        /**< share of what is sent that takes every other NIC in turn */
    double most_nics;      /**< that a processor keeps busy */
    clump_recorded_gangs gangs;
} clump_recorded_placed;

/**
 * Errors: CLUMP_BAD_ARGUMENT where P is more than there are ranks, where ranks that take turns leave nodes that are not full, and where LogGP parameters are missing that it takes.
 * Cost: O(messages + ranks log ranks).
 */
clump_status clump_recorded_place(const clump_recorded *program, size_t processors,
                                  clump_arena *arena, clump_recorded_placed *placed,
                                  clump_error *error);

/** The demand of its gangs: independent for s = 1, correlated for s = P, gangs in between. */
clump_demand clump_recorded_demand(const clump_recorded_placed *placed, double *gang_size);

/**
 * The slowdown of the program, which waits for its last rank.
 *
 * Sending and receiving are two stations: a rank is done when the longer of both is, or one after the other.
 *
 * Gangs of processors that differ have no solution of their own. They lie between independent and correlated demand as far as
 * gangs of equal processors do.
 *
 * @param node            of placed->processors
 * @param memory_penalty  time of computation on the node over the recorded one
 * @param prediction      of the node of that rank; `slowdown` and `slowest` are both those of the program
 * Errors: those of clump_predict. Cost: that of clump_predict_needs for each node that is kept and each way; gangs take it five times, and
 * ranks that do not send and receive at once some ten times.
 */
clump_status clump_recorded_predict(const clump_recorded_placed *placed, const clump_node *node,
                                    clump_demand demand, double gang_size, double memory_penalty,
                                    clump_prediction *prediction, clump_error *error);

#endif
