/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef CLUMP_FITTING_LOGGP_SEGMENTATION_H
#define CLUMP_FITTING_LOGGP_SEGMENTATION_H

/*
 * Pieces of a curve, each a robust line, by dynamic programming over all places where one could
 * end and the next begin. The number of pieces is the one of least loss + penalty a piece.
 */

#include "fitting/loggp/robust_line.h"

#include <stdbool.h>
#include <stddef.h>

enum {
    CLUMP_PIECE_LEAST_SIZES = 3, /**< apart from each other; two make any line */
    CLUMP_PIECES_MOST = 12,
    CLUMP_SEGMENT_MOST_SIZES = 160 /**< more are thinned out by the caller */
};

/** Where a piece ends and the next begins, and how sure that is. */
typedef struct clump_segment_break {
    size_t at;        /**< index of the first point of the next piece */
    size_t low, high; /**< `at` is in there, both included, where the loss is within 3.84 of the
                           best: 95% of chi-square with one degree */
} clump_segment_break;

typedef struct clump_segmentation {
    size_t pieces; /**< at least 1 */
    clump_segment_break breaks[CLUMP_PIECES_MOST - 1];
} clump_segmentation;

/** Sizes that differ by less than this share are one size to a line, as 8189, 8192 and 8195 are. */
#define CLUMP_SIZES_APART 0.005

/** What a search computes with. */
typedef struct clump_segment_space {
    /** [i][j]: of the piece of points i..j-1 */
    double loss[CLUMP_SEGMENT_MOST_SIZES][CLUMP_SEGMENT_MOST_SIZES + 1];
    /** [k][j]: of the first j points in k + 1 pieces; and where the last of them begins */
    double best[CLUMP_PIECES_MOST][CLUMP_SEGMENT_MOST_SIZES + 1];
    size_t from[CLUMP_PIECES_MOST][CLUMP_SEGMENT_MOST_SIZES + 1];
    size_t
        apart[CLUMP_SEGMENT_MOST_SIZES]; /**< [i]: sizes up to i that are apart from each other */
} clump_segment_space;

/**
 * @param points   by increasing x, one a size, 1 to CLUMP_SEGMENT_MOST_SIZES
 * @param allowed  [i]: may a piece begin at i? NULL: anywhere
 * Cost: O(n^3) steps of robust lines, some milliseconds for 23 sizes, a second for 160
 */
clump_segmentation clump_segmentation_find(const clump_line_points *points, const bool *allowed,
                                           clump_segment_space *space);

/**
 * Scale of the scatter of a curve that is made of lines, found without knowing them: each point
 * against the line through its neighbours, median of the absolute deviations from it, relative.
 * @param scratch  room for `count` numbers
 * @return 0 for less than 3 points
 */
double clump_segment_roughness(const double *x, const double *time, size_t count, double *scratch);

#endif
