/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef CLUMP_RECORDING_RECORDED_SCHEDULE_H
#define CLUMP_RECORDING_RECORDED_SCHEDULE_H

/*
 * A recording as a schedule (MODEL.md, "Recordings as schedules"): what each rank computed between its calls, its messages
 * in their order, what waited for what, and collectives taken apart into the messages of their algorithms.
 */

#include "model/simulation/schedule.h"
#include "model/workload/collective.h"
#include "recording/recording.h"

/** What stands between two calls. */
typedef enum clump_recorded_gaps {
    CLUMP_GAPS_PROCESSOR, /**< processor time: what a processor of one's own would have taken */
    CLUMP_GAPS_WALL /**< the whole time: also what waited outside of MPI, for a disk or another rank's use of the processor */
} clump_recorded_gaps;

/** Parts of a run of which a sample may be. */
enum { CLUMP_RECORDED_MOST_PARTS = 32 };

typedef struct clump_recorded_schedule_options {
    clump_recorded_gaps gaps;
    clump_mpi_library library; /**< whose algorithms collectives use */
    size_t
        processors; /**< ranks of a node of the machine it is made for; only MPICH's choices depend on it. 0 or 1: one */
    clump_rank_order order;   /**< which of them are on a node */
    uint64_t most_operations; /**< more are refused; 0: as many as a schedule can have */
    /** Seconds of the recording: what was over before is left out, and what comes of it is there at once; 0: nothing is. */
    double from;
    double until; /**< s of the recording: what begins later is left out; 0: nothing is */
    /** Of the time between both: as much of each of `parts` equal parts, at a place that differs from part to part; 0: all. What is not
     *  wanted takes no time. */
    double share;
    unsigned parts; /**< at most CLUMP_RECORDED_MOST_PARTS; 0: as many */
} clump_recorded_schedule_options;

/** What became of the recording. */
typedef struct clump_recorded_schedule_report {
    /** From the end of MPI_Init to the beginning of MPI_Finalize, or as far as it is taken: the longest of all ranks. */
    double seconds;
    double run; /**< the same with what is not wanted between what is */
    double gaps,
        processor; /**< s between calls, of all ranks together: whole, and of processor time */
    /** Seconds in calls that a schedule has nothing for (communicators, files), of all ranks. */
    double others;
    uint64_t calls; /**< that were read */
    /** Traces end before the program did, ranks are missing, or it was asked for no more. */
    bool cut;
    double until; /**< then: s of the recording until which all ranks have their calls */
    /** Seconds of the recording: the first rank comes out of MPI_Init; INFINITY: none does. */
    double begin;
    /** Where there were more than `most_operations`: share of the calls of the stretch, rank by rank, that came before; else 1. */
    double taken;
    uint64_t
        waiting; /**< operations that were left out because what they wait for is not in the recording */
    uint64_t unreceived; /**< messages that nobody receives, left out */
    uint64_t
        unknown; /**< collective calls left out: among neighbours of whom nothing is known, of communicators that are not known, or that ranks do not agree on */
} clump_recorded_schedule_report;

/**
 * @param schedule  to be freed; NULL if it is not OK
 * @param message   of CLUMP_FACTS_MESSAGE-like size, what is wrong; may be NULL
 * Reads the traces twice. Memory: bounded by the traces: 56 bytes an operation (a computation, a message sent or received: a
 * collective has as many as its algorithm) and 12 a dependency, some 50 an operation more meanwhile; at most 2^30 operations.
 */
clump_recording_status clump_recorded_schedule(clump_recording *recording,
                                               const clump_recorded_schedule_options *options,
                                               clump_schedule **schedule,
                                               clump_recorded_schedule_report *report,
                                               char message[CLUMP_RECORDING_TEXT]);

#endif
