/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Operations become a schedule, wherever they come from. */
#include "model/simulation/schedule_build.h"

#include <stdlib.h>

/* ---- columns */

static bool make_room(clump_schedule *s, size_t count)
{
    if (count <= s->room)
        return true;
    size_t room = s->room + s->room / 2 + 256;
    room = room < count ? count : room;
    schedule_column *const columns[] = {&s->sizes, &s->peers, &s->tags, &s->steps, &s->whats};
    for (size_t i = 0; i < sizeof columns / sizeof columns[0]; i++)
        if (!schedule_column_grow(columns[i], room))
            return false;
    s->room = room;
    return true;
}

/* One more block, and the one behind it, which ends it. */
static bool add_block(clump_schedule *s, schedule_block block)
{
    if (s->block_count + 2 > s->block_room) {
        const size_t room = 2 * s->block_room + 64;
        schedule_block *larger = realloc(s->blocks, room * sizeof *larger);
        if (larger == NULL)
            return false;
        s->blocks = larger;
        s->block_room = room;
    }
    s->blocks[s->block_count++] = block;
    return true;
}

/* Lines mostly rise by one. Small steps in both directions are small numbers. */
static uint64_t step_of(uint32_t before, uint32_t line)
{
    const int64_t step = (int64_t)line - before - 1;
    return step >= 0 ? 2 * (uint64_t)step : 2 * (uint64_t)-step - 1;
}

static uint32_t line_after(uint32_t before, uint64_t step)
{
    const int64_t more = step % 2 == 0 ? (int64_t)(step / 2) : -(int64_t)(step / 2) - 1;
    return (uint32_t)((int64_t)before + 1 + more);
}

static bool append_one(clump_schedule *s, const schedule_operation *o, uint64_t step)
{
    const size_t i = s->count, room = s->room;
    return schedule_column_append(&s->sizes, i, o->size, room) &&
           schedule_column_append(&s->peers, i, (uint32_t)(o->peer + 1), room) &&
           schedule_column_append(&s->tags, i, (uint32_t)(o->tag + 1), room) &&
           schedule_column_append(&s->steps, i, step, room) &&
           schedule_column_append(&s->whats, i, (uint64_t)o->cpu << 2 | o->kind, room);
}

bool schedule_append(clump_schedule *s, const schedule_operation *all, size_t count)
{
    if (!make_room(s, s->count + count))
        return false;
    for (size_t i = 0; i < count; i++) {
        const bool first = i == 0 || all[i].rank != all[i - 1].rank;
        if (first && !add_block(s, (schedule_block){(uint32_t)s->count, all[i].rank, all[i].line}))
            return false;
        if (!append_one(s, &all[i], first ? 0 : step_of(all[i - 1].line, all[i].line)))
            return false;
        s->count++;
    }
    return true;
}

uint32_t schedule_line(const clump_schedule *s, uint32_t o)
{
    const schedule_block *block = schedule_block_of(s, o);
    uint32_t line = block->line;
    for (uint32_t i = block->first + 1; i <= o; i++)
        line = line_after(line, schedule_column_get(&s->steps, i));
    return line;
}

void schedule_empty(clump_schedule *s)
{
    schedule_column *const columns[] = {&s->sizes, &s->peers, &s->tags,
                                        &s->steps, &s->whats, &s->channels};
    for (size_t i = 0; i < sizeof columns / sizeof columns[0]; i++)
        schedule_column_release(columns[i]);
    free(s->blocks);
    free(s->first_of);
    free(s->hints);
    free(s->edges);
    free(s->first_edge);
    free(s->needs);
    s->blocks = NULL;
    s->first_of = s->hints = s->edges = s->first_edge = s->needs = NULL;
    s->count = s->room = s->block_count = s->block_room = s->edge_count = s->channel_count = 0;
}

/* ---- ranks of operations, operations of ranks */

