/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "data/arena.h"

#include <stdalign.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

struct clump_arena_block {
    clump_arena_block *older;
    size_t used, size; /* bytes of room */
    alignas(max_align_t) unsigned char room[];
};

enum { BLOCK = 16384 };

static size_t rounded(size_t size)
{
    const size_t unit = alignof(max_align_t);
    return (size + unit - 1) / unit * unit;
}

static int fits(const clump_arena *arena, size_t size)
{
    return arena->newest != NULL && size <= arena->newest->size - arena->newest->used;
}

clump_arena *clump_arena_new(void)
{
    return calloc(1, sizeof(clump_arena));
}

size_t clump_arena_need(const clump_arena *arena, size_t size)
{
    if (size > SIZE_MAX / 2)
        return SIZE_MAX / 2;
    size = rounded(size);
    if (fits(arena, size))
        return 0;
    return sizeof(clump_arena_block) + (size > BLOCK ? size : BLOCK);
}

void *clump_arena_take(clump_arena *arena, size_t size)
{
    if (size > SIZE_MAX / 2)
        return NULL;
    size = rounded(size);
    if (!fits(arena, size)) {
        const size_t need = clump_arena_need(arena, size);
        clump_arena_block *block = calloc(1, need);
        if (block == NULL)
            return NULL;
        block->older = arena->newest;
        block->size = need - sizeof *block;
        arena->newest = block;
        arena->size += need;
    }
    void *taken = arena->newest->room + arena->newest->used;
    arena->newest->used += size;
    return taken;
}

void clump_arena_free(clump_arena *arena)
{
    if (arena == NULL)
        return;
    while (arena->newest != NULL) {
        clump_arena_block *older = arena->newest->older;
        free(arena->newest);
        arena->newest = older;
    }
    free(arena);
}

void *clump_arena_more(clump_arena *arena, void *rows, size_t count, size_t size)
{
    if (count > 0 && (count & (count - 1)) != 0) /* there is room up to the next power of 2 */
        return rows;
    void *larger = clump_arena_take(arena, (2 * count + 1) * size);
    if (larger != NULL && count > 0)
        memcpy(larger, rows, count * size);
    return larger;
}
