/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef CLUMP_RECORDING_READ_RUN_H
#define CLUMP_RECORDING_READ_RUN_H

/* The kept calls of a recording: all that predictions need of recording/. */

#include "data/store/recorded_run.h"
#include "recording/ending.h"
#include "recording/gaps.h"

#include <stdbool.h>
#include <stdint.h>

/** Operations of a run that is kept in a database: some four megabytes, or more for many ranks. */
enum { CLUMP_RUN_KEPT = 524288, CLUMP_RUN_KEPT_OF_RANK = 256 };

typedef struct clump_run_choices {
    clump_recorded_gaps gaps;
    /** Computations and messages, collectives taken apart; 0: CLUMP_RUN_KEPT, or as many a rank. Of more a sample is taken: a stretch of
     *  each of up to 32 equal parts of the run. */
    uint64_t most_operations;
    bool whole;  /**< more are refused, and what is left where ranks are missing is taken */
    bool digest; /**< with the SHA-256 of its files, which reads them once more */
} clump_run_choices;

/**
 * The run of a folder of `clumpmodel record`.
 * @param archive  OTF2 archive of which the folder was made; NULL: none
 * @param run      to be freed with free(); NULL if it is not OK
 * @param message  what is wrong
 * Errors: CLUMP_RECORDING_INPUT also where nothing was traced, and where more operations wait for what is not in the recording than can be
 * played.
 * Cost: reads all files twice, of a sample three or four times.
 */
clump_recording_status clump_run_read(const char *folder, const char *archive,
                                      const clump_run_choices *choices, clump_recorded_run **run,
                                      char message[CLUMP_RECORDING_TEXT]);

#endif