/* A hint for as many operations as a block has on average. */
static bool make_hints(clump_schedule *s)
{
    s->hint_shift = 0;
    while ((s->count >> s->hint_shift) > s->block_count + 1)
        s->hint_shift++;
    const size_t hints = (s->count >> s->hint_shift) + 2;
    s->hints = malloc(hints * sizeof *s->hints);
    s->first_of = malloc(s->ranks * sizeof *s->first_of);
    if (s->hints == NULL || s->first_of == NULL)
        return false;
    uint32_t block = 0;
    for (size_t i = 0; i < hints; i++) {
        while (block + 1 < s->block_count && s->blocks[block + 1].first <= i << s->hint_shift)
            block++;
        s->hints[i] = block;
    }
    return true;
}

static bool find_ranks(clump_schedule *s)
{
    if (s->block_count == 0 && !add_block(s, (schedule_block){0, 0, 0}))
        return false; /* nobody does anything */
    s->blocks[s->block_count] = (schedule_block){(uint32_t)s->count, 0, 0};
    if (!make_hints(s))
        return false;
    for (size_t i = 0; i < s->ranks; i++)
        s->first_of[i] = SCHEDULE_NONE;
    s->most_in_block = 0;
    for (size_t i = 0; i < s->block_count && s->count > 0; i++) {
        const size_t size = s->blocks[i + 1].first - s->blocks[i].first;
        s->most_in_block = size > s->most_in_block ? size : s->most_in_block;
        s->first_of[s->blocks[i].rank] = s->blocks[i].first;
    }
    return true;
}

/* ---- dependencies */

bool schedule_connect(clump_schedule *s, const schedule_dependency *all, size_t count)
{
    if (!find_ranks(s) || count > UINT32_MAX / 2)
        return false;
    s->edge_count = count;
    if (count == 0)
        return true;
    s->edges = malloc(count * sizeof *s->edges);
    s->first_edge = calloc(s->count + 1, sizeof *s->first_edge);
    s->needs = calloc(s->count + 1, sizeof *s->needs);
    if (s->edges == NULL || s->first_edge == NULL || s->needs == NULL)
        return false;
    for (size_t i = 0; i < count; i++) {
        s->first_edge[all[i].earlier]++;
        s->needs[all[i].later & ~SCHEDULE_AT_START]++;
    }
    uint32_t sum = 0;
    for (size_t i = 0; i <= s->count; i++) {
        sum += s->first_edge[i];
        s->first_edge[i] = sum;
    }
    for (size_t i = count; i-- > 0;)
        s->edges[--s->first_edge[all[i].earlier]] = all[i].later;
    return true;
}

/* ---- Messages match receives by receiver, source and tag. Each combination that occurs is a
 * channel, found once by a hash table with linear probing, so that a run needs no
 * search: lists that are searched would make an all-to-all quadratic. There is one table for a receiver at a time, small
 * enough for a cache; sends are ordered by receiver before.
 */

typedef struct channel {
    uint32_t from, tag;
    uint32_t value;
    uint32_t stamp; /* of the receiver; else the place is free */
} channel;

typedef struct channel_table {
    channel *places;
    size_t room; /* a power of 2 */
    uint32_t stamp;
    uint32_t *sends; /* by receiver */
    uint32_t *first; /* of them, for each receiver; one more at the end */
} channel_table;

static uint64_t mix(uint64_t x)
{
    x = (x ^ (x >> 31)) * UINT64_C(0x7fb5d329728ea185);
    x = (x ^ (x >> 27)) * UINT64_C(0x81dadef4bc2dd44d);
    return x ^ (x >> 33);
}

/* The place of the channel, or a free one where it belongs. */
static channel *find(const channel_table *table, uint32_t from, uint32_t tag)
{
    const uint64_t hash = mix((uint64_t)from << 32 | tag);
    for (size_t i = hash & (table->room - 1);; i = (i + 1) & (table->room - 1)) {
        channel *c = &table->places[i];
        if (c->stamp != table->stamp || (c->from == from && c->tag == tag))
            return c;
    }
}

static bool is_exact_receive(const clump_schedule *s, uint32_t o)
{
    return schedule_kind_of(s, o) == SCHEDULE_RECV && schedule_peer(s, o) != SCHEDULE_ANY &&
           schedule_tag(s, o) != SCHEDULE_ANY;
}

/* The operations of a rank. */
static const schedule_block *operations_of(const clump_schedule *s, uint32_t rank)
{
    const uint32_t first = s->first_of[rank];
    return first == SCHEDULE_NONE ? NULL : schedule_block_of(s, first);
}

