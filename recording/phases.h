/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef CLUMP_RECORDING_PHASES_H
#define CLUMP_RECORDING_PHASES_H

#include "recording/run.h"

enum {
    CLUMP_PHASES_BINS = 256, /**< into which the run is cut */
    CLUMP_PHASES_MARKS = 40, /**< that are heeded: the first ones */
    CLUMP_PHASES_MOST =
        8 /**< phases that are found between two marks: more of them are a repetition */
};

/**
 * Adds the phases of a run: between marks of MPI_Pcontrol if there are some, and within them where the share of time inside MPI
 * or the rate of messages changes for good (MODEL.md 32). False without memory. Cost: O(windows + bins^2).
 */
bool clump_phases_add(const clump_run *run, clump_facts *facts);

/**
 * Cut `count` points, each of `width` numbers, where their mean changes: the fewest pieces whose squared deviations, with a price
 * for each piece, are least (optimal partitioning: Jackson et al., IEEE Signal Processing Letters 12, 2005). What the price is
 * follows from differences of neighbours, as the noise of the series.
 * A piece has at least two points, and a 32nd of all.
 * @param cuts  receives the first point of each piece but the first, ascending; room for count - 1
 * @return how many, or SIZE_MAX without memory. Cost: O(count^2 width)
 */
size_t clump_phases_cut(const double *points, size_t count, size_t width, size_t *cuts);

#endif
