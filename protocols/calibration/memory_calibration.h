/* SPDX-License-Identifier: GPL-3.0-or-later */
/**
 * Memory bandwidth of 1 to P processes of this machine: `calibrate memory`. What a node's memory
 * feeds, as the model of a node takes it, is B(P)/B(1); the curve in between is B(k)/B(1).
 *
 * In each run all numbers of processes are measured one after the other, so that a machine that
 * changes its speed changes it for all of them; ratios are of numbers of one run.
 */
#ifndef CLUMP_PROTOCOLS_CALIBRATION_MEMORY_CALIBRATION_H
#define CLUMP_PROTOCOLS_CALIBRATION_MEMORY_CALIBRATION_H

#include "protocols/calibration/calibration.h"
#include "protocols/calibration/memory_streams.h"
#include "protocols/calibration/memory_system.h"

/** Each of the three arrays is so many times the largest cache; where memory is short all three together are at least. */
enum { CLUMP_MEMORY_CACHES = 4 };

/** One number of processes of one kernel. */
typedef struct clump_memory_row {
    const char *kernel;
    unsigned processes, nodes;                     /**< and memory nodes that these are on */
    double total, total_half_width, total_std_dev; /**< of all together, B/us; NAN: not known */
    double slowest, slowest_half_width;            /**< of the process that gets least */
    double ratio, ratio_half_width;                /**< total over that of one process */
    size_t runs, doubtful; /**< runs that `total` is the mean of, and those left out */
} clump_memory_row;

/** `own` of the calibration; runs are in its plan. */
typedef struct clump_memory_question {
    const unsigned *counts; /**< numbers of processes, ascending, from 1 */
    size_t count_count;
    bool kernels[CLUMP_MEMORY_KERNELS];
    clump_memory_spread spread;
    uint64_t array_bytes; /**< 0: from the cache and the memory there is */
    uint64_t cache_bytes; /**< 0: as the system says */
    double window_ms;

    /* Set by the caller with clump_memory_look(), then put in order. */
    clump_memory_system system;

    /* What came of it. */
    clump_memory_row *rows; /**< kernel by kernel; on the heap */
    size_t row_count;
    char note[400]; /**< text of the source */
} clump_memory_question;

extern const clump_calibration_kind clump_calibration_memory;

/** The last row of the kernel that scenarios take: triad, or the first one that was measured. NULL:
 *  there is none of several processes. */
const clump_memory_row *clump_memory_feeds(const clump_memory_question *question);

#endif
