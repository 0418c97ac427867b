/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "recording/open_table.h"

#include <stdlib.h>
#include <string.h>

static unsigned char *item_at(const clump_pool *pool, uint32_t index)
{
    return (unsigned char *)pool->items + index * pool->size;
}

uint32_t clump_pool_take(clump_pool *pool)
{
    uint32_t index = pool->given;
    if (pool->any_given) {
        uint32_t next;
        memcpy(&next, item_at(pool, index), sizeof next);
        pool->given = next;
        pool->any_given = next != CLUMP_TABLE_NONE;
    } else {
        if (pool->count == pool->room) {
            if (pool->room >= UINT32_MAX / 2)
                return CLUMP_TABLE_NONE;
            const uint32_t room = pool->room > 0 ? 2 * pool->room : 64;
            void *larger = realloc(pool->items, room * pool->size);
            if (larger == NULL)
                return CLUMP_TABLE_NONE;
            pool->items = larger;
            pool->room = room;
        }
        index = pool->count++;
    }
    memset(item_at(pool, index), 0, pool->size);
    pool->in_use++;
    return index;
}

void clump_pool_give(clump_pool *pool, uint32_t index)
{
    const uint32_t next = pool->any_given ? pool->given : CLUMP_TABLE_NONE;
    memcpy(item_at(pool, index), &next, sizeof next);
    pool->given = index;
    pool->any_given = true;
    pool->in_use--;
}

void clump_pool_clear(clump_pool *pool)
{
    const size_t size = pool->size;
    free(pool->items);
    *pool = (clump_pool){.size = size};
}

/* ---- chains, so that entries can go at no cost */

typedef struct entry {
    uint32_t next; /* overwritten when it is given back */
    uint32_t value;
    uint64_t a, b;
} entry;

static entry *entry_at(const clump_table *table, uint32_t index)
{
    return (entry *)table->entries.items + index;
}

/* The finalizer of MurmurHash3 (Appleby, public domain), on both. A file that is made to collide would need to know the
 * table's address, which is different in every run. */
static size_t slot_of(const clump_table *table, uint64_t a, uint64_t b)
{
    uint64_t h = a ^ (uint64_t)(uintptr_t)table;
    for (int i = 0; i < 2; i++) {
        h ^= h >> 33;
        h *= UINT64_C(0xff51afd7ed558ccd);
        h ^= h >> 33;
        h *= UINT64_C(0xc4ceb9fe1a85ec53);
        h ^= h >> 33;
        h += i == 0 ? b : 0;
    }
    return (size_t)h & (table->slot_count - 1);
}

static bool grow(clump_table *table)
{
    if (table->slot_count > table->entries.in_use)
        return true;
    const size_t count = table->slot_count > 0 ? 2 * table->slot_count : 64;
    uint32_t *slots = malloc(count * sizeof *slots);
    if (slots == NULL)
        return false;
    memset(slots, 0xff, count * sizeof *slots);
    uint32_t *const old = table->slots;
    const size_t old_count = table->slot_count;
    table->slots = slots;
    table->slot_count = count;
    for (size_t i = 0; i < old_count; i++)
        for (uint32_t at = old[i], next; at != CLUMP_TABLE_NONE; at = next) {
            entry *e = entry_at(table, at);
            const size_t slot = slot_of(table, e->a, e->b);
            next = e->next;
            e->next = slots[slot];
            slots[slot] = at;
        }
    free(old);
    return true;
}

uint32_t clump_table_get(const clump_table *table, uint64_t a, uint64_t b)
{
    if (table->slot_count == 0)
        return CLUMP_TABLE_NONE;
    uint32_t at = table->slots[slot_of(table, a, b)];
    while (at != CLUMP_TABLE_NONE && (entry_at(table, at)->a != a || entry_at(table, at)->b != b))
        at = entry_at(table, at)->next;
    return at != CLUMP_TABLE_NONE ? entry_at(table, at)->value : CLUMP_TABLE_NONE;
}

bool clump_table_put(clump_table *table, uint64_t a, uint64_t b, uint32_t value)
{
    table->entries.size = sizeof(entry);
    if (!grow(table))
        return false;
    clump_table_remove(table, a, b);
    const uint32_t at = clump_pool_take(&table->entries);
    if (at == CLUMP_TABLE_NONE)
        return false;
    const size_t slot = slot_of(table, a, b);
    *entry_at(table, at) = (entry){.next = table->slots[slot], .value = value, .a = a, .b = b};
    table->slots[slot] = at;
    return true;
}

void clump_table_remove(clump_table *table, uint64_t a, uint64_t b)
{
    if (table->slot_count == 0)
        return;
    uint32_t *link = &table->slots[slot_of(table, a, b)];
    while (*link != CLUMP_TABLE_NONE) {
        const uint32_t at = *link;
        entry *e = entry_at(table, at);
        if (e->a == a && e->b == b) {
            *link = e->next;
            clump_pool_give(&table->entries, at);
            return;
        }
        link = &e->next;
    }
}

void clump_table_clear(clump_table *table)
{
    free(table->slots);
    clump_pool_clear(&table->entries);
    table->slots = NULL;
    table->slot_count = 0;
}

void *clump_list_grow(void *items, size_t count, size_t *room, size_t size)
{
    const size_t more = *room > 0 ? 2 * *room : 16;
    if (count < *room)
        return items;
    void *larger = realloc(items, more * size);
    if (larger != NULL)
        *room = more;
    return larger;
}
