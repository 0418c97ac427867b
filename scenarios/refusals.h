/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef CLUMP_SCENARIOS_REFUSALS_H
#define CLUMP_SCENARIOS_REFUSALS_H

/*
 * Why rows could not be predicted. A row points to its reason, which lives as long as the rows;
 * millions of rows that say the same share one text.
 */

#include "data/arena.h"

#include <pthread.h>
#include <stddef.h>

enum { SCENARIO_MOST_REFUSALS = 256 };

typedef struct scenario_refusals {
    clump_arena *arena;
    pthread_mutex_t lock;
    const char *texts[SCENARIO_MOST_REFUSALS];
    size_t count;
} scenario_refusals;

/** The texts will be in `arena`, which others must not use from another thread meanwhile. */
void scenario_refusals_open(scenario_refusals *refusals, clump_arena *arena);
void scenario_refusals_close(scenario_refusals *refusals);

/** The text that stands for this one; from any thread. A general one if there are too many different
 *  ones, or no memory for it. */
const char *scenario_refusals_keep(scenario_refusals *refusals, const char *text);

#endif
