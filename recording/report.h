/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef CLUMP_RECORDING_REPORT_H
#define CLUMP_RECORDING_REPORT_H

/*
 * Where the time of a recorded run went, and what its ranks sent: sums over the accounts of its ranks, and what follows from its traced calls
 * together (MODEL.md 32). Times are in seconds. Ranks are those of MPI_COMM_WORLD; nodes are numbered in the order of their
 * first ranks.
 */

#include "recording/report_traffic.h"

typedef struct clump_report_node {
    const char *host;
    double clock_low,
        clock_high; /**< s that its clock is ahead of node 0's: bounds that follow from messages; NAN:
                                       there were none in that direction */
    double clock_used; /**< s that was subtracted from its times when calls were matched */
} clump_report_node;

/**
 * A rank. Its wall time is computing + in_mpi; in_mpi is waiting for a late partner, transferring (all else inside
 * MPI while there is a partner), and what could not be divided, because the calls were not traced or matched.
 */
typedef struct clump_report_rank {
    int64_t node;
    double wall;      /**< s, from the end of MPI_Init to the end of the recording */
    double computing; /**< s of it outside MPI */
    double processor; /**< s of processor time outside MPI; NAN: not known */
    double in_mpi;
    double waiting; /**< s of in_mpi, of the calls that could be matched */
    double waiting_low,
        waiting_high;      /**< what it may be, as far as clocks of nodes can be compared */
    double transferring;   /**< s of in_mpi, likewise */
    int64_t calls;         /**< of MPI */
    int64_t traced;        /**< of them, with their times in the trace */
    double requests_mean;  /**< in flight, mean over time; NAN: not known */
    int64_t requests_most; /**< in flight at a time; -1: not known */
    bool ended;            /**< it called MPI_Finalize */
} clump_report_rank;

/** Times of all ranks together in a kind of call, or outside of all. */
typedef struct clump_report_time {
    const char *what; /**< "computing", or as clump_call_name() has it */
    int64_t calls;    /**< 0: does not apply */
    double seconds, share;
    double waiting, transferring, undivided; /**< s of `seconds`; NAN: does not apply */
    double bytes; /**< that ranks sent with them, or received with receives; NAN: does not apply */
} clump_report_time;

/** Time during which so many ranks of a node were inside MPI, of all nodes, as they counted themselves. */
typedef struct clump_report_collision {
    int64_t q;
    double seconds, share;
} clump_report_collision;

/** What cannot be known, or should be known about it: a sentence. */
typedef struct clump_report_note {
    const char *text;
} clump_report_note;

enum { CLUMP_REPORT_NOTES = 16 };

typedef struct clump_report {
    const char *origin;     /**< "recording" or "otf2" */
    const char *program;    /**< name of the executable; NULL: not known */
    const char *command;    /**< as it was run; NULL: not known */
    const char *library;    /**< of MPI, with its version; NULL: not known */
    const char *started;    /**< UTC, "2026-11-22T14:30:00Z"; NULL: not known */
    double wall;            /**< s, of the rank that took longest */
    double sends, receives; /**< traced, that no partner was found for */
    double mismatched;      /**< traced calls of collectives whose members did not agree */
    clump_report_node *nodes;
    size_t node_count;
    clump_report_rank *ranks;
    size_t rank_count;
    clump_report_time *times; /**< computing, then the kinds of calls by their time */
    size_t time_count;
    clump_report_collision *collisions;
    size_t collision_count;
    clump_report_traffic *traffic; /**< by bytes */
    size_t traffic_count;
    clump_report_note notes[CLUMP_REPORT_NOTES];
    size_t note_count;
    clump_arena *memory; /**< of all that */
} clump_report;

/**
 * @param archive  OTF2 archive of which the folder was made; NULL: none
 * @param report   release it in any case
 * @param message  what is wrong
 * Cost: reads the files twice (three times if there are several nodes); the traced calls take some 100 ns each. Memory: accounts,
 * and what is open while calls are matched (matching.h).
 */
clump_recording_status clump_report_read(const char *folder, const char *archive,
                                         clump_report *report, char message[CLUMP_RECORDING_TEXT]);
void clump_report_release(clump_report *report);

#endif
