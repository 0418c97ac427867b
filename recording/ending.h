/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef CLUMP_RECORDING_ENDING_H
#define CLUMP_RECORDING_ENDING_H

/* How recordings end, and how reading them does. */

/** How the file of a rank ends. */
typedef enum clump_recording_end {
    CLUMP_RECORDING_FINALIZED, /**< MPI_Finalize was called */
    CLUMP_RECORDING_EXITED,    /**< the program ended without it */
    CLUMP_RECORDING_ABORTED,   /**< MPI_Abort was called */
    CLUMP_RECORDING_CUT /**< no end was written: the process was killed, or runs yet. What was flushed before is there */
} clump_recording_end;

typedef enum clump_recording_status {
    CLUMP_RECORDING_OK,
    CLUMP_RECORDING_INPUT, /**< the folder or a file cannot be used: the message says which, at which byte, and what was expected */
    CLUMP_RECORDING_NO_MEMORY,
    CLUMP_RECORDING_FAILED /**< the system failed to read */
} clump_recording_status;

#define CLUMP_RECORDING_TEXT 512

#endif
