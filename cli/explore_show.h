/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef CLUMP_CLI_EXPLORE_SHOW_H
#define CLUMP_CLI_EXPLORE_SHOW_H

/* Pictures and pages of `clumpmodel explore`: curves of what was kept, with the bands of uncertain
 * numbers, or heat maps; and, with prices, slowdown over price with the Pareto set. */

#include "cli/explore_selection.h"
#include "cli/result_show.h"

/** Draw and write what was asked for, if anything; complains itself. @return exit code */
int clump_cli_explore_show(const clump_cli_explore_columns *columns,
                           const clump_cli_selection *selection, const clump_cli_show *show);

#endif
