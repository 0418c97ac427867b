/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef CLUMP_RECORDING_RECORDING_H
#define CLUMP_RECORDING_RECORDING_H

/*
 * A recording of an MPI program: a folder with a file rank-NNNNNN.clumprec of each rank. Reader; who writes them is in
 * recording/writer.h, the format in recording/format.h.
 */

#include "recording/account.h"
#include "recording/call.h"
#include "recording/ending.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct clump_recording clump_recording;

/** What is said about a whole recording. */
typedef struct clump_recording_about {
    size_t ranks;        /**< of MPI_COMM_WORLD */
    size_t nodes;        /**< different nodes, counted in the order of their first rank */
    const char *program; /**< name without folder */
    const char *
        command; /**< command line of rank 0, or of the first rank there is; arguments with blanks in quotes */
    const char *library;     /**< "Open MPI v4.1.4", "MPICH 4.0.2" */
    const char *start;       /**< UTC, "2026-11-22T17:08:09Z" */
    int64_t start_ns;        /**< the same, ns since 1970 */
    double seconds;          /**< from start to the last end of a rank */
    uint64_t calls;          /**< of all ranks */
    uint64_t traced_entries; /**< those that can be read with clump_recording_next */
    bool traced_all;         /**< every rank has all its calls in its trace */
    size_t communicators;    /**< of all ranks, those that are the same once; 0 is the world */
    size_t missing;          /**< ranks whose file is not there */
    size_t cut;              /**< ranks whose file was cut off */
} clump_recording_about;

/** A rank. */
typedef struct clump_recording_rank {
    bool missing; /**< no file: nothing else holds */
    size_t node;  /**< below `nodes` */
    const char *host;
    uint64_t pid;
    double
        start; /**< s since the recording's beginning when this rank started (its library was loaded) */
    clump_recording_end end;
    uint64_t cut_at;  /**< byte of the file from which on nothing could be used; else its length */
    const char *file; /**< path */
    const clump_account *account; /**< times since the recording's beginning */
    uint64_t traced_entries;      /**< that the file holds */
} clump_recording_rank;

/** A communicator as ranks of the world; groups of an intercommunicator are both in it, the one that has the lowest rank first. */
typedef struct clump_recording_members {
    const uint32_t *ranks;
    size_t count;
    uint32_t ordinal; /**< how many with the same members were made before it */
} clump_recording_members;

/**
 * Open a folder. Every file is read once, all blocks checked. Files that were cut off are taken as far as they go;
 * damage (a checksum, a number that cannot be) is CLUMP_RECORDING_INPUT. `*recording` is set in any case but without memory (NULL), for its
 * message, and is freed by clump_recording_close. Cost: reads all bytes; memory: accounts, not the traces.
 */
clump_recording_status clump_recording_open(const char *folder, clump_recording **recording);
void clump_recording_close(clump_recording *recording);

/** What went wrong last: file, byte, found, expected. */
const char *clump_recording_message(const clump_recording *recording);

/** Of one that was opened; texts are valid until it is closed. */
clump_recording_about clump_recording_describe(const clump_recording *recording);
/** The same of a rank, below `ranks`. */
clump_recording_rank clump_recording_rank_of(const clump_recording *recording, size_t rank);

/** Name of the host of a node. */
const char *clump_recording_host(const clump_recording *recording, size_t node);

/** Members of communicator `number` (below `communicators`) of the whole recording. */
clump_recording_members clump_recording_communicator(const clump_recording *recording,
                                                     uint32_t number);

/** The traced calls of a rank, from the first one on. Several may be open at once; each has a buffer of a block. */
typedef struct clump_recording_calls clump_recording_calls;
clump_recording_status clump_recording_calls_open(clump_recording *recording, size_t rank,
                                                  clump_recording_calls **calls);
/** The next call: 1, or 0 after the last, or -1: an error, see clump_recording_message. Its communicator is the number in the whole
 *  recording; its requests are valid until the next one. */
int clump_recording_next(clump_recording_calls *calls, clump_recorded_call *call);
void clump_recording_calls_close(clump_recording_calls *calls);

#endif
