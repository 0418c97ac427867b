/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef CLUMP_RECORDING_OPEN_TABLE_H
#define CLUMP_RECORDING_OPEN_TABLE_H

/*
 * What is open while calls are matched: items of one size by index, which are given back and taken again, and a hash
 * table from two numbers to an index. Zeroed ones are empty (set `size` of a pool). And lists that grow.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define CLUMP_TABLE_NONE UINT32_MAX

typedef struct clump_pool {
    void *items;
    size_t size;          /**< of an item, at least that of a uint32_t */
    uint32_t count, room; /**< items that were ever taken; memory */
    uint32_t given, in_use;
    bool any_given;
} clump_pool;

/** The index of a zeroed item, CLUMP_TABLE_NONE without memory. Items may move. */
uint32_t clump_pool_take(clump_pool *pool);

/** Gives an item back; the first 4 bytes of it are overwritten. */
void clump_pool_give(clump_pool *pool, uint32_t index);

/** Gives all back and frees the memory. */
void clump_pool_clear(clump_pool *pool);

typedef struct clump_table {
    clump_pool entries;
    uint32_t *slots;
    size_t slot_count; /**< power of 2, or 0 */
} clump_table;

/** The value of a pair, or CLUMP_TABLE_NONE. */
uint32_t clump_table_get(const clump_table *table, uint64_t a, uint64_t b);

/** Sets it, also anew; false without memory. */
bool clump_table_put(clump_table *table, uint64_t a, uint64_t b, uint32_t value);

/** Nothing happens if it is not there. */
void clump_table_remove(clump_table *table, uint64_t a, uint64_t b);

/** Empties it and frees the memory. */
void clump_table_clear(clump_table *table);

/**
 * A list with room for one more item than `count`: `items`, or larger ones in their place.
 * @param room  of how many items there is memory
 * NULL without memory; then `items` stay.
 */
void *clump_list_grow(void *items, size_t count, size_t *room, size_t size);

#endif
