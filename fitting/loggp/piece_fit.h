/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef CLUMP_FITTING_LOGGP_PIECE_FIT_H
#define CLUMP_FITTING_LOGGP_PIECE_FIT_H

/* The lines of given pieces, and their intervals. Internal to fitting/. */

#include "fitting/loggp/curve_fit.h"

/** Fit the pieces of which `first` and `count` are set; sets residuals, scores, outliers. */
clump_status clump_pieces_fit(clump_curve *curve, clump_piece *pieces, size_t count, double scale,
                              double *loss, clump_error *error);

/** Intervals by bootstrap, after clump_pieces_fit(). */
clump_status clump_pieces_resample(const clump_curve *curve, clump_piece *pieces, size_t count,
                                   const clump_fit_options *options, uint64_t stream,
                                   clump_error *error);

/** Scale of one point: scatter, and what printing with few digits adds to it. */
double clump_point_scale(double scatter, double relative_resolution);

#endif
