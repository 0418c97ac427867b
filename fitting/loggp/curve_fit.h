/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef CLUMP_FITTING_LOGGP_CURVE_FIT_H
#define CLUMP_FITTING_LOGGP_CURVE_FIT_H

/*
 * A curve as pieces of lines, with intervals: how many pieces there are, and where one protocol
 * takes over from another, is found from the data.
 */

#include "fitting/loggp/piece_fit.h"
#include "fitting/loggp/segmentation.h"

/** Where the next piece begins. */
typedef struct clump_break {
    double below, above; /**< last size of the one piece, first size of the next */
    double low, high;    /**< the break is above `low` and not above `high` (95%) */
    double step;         /**< time after it over time before it, both at size `above` */
    size_t showing;      /**< runs that show it by themselves */
    size_t covering;     /**< runs with enough sizes on both sides to show it */
    size_t present;      /**< runs with any samples on either side */
    bool confirmed;      /**< independent runs agree on it */
} clump_break;

/** A step in one run that other runs of the same sizes do not have: the machine's, not a
 *  protocol's. */
typedef struct clump_speed_change {
    size_t run;
    double below, above, step;
} clump_speed_change;

enum { CLUMP_SPEED_CHANGES_MOST = 16 };

typedef struct clump_curve_fit {
    clump_piece pieces[CLUMP_PIECES_MOST];
    size_t piece_count; /**< 0: the curve has no points */
    clump_break breaks[CLUMP_PIECES_MOST - 1];
    clump_speed_change changes[CLUMP_SPEED_CHANGES_MOST];
    size_t change_count;
    size_t sizes, runs, outliers;
    bool waiting_guessed; /**< the data do not tell how the sender waits */
} clump_curve_fit;

/**
 * Fit; sorts the curve and leaves residuals in its points.
 *
 * @param stream  sets the random numbers of this curve apart from those of others
 * @param error   may be NULL
 * Cost: about 10 ms for 100 samples of 23 sizes with 10,000 resamples on one processor
 */
clump_status clump_curve_fit_run(clump_curve *curve, const clump_fit_options *options,
                                 uint64_t stream, clump_curve_fit *fit, clump_error *error);

void clump_curve_fit_free(clump_curve_fit *fit);

/** Time per message of n bytes on the piece that holds n, or the nearest one. */
double clump_curve_fit_time(const clump_curve_fit *fit, double size_bytes);

#endif
