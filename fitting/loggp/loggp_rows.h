/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef CLUMP_FITTING_LOGGP_LOGGP_ROWS_H
#define CLUMP_FITTING_LOGGP_LOGGP_ROWS_H

/* Samples as stored, one a row, on their way to curves. Internal to fitting/. */

#include "fitting/loggp/loggp_samples.h"

typedef struct clump_loggp_row {
    clump_loggp_sample sample;
    const char *transport, *variant;
    int quantity, rank;
    bool doubtful; /* as it was marked when it was measured or written down */
    size_t order;  /* as read */
} clump_loggp_row;

enum { CLUMP_LOGGP_ROW_QUANTITIES = 11 };

/** Place of a quantity among those that are of use; -1: it is not. */
int clump_loggp_row_quantity(const char *name);

/** 0 for the best statistic of this quantity; -1 for one that is not used. */
int clump_loggp_row_rank(int quantity, const char *statistic);

/** Fill the curves of the set. Sorts the rows. `window` as in clump_loggp_filter. */
clump_status clump_loggp_rows_convert(clump_loggp_row *rows, size_t count, int64_t window,
                                      clump_loggp_samples *set, clump_error *error);

#endif
