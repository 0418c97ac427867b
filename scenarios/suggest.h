/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef CLUMP_SCENARIOS_SUGGEST_H
#define CLUMP_SCENARIOS_SUGGEST_H

#include <stddef.h>

/** "Did you mean": keeps the name nearest to what was written. */
typedef struct scenario_suggestion {
    const char *wanted;
    const char *best; /**< NULL if nothing is near enough */
    size_t distance;
} scenario_suggestion;

scenario_suggestion scenario_suggest_start(const char *wanted);

/** Consider `name`, which must stay valid. */
void scenario_suggest_offer(scenario_suggestion *suggestion, const char *name);

/** The nearest of a list that ends with NULL, or NULL. */
const char *scenario_suggest(const char *wanted, const char *const *names);

#endif
