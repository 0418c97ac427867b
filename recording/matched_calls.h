/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef CLUMP_RECORDING_MATCHED_CALLS_H
#define CLUMP_RECORDING_MATCHED_CALLS_H

/* The calls of a recording, matched. */

#include "recording/matching.h"
#include "recording/recording.h"

/**
 * Match all traced calls, those of all ranks in the order of time; where there are several nodes twice, as clocks are compared first.
 * @param listener  or NULL
 * @param matching  receives it, finished; to be freed, NULL if it is not OK. Or NULL: only the listener is of interest
 * Errors: CLUMP_RECORDING_NO_MEMORY; those of reading, whose message is the recording's.
 */
clump_recording_status clump_recording_match(clump_recording *recording,
                                             const clump_matching_listener *listener,
                                             clump_matching **matching);

/** A rank's MPI_Init, one of its first calls; false: it is not traced, or cannot be read. */
bool clump_recording_find_init(clump_recording *recording, size_t rank, clump_recorded_call *init);

#endif
