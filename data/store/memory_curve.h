/* SPDX-License-Identifier: GPL-3.0-or-later */
/**
 * How much memory bandwidth 1, 2, ... processes of a node draw together, as it was measured: the
 * samples of `memory_bandwidth` of a platform (`calibrate memory`, `import stream`, `import csv`).
 */
#ifndef CLUMP_DATA_STORE_MEMORY_CURVE_H
#define CLUMP_DATA_STORE_MEMORY_CURVE_H

#include "data/store/store.h"

enum {
    CLUMP_STORE_CURVE_PROCESSES = 4096 /**< the most that a curve has */
};

typedef struct clump_store_memory_point {
    double bandwidth;  /**< of all processes together, B/us, > 0 */
    double half_width; /**< of its 95% interval; NAN if not known */
    size_t runs;       /**< samples that it is the mean of; 0: interpolated */
} clump_store_memory_point;

/** One block: free it with clump_store_free(). */
typedef struct clump_store_memory_curve {
    size_t processes;                       /**< the most, at least 2 */
    const clump_store_memory_point *points; /**< as many; points[0] is of one process */
    size_t interpolated;                    /**< of them, between their neighbours */
    size_t doubtful;                        /**< samples that were left out */
    const char *platform;                   /**< that was measured: an ancestor, if inherited */
    const char *source;                     /**< the newest, if there are several */
    const char *variant;                    /**< kernel: "triad" */
    const char *statistic; /**< of the samples: "single", "mean", "median" or "max" */
    bool reference;        /**< ships with the program */
} clump_store_memory_curve;

/**
 * The curve of a platform, or of the one that it is part of if it has no such samples itself. All
 * points are of one variant and statistic, and from one source; only where no source by itself makes
 * a curve (a log for each number of processes), from all of them together. Repeated samples of a
 * number of processes are averaged, doubtful ones are left out. Numbers of processes in between that were not measured are
 * interpolated linearly, up to a doubling: from 1, 2, 4, 8 or 1, 2, 3, 6, but not from 1, 4.
 *
 * @param source   NULL: the newest of which a curve can be made, the user's before those that ship
 * @param variant  which kernel, as a whole ("triad"); NULL: "triad" if the source has it, else its
 *                 only one
 * @param curve    receives the curve; NULL unless the status is OK
 * @return NOT_FOUND if there are no such samples, or not enough for a curve: nothing of one process
 *         or of more without doubt, a gap, several variants and no triad. BAD_INPUT if they cannot
 *         be: a bandwidth of 0, a number of processes that is not known or above
 *         CLUMP_STORE_CURVE_PROCESSES. The message says what is missing or wrong. Cost: reads the
 *         samples once.
 */
clump_store_status clump_store_find_memory_curve(clump_store *store, const char *platform,
                                                 const char *source, const char *variant,
                                                 clump_store_memory_curve **curve);

#endif
