/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef CLUMP_RECORDING_TIMELINE_H
#define CLUMP_RECORDING_TIMELINE_H

/*
 * What ranks did when, coarse enough for a picture: time is cut into columns, and each rank has the seconds of each state in
 * each of them.
 */

#include "recording/recording.h"

typedef enum clump_timeline_state {
    CLUMP_TIMELINE_COMPUTING,
    CLUMP_TIMELINE_TRANSFERRING,
    CLUMP_TIMELINE_WAITING, /**< for a late partner (matching.h) */
    CLUMP_TIMELINE_OTHER,   /**< in MPI; which of both is not known, or it is neither */
    CLUMP_TIMELINE_STATES
} clump_timeline_state;

typedef struct clump_timeline {
    double begin, end; /**< s: from MPI_Init to MPI_Finalize, or as far as calls are traced */
    size_t ranks, columns;
    float *
        seconds; /**< of (rank, column, state), states changing fastest; those of computing are the rest of the column's width */
} clump_timeline;

/**
 * @param most_ranks  of ranks beyond these nothing is kept
 * Errors: those of clump_recording_match. Memory: 16 bytes for each column of each rank, besides the matching's.
 */
clump_recording_status clump_timeline_make(clump_recording *recording, size_t columns,
                                           size_t most_ranks, clump_timeline *timeline);
void clump_timeline_free(clump_timeline *timeline);

/** What a rank did for most of a column. */
clump_timeline_state clump_timeline_at(const clump_timeline *timeline, size_t rank, size_t column);

#endif
