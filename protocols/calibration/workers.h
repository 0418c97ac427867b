/* SPDX-License-Identifier: GPL-3.0-or-later */
/**
 * The processes of a calibration: started together, looked after, ended together. They end with
 * their parent, and leave ^C to it.
 */
#ifndef CLUMP_PROTOCOLS_CALIBRATION_WORKERS_H
#define CLUMP_PROTOCOLS_CALIBRATION_WORKERS_H

#include <stdbool.h>
#include <sys/types.h>

enum {
    CLUMP_CALIBRATION_MESSAGE_BYTES = 256 /**< for what went wrong in any part of a calibration */
};

typedef struct clump_workers {
    unsigned count; /**< processes, of which `left` still run */
    unsigned left;
    pid_t *children; /**< room for `count`, the caller's; 0 to begin with */
    int signal; /**< that ended the one that clump_workers_look() found; 0: none, it ended itself */
} clump_workers;

/**
 * Start all. Each calls `work` with its rank, and ends with status 0 when that returns.
 *
 * @param end_signal  what they get when the parent dies
 * @return false, with a message, if the system refuses; clump_workers_end() in any case
 */
bool clump_workers_start(clump_workers *workers, int end_signal,
                         void (*work)(unsigned rank, void *context), void *context,
                         char message[CLUMP_CALIBRATION_MESSAGE_BYTES]);

/**
 * Look which have ended.
 * @param rank  receives the first that ended otherwise than with status 0
 * @return false if there is such a one: `message` says how it ended
 */
bool clump_workers_look(clump_workers *workers, unsigned *rank,
                        char message[CLUMP_CALIBRATION_MESSAGE_BYTES]);

/** Kill those that are left. */
void clump_workers_end(clump_workers *workers);

#endif
