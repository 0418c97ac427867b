/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef CLUMP_SCENARIOS_RECORDED_RECORDED_H
#define CLUMP_SCENARIOS_RECORDED_RECORDED_H

/*
 * A program that was recorded, played again message by message (MODEL.md 30): which message waits for which, and what is computed
 * meanwhile, is in its calls, whatever the program is.
 *
 *     kept calls, LogGP of both protocols -> clump_recorded_make -> the program, played on the NOW
 *     the program, P -> clump_recorded_place -> its ranks on nodes of P processors
 *     that, a node   -> clump_recorded_predict -> slowdown
 *
 * Memory is that of an arena of the caller, which must outlive what it holds.
 */

#include "data/arena.h"
#include "data/store/recorded_run.h"
#include "model/loggp.h"
#include "model/prediction.h"
#include "model/simulation/schedule.h"
#include "model/workload/rank_order.h"

#include <pthread.h>
#include <stdbool.h>

/**
 * A recorded run with schedules of its calls, each made once it is needed: for whoever makes programs of it again and again, or
 * predicts many rows of one. It outlives them.
 */
typedef struct clump_recorded_kept {
    struct clump_recorded_kept *next;
    clump_recorded_run *run; /**< its own */
    struct clump_recorded_schedule *schedules;
    pthread_mutex_t lock; /**< of the schedules */
} clump_recorded_kept;

/** What of a run can be played. */
typedef struct clump_recorded_schedule {
    struct clump_recorded_schedule *next;
    size_t
        processors; /**< of the nodes whose ranks collectives look at; 1 where the library looks at none */
    clump_rank_order order;
    clump_schedule *schedule;
    double left_out; /**< operations and messages that wait for what is not in it */
} clump_recorded_schedule;

/** Put it before the others of a list, which may be empty. NULL: no memory; the run is freed. */
clump_recorded_kept *clump_recorded_kept_add(clump_recorded_kept **list, clump_recorded_run *run);

/** All of a list; NULL is allowed. */
void clump_recorded_kept_free(clump_recorded_kept *list);

/** Bytes that it takes with a schedule, about. */
double clump_recorded_kept_bytes(const clump_recorded_run *run);

enum { CLUMP_RECORDED_MOST_OPERATIONS = 1 << 24 };

/**
 * Its calls on nodes of so many processors. From any thread.
 * @param most_operations  more are refused
 * Errors: CLUMP_BAD_ARGUMENT where it has no calls, or these are none; CLUMP_NO_MEMORY. Cost: that of clump_kept_schedule or
 * clump_schedule_parse for the first of its kind.
 */
clump_status clump_recorded_kept_schedule(clump_recorded_kept *kept, size_t processors,
                                          clump_rank_order order, uint64_t most_operations,
                                          const clump_recorded_schedule **schedule,
                                          clump_error *error);

typedef struct clump_recorded_options {
    const clump_loggp *network;       /**< of the platform that is asked about */
    const clump_loggp *shared_memory; /**< NULL: not known */
    bool half_duplex;                 /**< a NIC sends or receives */
    /** 0: messages take NICs as those of its MPI library do; else each takes any free NIC, and none is longer than this. */
    double stripe_bytes;
    clump_rank_order order;   /**< which ranks are on a node */
    const clump_watch *watch; /**< may stop the replay on the NOW; or NULL */
} clump_recorded_options;

enum { CLUMP_RECORDED_NOTES = 12 };

/** A program on a platform. */
typedef struct clump_recorded {
    clump_recorded_kept *kept; /**< of the caller */
    clump_recorded_options options;
    clump_loggp network, shared_memory; /**< where the options point */
    size_t ranks;
    bool turns; /**< messages take NICs as its library has them, and long ones all of them */
    clump_mpi_transports transports; /**< of its library */
    double now_us;                   /**< its calls on the NOW */
    double operations;               /**< messages and computations of a replay */
    double left_out;                 /**< operations that wait for what is not in the recording */
    const char
        *notes[CLUMP_RECORDED_NOTES]; /**< what cannot be known, or is assumed: a sentence each */
    size_t note_count;
} clump_recorded;

/**
 * @param error  the first thing that is missing
 * Errors: CLUMP_BAD_ARGUMENT for a run without calls, and for stripes that would cut a message; CLUMP_NO_MEMORY; those of
 * clump_schedule_run. Cost: that of a replay.
 */
clump_status clump_recorded_make(clump_recorded_kept *kept, const clump_recorded_options *options,
                                 clump_arena *arena, clump_recorded *program, clump_error *error);

/** Add to its notes, as printf does. Without memory, or room, it is not said. */
__attribute__((format(printf, 3, 4))) void
clump_recorded_note(clump_recorded *program, clump_arena *arena, const char *format, ...);

/** Time of the whole program on the NOW, s: as many times that of its calls as the run is longer than these. */
double clump_recorded_now_s(const clump_recorded *program);

/** Share of the run that its calls are, 0 to 1. */
double clump_recorded_share(const clump_recorded *program);

/** On nodes of so many processors, in the order of the options. */
typedef struct clump_recorded_placed {
    const clump_recorded *program;
    const clump_schedule *schedule;
    size_t processors;
    double
        remote_fraction; /**< share of the bytes, or of messages without any, that leave a node */
} clump_recorded_placed;

/**
 * Errors: CLUMP_BAD_ARGUMENT where P is more than there are ranks, where ranks that take turns leave nodes that are not full, and where
 * messages within a node have no LogGP parameters; those of clump_recorded_kept_schedule. Cost: O(messages). From any thread.
 */
clump_status clump_recorded_place(const clump_recorded *program, size_t processors,
                                  clump_recorded_placed *placed, clump_error *error);

/**
 * @param node            of placed->processors; its memory is no station; its watch may stop it
 * @param memory_penalty  time of computation on the node over the recorded one
 * @param prediction      `slowdown` and `slowest` are time over that on the NOW; utilizations of processors are CLUMP_RESULT_NONE
 * Errors: CLUMP_BAD_ARGUMENT for nodes of other processors or with memory that processors share; those of clump_schedule_run. Cost:
 * three events a message.
 */
clump_status clump_recorded_predict(const clump_recorded_placed *placed, const clump_node *node,
                                    double memory_penalty, clump_prediction *prediction,
                                    clump_error *error);

#endif
