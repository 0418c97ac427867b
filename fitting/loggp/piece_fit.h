/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef CLUMP_FITTING_LOGGP_PIECE_FIT_H
#define CLUMP_FITTING_LOGGP_PIECE_FIT_H

/* The lines of given pieces, and their intervals. */

#include "fitting/loggp/curve.h"
#include "fitting/loggp/message_model.h"
#include "fitting/resample.h"

typedef struct clump_interval {
    double low, high;  /**< NAN if not known */
    double confidence; /**< that the value is between, such as 0.95 */
    clump_interval_source source;
} clump_interval;

/** One line: time per message a + b (n-1). */
typedef struct clump_piece {
    size_t first, count; /**< its points in the sorted curve */
    double first_size, last_size;
    size_t sizes, runs, outliers;
    size_t parameters;                           /**< see clump_message_time() */
    double theta[CLUMP_MESSAGE_MOST_PARAMETERS]; /**< a, b, r0, r1; NAN if not fitted */
    clump_interval interval[CLUMP_MESSAGE_MOST_PARAMETERS];
    double scatter;     /**< standard deviation of the points around it, relative */
    double differences; /**< of the runs: largest time of a message over the least one, each at
                             the middle of the run's own line; 1: agree */
    bool outpaced;      /**< faster than window and round trip allow: fitted without windows */
    double *draws;      /**< resamples x parameters, deviations from theta; NULL: too few points */
} clump_piece;

typedef struct clump_fit_options {
    size_t resamples; /**< of the bootstrap; 0: none, no intervals */
    uint64_t seed;
} clump_fit_options;

/** Fit the pieces of which `first` and `count` are set; sets residuals, scores, outliers.
 *  @param scratch  room for 4 numbers of each point of the curve */
clump_status clump_pieces_fit(clump_curve *curve, clump_piece *pieces, size_t count, double scale,
                              double *scratch, clump_error *error);

/** Intervals by bootstrap, after clump_pieces_fit(). */
clump_status clump_pieces_resample(const clump_curve *curve, clump_piece *pieces, size_t count,
                                   const clump_fit_options *options, uint64_t stream,
                                   clump_error *error);

/** Scale of one point: scatter, and what printing with few digits adds to it. */
double clump_point_scale(double scatter, double relative_resolution);

#endif
