/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef CLUMP_SCENARIOS_ARENA_H
#define CLUMP_SCENARIOS_ARENA_H

/*
 * Memory of one run that is released all at once: what the rows point to, and what Lua's errors,
 * which leave C functions by longjmp, would leak otherwise.
 */

#include <stddef.h>

typedef struct scenario_block scenario_block;

typedef struct scenario_arena {
    scenario_block *newest;
    size_t size; /**< bytes taken from the system */
} scenario_arena;

/** An empty arena, or NULL without memory. */
scenario_arena *scenario_arena_new(void);

/** Zeroed memory for any type; NULL if there is none. */
void *scenario_arena_take(scenario_arena *arena, size_t size);

/** Bytes that scenario_arena_take would get from the system for `size`. */
size_t scenario_arena_need(const scenario_arena *arena, size_t size);

/** NULL is allowed. */
void scenario_arena_free(scenario_arena *arena);

#endif
