/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef CLUMP_SCENARIOS_COST_H
#define CLUMP_SCENARIOS_COST_H

#include "model/prediction.h"

/** Processors of the largest group that shares NICs. */
size_t scenario_largest_group(const clump_node *node);

/** Steps that clump_predict is worth: one for about ten nanoseconds, as in a script. */
double scenario_cost(const clump_node *node, const clump_load *load);

#endif
