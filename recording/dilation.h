/* SPDX-License-Identifier: GPL-3.0-or-later */
/**
 * What a program whose time is dilated and the one that started it tell each other: a file that
 * all map, with a place for each rank. Times are nanoseconds of CLOCK_MONOTONIC, not divided by
 * the factor.
 */
#ifndef CLUMP_RECORDING_DILATION_H
#define CLUMP_RECORDING_DILATION_H

#include <stdatomic.h>
#include <stdint.h>

/* Variables of the environment that the preloaded library reads. */
#define CLUMP_DILATION_FACTOR "CLUMP_DILATION_FACTOR"         /**< D, 1 to 10,000 */
#define CLUMP_DILATION_BOARD "CLUMP_DILATION_BOARD"           /**< the file */
#define CLUMP_DILATION_RANKS_HERE "CLUMP_DILATION_RANKS_HERE" /**< ranks of a node */

#define CLUMP_DILATION_MAGIC UINT64_C(0x31746c64706d6c63)
enum { CLUMP_DILATION_MOST_RANKS = 1024 };

/** Of one rank. */
struct clump_dilation_rank {
    _Atomic int64_t begin_ns;     /**< MPI_Init is done everywhere; 0: not yet */
    _Atomic int64_t end_ns;       /**< MPI_Finalize is called, or the program ends; 0: not yet */
    _Atomic int64_t processor_ns; /**< processor time of all threads in between */
    _Atomic int64_t work_ns;      /**< part of it that was dilated: no waiting */
    _Atomic int64_t wait_ns;      /**< asleep inside MPI because nothing had come */
    _Atomic int64_t late_ns;      /**< by which computations ended late, in all */
    _Atomic int64_t latest_ns;    /**< by which one did, at most */
    _Atomic int64_t calls;        /**< of MPI, that communicate */
    _Atomic int64_t polls;        /**< sleeps while waiting */
    _Atomic int64_t finalized;    /**< 1: the program came to MPI_Finalize */
};

struct clump_dilation_board {
    uint64_t magic;
    uint64_t ranks;            /**< places in the file */
    _Atomic uint64_t arrived;  /**< ranks that are past MPI_Init */
    _Atomic int64_t origin_ns; /**< when all begin; 0: not all have arrived */
    _Atomic uint64_t settled;  /**< ranks that came to MPI_Finalize and have nothing under way */
    _Atomic uint64_t closed;   /**< ranks whose connections to all others are closed */
    struct clump_dilation_rank rank[];
};

#endif
