/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef CLUMP_SCENARIOS_MEMORY_H
#define CLUMP_SCENARIOS_MEMORY_H

/*
 * What the store answered, for scripts that run thousands of times on a store that does not change:
 * a look into it can cost a millisecond. A memory goes with one store, and serves one thread.
 */

#include "scenarios/scenario.h"

#include <stdbool.h>

/** What the store said to this question before, OK or NOT_FOUND; false: it was not asked. */
bool scenario_memory_recall(const clump_scenario_memory *memory, const clump_store_filter *filter,
                            clump_store_status *status, clump_store_measurement *measured);

/** Keep the answer, if there is room. `memory` may be NULL. */
void scenario_memory_keep(clump_scenario_memory *memory, const clump_store_filter *filter,
                          clump_store_status status, const clump_store_measurement *measured);

#endif
