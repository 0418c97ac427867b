/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a schedule needs besides its operations, wherever they come from. */
#include "model/simulation/schedule_build.h"

#include <stdlib.h>

bool schedule_connect(clump_schedule *s, const schedule_dependency *all, size_t count)
{
    s->edge_count = count;
    if (s->edge_count > UINT32_MAX / 2)
        return false;
    s->edges = malloc((s->edge_count + 1) * sizeof *s->edges);
    if (s->edges == NULL)
        return false;
    for (size_t i = 0; i < s->edge_count; i++) {
        s->operations[all[i].earlier].first_edge++;
        s->operations[all[i].later & ~SCHEDULE_AT_START].needs++;
    }
    uint32_t sum = 0;
    for (size_t i = 0; i <= s->count; i++) {
        sum += s->operations[i].first_edge;
        s->operations[i].first_edge = sum;
    }
    for (size_t i = s->edge_count; i-- > 0;)
        s->edges[--s->operations[all[i].earlier].first_edge] = all[i].later;
    return true;
}

/* ---- Messages match receives by receiver, source and tag. Each combination that occurs is a
 * channel with a number, found once by a hash table with linear probing, so that a run needs no
 * search: lists that are searched would make an all-to-all quadratic. Receives are numbered first,
 * rank by rank: those of a rank lie together.
 */

typedef struct channel {
    uint32_t to, from, tag;
    uint32_t number; /* SCHEDULE_NONE: the place is free */
} channel;

typedef struct channel_table {
    channel *places;
    size_t room; /* a power of 2 */
} channel_table;

static uint64_t mix(uint64_t x)
{
    x = (x ^ (x >> 31)) * UINT64_C(0x7fb5d329728ea185);
    x = (x ^ (x >> 27)) * UINT64_C(0x81dadef4bc2dd44d);
    return x ^ (x >> 33);
}

/* The place of the channel, or the free one where it belongs. */
static channel *find(const channel_table *table, uint32_t to, uint32_t from, uint32_t tag)
{
    const uint64_t hash = mix(mix((uint64_t)to << 32 | from) + tag);
    for (size_t i = hash & (table->room - 1);; i = (i + 1) & (table->room - 1)) {
        channel *c = &table->places[i];
        if (c->number == SCHEDULE_NONE || (c->to == to && c->from == from && c->tag == tag))
            return c;
    }
}

static void number(clump_schedule *s, channel_table *table, schedule_operation *o)
{
    const bool receives = o->kind == SCHEDULE_RECV;
    const uint32_t to = receives ? o->rank : o->peer, from = receives ? o->peer : o->rank;
    channel *c = find(table, to, from, o->tag);
    if (c->number == SCHEDULE_NONE)
        *c = (channel){to, from, o->tag, (uint32_t)s->channel_count++};
    o->channel = c->number;
}

static bool is_exact_receive(const schedule_operation *o)
{
    return o->kind == SCHEDULE_RECV && o->peer != SCHEDULE_ANY && o->tag != SCHEDULE_ANY;
}

bool schedule_number_channels(clump_schedule *s)
{
    size_t most = 0;
    channel_table table = {.room = 64};
    for (size_t i = 0; i < s->count; i++)
        most += s->operations[i].kind != SCHEDULE_CALC;
    while (table.room < most + most / 3)
        table.room *= 2;
    table.places = malloc(table.room * sizeof *table.places);
    if (table.places == NULL)
        return false;
    for (size_t i = 0; i < table.room; i++)
        table.places[i].number = SCHEDULE_NONE;
    for (size_t i = 0; i < s->count; i++)
        if (is_exact_receive(&s->operations[i]))
            number(s, &table, &s->operations[i]);
    for (size_t i = 0; i < s->count; i++)
        if (s->operations[i].kind == SCHEDULE_SEND)
            number(s, &table, &s->operations[i]);
    free(table.places);
    return true;
}

/* ---- */

void clump_schedule_free(clump_schedule *schedule)
{
    if (schedule == NULL)
        return;
    free(schedule->operations);
    free(schedule->edges);
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
    const schedule_operation *o = &schedule->operations[index];
    return (clump_schedule_step){.what = o->kind == SCHEDULE_CALC   ? CLUMP_SCHEDULE_COMPUTES
                                         : o->kind == SCHEDULE_SEND ? CLUMP_SCHEDULE_SENDS
                                                                    : CLUMP_SCHEDULE_RECEIVES,
                                 .rank = o->rank,
                                 .peer = o->peer,
                                 .size = o->size};
}
