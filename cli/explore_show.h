/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef EXPLORE_SHOW_H
#define EXPLORE_SHOW_H

/* Pictures and pages of `clumpmodel explore`: curves of what was kept, with the bands of uncertain
 * numbers, or heat maps; and, with prices, slowdown over price with the Pareto set. */

#include "cli/result_show.h"
#include "exploring/explore_selection.h"

/** Draw and write what was asked for, if anything; complains itself. @return exit code */
int explore_show(const clump_explore_columns *columns, const clump_selection *selection,
                 const show_options *show);

#endif
