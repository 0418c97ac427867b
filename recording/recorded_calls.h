/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef CLUMP_RECORDING_RECORDED_CALLS_H
#define CLUMP_RECORDING_RECORDED_CALLS_H

/*
 * Internal to recording/. The calls of a recording as they are kept (MODEL.md 30): what each rank computed between them, its messages in
 * their order, what waited for what, and its collectives.
 */

#include "recording/gaps.h"
#include "recording/recording.h"

/** Parts of a run of which a sample may be. */
enum { RECORDED_MOST_PARTS = 32 };

typedef struct recorded_calls_options {
    clump_recorded_gaps gaps;
    uint64_t most_operations; /**< on nodes of one rank; more are refused */
    /** Seconds of the recording: what was over before is left out, and what comes of it is there at once; 0: nothing is. */
    double from;
    double until; /**< s of the recording: what begins later is left out; 0: nothing is */
    /** Of the time between both: as much of each of `parts` equal parts, at a place that differs from part to part; 0: all. What is not
     *  wanted takes no time. */
    double share;
    unsigned parts; /**< at most RECORDED_MOST_PARTS; 0: as many */
} recorded_calls_options;

/** What became of the recording. */
typedef struct recorded_calls_report {
    /** From the end of MPI_Init to the beginning of MPI_Finalize, or as far as it is taken: the longest of all ranks. */
    double seconds;
    double run; /**< the same with what is not wanted between what is */
    double gaps,
        processor;   /**< s between calls, of all ranks together: whole, and of processor time */
    uint64_t calls;  /**< that were read */
    uint64_t tested; /**< operations that tests found complete */
    uint64_t any,
        fetched; /**< receives of messages from anybody; accumulates that fetched something */
    /** Traces end before the program did, ranks are missing, or it was asked for no more. */
    bool cut;
    double until; /**< then: s of the recording until which all ranks have their calls */
    /** Seconds of the recording: the first rank comes out of MPI_Init; INFINITY: none does. */
    double begin;
    /** Where there were more than `most_operations`: share of the calls of the stretch, rank by rank, that came before; else 1. */
    double taken;
    /** Collective calls left out: among neighbours of whom nothing is known, of communicators that are not known, or that ranks do not
     *  agree on. */
    uint64_t unknown;
} recorded_calls_report;

/**
 * @param calls    to be freed; NULL if it is not OK
 * @param message  what is wrong
 * Reads the traces twice. Memory: that of the text, and some 50 bytes an operation of one rank.
 */
clump_recording_status recorded_calls_read(clump_recording *recording,
                                           const recorded_calls_options *options, char **calls,
                                           recorded_calls_report *report,
                                           char message[CLUMP_RECORDING_TEXT]);

#endif