static bool order_sends(const clump_schedule *s, channel_table *t)
{
    size_t count = 0;
    t->first = calloc(s->ranks + 2, sizeof *t->first);
    if (t->first == NULL)
        return false;
    for (uint32_t o = 0; o < s->count; o++)
        if (schedule_kind_of(s, o) == SCHEDULE_SEND) {
            t->first[schedule_peer(s, o) + 2]++;
            count++;
        }
    for (size_t i = 2; i < s->ranks + 2; i++)
        t->first[i] += t->first[i - 1];
    t->sends = malloc((count + 1) * sizeof *t->sends);
    if (t->sends == NULL)
        return false;
    for (uint32_t o = 0; o < s->count; o++)
        if (schedule_kind_of(s, o) == SCHEDULE_SEND)
            t->sends[t->first[schedule_peer(s, o) + 1]++] = o;
    return true;
}

/* A table that has room for what a receiver has to do with. */
static bool make_table(const clump_schedule *s, channel_table *t)
{
    size_t most = 0;
    *t = (channel_table){.room = 64};
    if (!order_sends(s, t))
        return false;
    for (uint32_t r = 0; r < s->ranks; r++) {
        const schedule_block *block = operations_of(s, r);
        const size_t own = block != NULL ? block[1].first - block[0].first : 0;
        const size_t all = own + t->first[r + 1] - t->first[r];
        most = all > most ? all : most;
    }
    while (t->room < most + most / 3)
        t->room *= 2;
    t->places = calloc(t->room, sizeof *t->places);
    return t->places != NULL;
}

static void release_table(channel_table *t)
{
    free(t->places);
    free(t->sends);
    free(t->first);
}

/* All that a receiver has to do with gets the number of its channel. */
static void number_of_rank(clump_schedule *s, channel_table *t, uint32_t rank)
{
    const schedule_block *block = operations_of(s, rank);
    const uint32_t first = block != NULL ? block[0].first : 0;
    const uint32_t receives = block != NULL ? block[1].first - first : 0;
    const uint32_t sends = t->first[rank + 1] - t->first[rank];
    t->stamp = rank + 1;
    for (uint32_t i = 0; i < receives + sends; i++) {
        const uint32_t o = i < receives ? first + i : t->sends[t->first[rank] + i - receives];
        if (i < receives && !is_exact_receive(s, o))
            continue;
        const uint32_t from = i < receives ? schedule_peer(s, o) : schedule_rank(s, o);
        channel *c = find(t, from, schedule_tag(s, o));
        if (c->stamp != t->stamp)
            *c = (channel){from, schedule_tag(s, o), (uint32_t)s->channel_count++, t->stamp};
        schedule_column_set(&s->channels, o, c->value);
    }
}

bool schedule_number_channels(clump_schedule *s)
{
    channel_table table;
    schedule_column_release(&s->channels);
    s->channel_count = 0;
    const bool made =
        make_table(s, &table) && schedule_column_make(&s->channels, s->count, s->count);
    for (uint32_t r = 0; made && r < s->ranks; r++)
        number_of_rank(s, &table, r);
    release_table(&table);
    return made;
}

/* ---- */

void clump_schedule_free(clump_schedule *schedule)
{
    if (schedule == NULL)
        return;
    schedule_empty(schedule);
    free(schedule);
}

size_t clump_schedule_ranks(const clump_schedule *schedule)
{
    return schedule->ranks;
}

size_t clump_schedule_operations(const clump_schedule *schedule)
{
    return schedule->count;
}

clump_schedule_step clump_schedule_step_of(const clump_schedule *schedule, size_t index)
{
    const schedule_operation o = schedule_at(schedule, (uint32_t)index);
    return (clump_schedule_step){.what = o.kind == SCHEDULE_CALC   ? CLUMP_SCHEDULE_COMPUTES
                                         : o.kind == SCHEDULE_SEND ? CLUMP_SCHEDULE_SENDS
                                                                   : CLUMP_SCHEDULE_RECEIVES,
                                 .rank = o.rank,
                                 .peer = o.peer,
                                 .size = o.size};
}
