/* SPDX-License-Identifier: GPL-3.0-or-later */
/**
 * Processes, each alone on a processor, that stream through memory of their own: how many bytes a
 * microsecond do the first k of them draw, while all k stream and the others sleep?
 *
 *     streams = clump_memory_start(&options, message);
 *     clump_memory_measure(streams, kernel, k, &measured, message);   as often as wanted
 *     clump_memory_end(streams);
 *
 * Each process is pinned before it touches its memory, so that this comes from its own node.
 */
#ifndef CLUMP_PROTOCOLS_CALIBRATION_MEMORY_STREAMS_H
#define CLUMP_PROTOCOLS_CALIBRATION_MEMORY_STREAMS_H

#include "protocols/calibration/workers.h"
#include "protocols/protocol_status.h"

#include <stddef.h>
#include <stdint.h>

/** What a process does with its three arrays of doubles a, b and c. Bytes are counted as the program
 *  reads and writes them; lines that a cache fetches only to overwrite them are not. */
typedef enum clump_memory_kernel {
    CLUMP_MEMORY_READ,  /**< sum of all three, 8 bytes an element */
    CLUMP_MEMORY_COPY,  /**< a = b, 16 bytes */
    CLUMP_MEMORY_TRIAD, /**< a = b + s c, 24 bytes */
    CLUMP_MEMORY_KERNELS
} clump_memory_kernel;

/** "read", "copy", "triad". */
const char *clump_memory_kernel_name(clump_memory_kernel kernel);

/** What arrays are multiples of, bytes: after as much of each array the clock is read. */
enum { CLUMP_MEMORY_BLOCK = 256 * 1024 };

typedef struct clump_memory_options {
    unsigned count;       /**< processes, at least 1 */
    const int *cpus;      /**< on which processor each is */
    uint64_t array_bytes; /**< of each of the three arrays of a process; rounded up to blocks */
    double window_ms;     /**< how long all stream together */
    /** Asked some ten times a second; true: stop. */
    bool (*watch)(void *context);
    void *context;
} clump_memory_options;

typedef struct clump_memory_measured {
    double total;   /**< of all processes, B/us */
    double slowest; /**< of the one that gets least */
    int64_t blocks; /**< that the slowest has done: from which the value was taken */
    bool disturbed; /**< in each try another program had a processor for more than 2% of the window,
                         a process was moved, or the machine was crowded */
    bool crowded;   /**< in the last try other programs ran on processors that were to sleep */
} clump_memory_measured;

typedef struct clump_memory_streams clump_memory_streams;

/** Start the processes and have them touch their memory. NULL: `message` says why. `status` is
 *  TIMED_OUT if `watch` said stop, else FAILED. */
clump_memory_streams *clump_memory_start(const clump_memory_options *options,
                                         clump_protocol_status *status,
                                         char message[CLUMP_CALIBRATION_MESSAGE_BYTES]);

/** Have the first `count` processes stream. After a failure only clump_memory_end() may follow. */
clump_protocol_status clump_memory_measure(clump_memory_streams *streams,
                                           clump_memory_kernel kernel, unsigned count,
                                           clump_memory_measured *measured,
                                           char message[CLUMP_CALIBRATION_MESSAGE_BYTES]);

/** One way of a bare cache line between the processors of the first two processes, us; 0 if there
 *  is only one, or if both had their processors at the same time too seldom to tell. */
clump_protocol_status clump_memory_line(clump_memory_streams *streams, double *line_us,
                                        char message[CLUMP_CALIBRATION_MESSAGE_BYTES]);

/** Kill the processes and release all; NULL is allowed. */
void clump_memory_end(clump_memory_streams *streams);

#endif
