/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef CLUMP_DATA_ARENA_H
#define CLUMP_DATA_ARENA_H

/*
 * Memory of one run that is released all at once: what the rows point to, and what Lua's errors,
 * which leave C functions by longjmp, would leak otherwise.
 */

#include <stddef.h>

typedef struct clump_arena_block clump_arena_block;

typedef struct clump_arena {
    clump_arena_block *newest;
    size_t size; /**< bytes taken from the system */
} clump_arena;

/** An empty arena, or NULL without memory. */
clump_arena *clump_arena_new(void);

/** Zeroed memory for any type; NULL if there is none. */
void *clump_arena_take(clump_arena *arena, size_t size);

/** Room for one more row of an array that grows, which starts from NULL and 0; NULL if there is none. */
void *clump_arena_more(clump_arena *arena, void *rows, size_t count, size_t size);

/** Bytes that clump_arena_take would get from the system for `size`. */
size_t clump_arena_need(const clump_arena *arena, size_t size);

/** NULL is allowed. */
void clump_arena_free(clump_arena *arena);

#endif
