/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef CLUMP_FITTING_LOGGP_BREAK_CHECK_H
#define CLUMP_FITTING_LOGGP_BREAK_CHECK_H

/* Is a break seen in each run, and what does a run see that others do not? Internal to fitting/. */

#include "fitting/loggp/curve_fit.h"

/**
 * Counts the runs that show a break by themselves, and those that could; decides whether it is
 * confirmed. `found->step` is that of all runs together.
 * @param before, after  the pieces on its sides
 */
clump_status clump_break_count(const clump_curve *curve, const clump_piece *before,
                               const clump_piece *after, double scatter, clump_break *found,
                               clump_error *error);

/** Steps within a single run, at sizes where the fit has no break and other runs have none. */
clump_status clump_speed_changes_find(const clump_curve *curve, double scatter,
                                      clump_curve_fit *fit, clump_error *error);

#endif
