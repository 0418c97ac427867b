/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "scenarios/arena.h"

#include <stdalign.h>
#include <stdint.h>
#include <stdlib.h>

struct scenario_block {
    scenario_block *older;
    size_t used, size; /* bytes of room */
    alignas(max_align_t) unsigned char room[];
};

enum { BLOCK = 16384 };

static size_t rounded(size_t size)
{
    const size_t unit = alignof(max_align_t);
    return (size + unit - 1) / unit * unit;
}

static int fits(const scenario_arena *arena, size_t size)
{
    return arena->newest != NULL && size <= arena->newest->size - arena->newest->used;
}

scenario_arena *scenario_arena_new(void)
{
    return calloc(1, sizeof(scenario_arena));
}

size_t scenario_arena_need(const scenario_arena *arena, size_t size)
{
    if (size > SIZE_MAX / 2)
        return SIZE_MAX / 2;
    size = rounded(size);
    if (fits(arena, size))
        return 0;
    return sizeof(scenario_block) + (size > BLOCK ? size : BLOCK);
}

void *scenario_arena_take(scenario_arena *arena, size_t size)
{
    if (size > SIZE_MAX / 2)
        return NULL;
    size = rounded(size);
    if (!fits(arena, size)) {
        const size_t need = scenario_arena_need(arena, size);
        scenario_block *block = calloc(1, need);
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

void scenario_arena_free(scenario_arena *arena)
{
    if (arena == NULL)
        return;
    while (arena->newest != NULL) {
        scenario_block *older = arena->newest->older;
        free(arena->newest);
        arena->newest = older;
    }
    free(arena);
}
