/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef CLUMP_CLI_EXPLORE_SHOW_H
#define CLUMP_CLI_EXPLORE_SHOW_H

/* Pictures and pages of `clumpmodel explore`: curves of what was kept, with the bands of uncertain
 * numbers, or heat maps; and, with prices, slowdown over price with the Pareto set. */

#include "cli/command.h"
#include "cli/explore_tables.h"
#include "cli/result_show.h"
#include "exploring/selection.h"

/** Draw and write what was asked for, if anything; complains itself. @return exit code */
int explore_show(const command_invocation *invocation, const explore_columns *columns,
                 const clump_selection *selection, const show_options *show);

#endif
