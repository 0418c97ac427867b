/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Operations become a schedule, wherever they come from. */
#include "model/simulation/schedule_builder.h"

#include "model/simulation/schedule_match.h"

#include <stdlib.h>
#include <string.h>

#define NONE SCHEDULE_NONE

typedef struct dependency {
    uint32_t earlier, later; /* the later one perhaps with SCHEDULE_AT_START */
} dependency;

struct clump_schedule_builder {
    clump_schedule *schedule;
    size_t room; /* of its operations */
    dependency *dependencies;
    size_t dependency_count, dependency_room;
    clump_status status;
    clump_error error; /* of what failed first */
};

clump_status clump_schedule_builder_make(size_t ranks, clump_schedule_builder **builder,
                                         clump_error *error)
{
    if (ranks < 1 || ranks > CLUMP_SCHEDULE_MOST_RANKS)
        return clump_fail(error, CLUMP_BAD_ARGUMENT, "ranks: found %zu, expected 1 to 2^22", ranks);
    clump_schedule_builder *b = calloc(1, sizeof *b);
    if (b != NULL)
        b->schedule = calloc(1, sizeof *b->schedule);
    if (b == NULL || b->schedule == NULL) {
        clump_schedule_builder_free(b);
        return clump_fail_memory(error, "the schedule");
    }
    b->schedule->ranks = ranks;
    b->schedule->cpus = 1;
    b->schedule->place = "call";
    *builder = b;
    return CLUMP_OK;
}

void clump_schedule_builder_free(clump_schedule_builder *builder)
{
    if (builder == NULL)
        return;
    clump_schedule_free(builder->schedule);
    free(builder->dependencies);
    free(builder);
}

clump_schedule *schedule_of(clump_schedule_builder *builder)
{
    return builder->schedule;
}

size_t clump_schedule_builder_operations(const clump_schedule_builder *builder)
{
    return builder->schedule->count;
}

/* The items with room for `count` of `size` bytes and one more; NULL without memory, or if something failed before. */
static void *grow(clump_schedule_builder *b, void *items, size_t count, size_t *room, size_t size)
{
    if (b->status != CLUMP_OK)
        return NULL;
    if (count < *room)
        return items;
    const size_t more = *room + *room / 2 + 256;
    void *larger = realloc(items, more * size);
    if (larger == NULL)
        b->status = clump_fail_memory(&b->error, "the operations of the schedule");
    else
        *room = more;
    return larger;
}

bool schedule_add(clump_schedule_builder *b, const schedule_operation *o)
{
    clump_schedule *s = b->schedule;
    schedule_operation *all = grow(b, s->operations, s->count, &b->room, sizeof *all);
    if (all == NULL)
        return false;
    s->operations = all;
    all[s->count++] = *o;
    if (o->cpu >= s->cpus)
        s->cpus = o->cpu + 1u;
    return true;
}

bool schedule_depend(clump_schedule_builder *b, uint32_t earlier, uint32_t later)
{
    dependency *all =
        grow(b, b->dependencies, b->dependency_count, &b->dependency_room, sizeof *all);
    if (all == NULL)
        return false;
    b->dependencies = all;
    all[b->dependency_count++] = (dependency){earlier, later};
    return true;
}

static bool can_be(const clump_schedule *s, const schedule_operation *o)
{
    return o->rank < s->ranks && o->cpu < SCHEDULE_CPUS && o->size <= SCHEDULE_MOST_SIZE &&
           (o->kind == SCHEDULE_CALC || (o->peer < s->ranks && o->tag != SCHEDULE_ANY)) &&
           (s->count == 0 || s->operations[s->count - 1].rank <= o->rank);
}

static uint32_t add(clump_schedule_builder *b, schedule_operation o)
{
    const size_t number = b->schedule->count;
    if (b->status != CLUMP_OK)
        return 0;
    if (number >= SCHEDULE_MOST_OPERATIONS)
        b->status = clump_fail(&b->error, CLUMP_BAD_ARGUMENT, "more than 2^30 operations");
    else if (!can_be(b->schedule, &o))
        b->status = clump_fail(&b->error, CLUMP_BAD_ARGUMENT,
                               "rank %u, call %u: an operation that cannot be", (unsigned)o.rank,
                               (unsigned)o.line);
    else
        schedule_add(b, &o);
    return (uint32_t)number;
}

uint32_t clump_schedule_add_calc(clump_schedule_builder *b, uint32_t rank, uint8_t cpu,
                                 uint32_t call, uint64_t nanoseconds)
{
    return add(
        b, (schedule_operation){
               .size = nanoseconds, .rank = rank, .line = call, .kind = SCHEDULE_CALC, .cpu = cpu});
}

uint32_t clump_schedule_add_send(clump_schedule_builder *b, uint32_t rank, uint8_t cpu,
                                 uint32_t call, uint32_t to, uint32_t tag, uint64_t bytes)
{
    return add(b, (schedule_operation){bytes, rank, to, tag, call, 0, SCHEDULE_SEND, cpu, 0});
}

uint32_t clump_schedule_add_receive(clump_schedule_builder *b, uint32_t rank, uint8_t cpu,
                                    uint32_t call, uint32_t from, uint32_t tag, uint64_t bytes)
{
    return add(b, (schedule_operation){bytes, rank, from, tag, call, 0, SCHEDULE_RECV, cpu, 0});
}

void clump_schedule_any_source(clump_schedule_builder *b, uint32_t receive)
{
    if (b->status == CLUMP_OK)
        b->schedule->operations[receive].any = 1;
}

void clump_schedule_require(clump_schedule_builder *b, uint32_t later, uint32_t earlier)
{
    const clump_schedule *s = b->schedule;
    const schedule_operation *all = s->operations;
    if (b->status == CLUMP_OK && (later >= s->count || earlier >= s->count || later == earlier ||
                                  all[later].rank != all[earlier].rank))
        b->status = clump_fail(&b->error, CLUMP_BAD_ARGUMENT,
                               "operation %u requires %u: expected two of one rank",
                               (unsigned)later, (unsigned)earlier);
    schedule_depend(b, earlier, later);
}

/* ---- what requires what */

static void disconnect(clump_schedule *s)
{
    free(s->edges);
    free(s->first_edge);
    free(s->needs);
    s->edges = s->first_edge = s->needs = NULL;
}

/* Dependents of each operation, one after the other; those of an operation keep their order. */
static bool connect(clump_schedule_builder *b)
{
    clump_schedule *s = b->schedule;
    const dependency *all = b->dependencies;
    const size_t count = b->dependency_count;
    disconnect(s);
    if (count == 0 || count > UINT32_MAX / 2)
        return count == 0;
    s->edges = malloc(count * sizeof *s->edges);
    s->first_edge = calloc(s->count + 1, sizeof *s->first_edge);
    s->needs = calloc(s->count + 1, sizeof *s->needs);
    if (s->edges == NULL || s->first_edge == NULL || s->needs == NULL)
        return false;
    for (size_t i = 0; i < count; i++) {
        s->first_edge[all[i].earlier]++;
        s->needs[all[i].later & ~SCHEDULE_AT_START]++;
    }
    for (size_t i = 0; i < s->count; i++)
        s->first_edge[i + 1] += s->first_edge[i];
    for (size_t i = count; i-- > 0;)
        s->edges[--s->first_edge[all[i].earlier]] = all[i].later;
    return true;
}

/* ---- channels */

static bool is_any(const schedule_operation *o)
{
    return o->kind == SCHEDULE_RECV && (o->peer == SCHEDULE_ANY || o->tag == SCHEDULE_ANY);
}

/* Where a message goes, and where it comes from. */
static uint64_t ends_of(const schedule_operation *o)
{
    return o->kind == SCHEDULE_SEND ? (uint64_t)o->peer << 32 | o->rank
                                    : (uint64_t)o->rank << 32 | o->peer;
}

static uint64_t mix(uint64_t x)
{
    x = (x ^ (x >> 31)) * UINT64_C(0x7fb5d329728ea185);
    x = (x ^ (x >> 27)) * UINT64_C(0x81dadef4bc2dd44d);
    return x ^ (x >> 33);
}

/* Messages match receives by receiver, source and tag. Each combination that occurs is a channel, found once by a
 * hash table with linear probing that holds the first operation of each, so that a run needs no search: lists that
 * are searched would make an all-to-all quadratic. */
static bool number_channels(clump_schedule *s)
{
    size_t room = 64;
    while (room < s->count + s->count / 3)
        room *= 2;
    uint32_t *first = malloc(room * sizeof *first);
    if (first == NULL)
        return false;
    memset(first, 0xff, room * sizeof *first); /* NONE */
    s->channel_count = 0;
    for (uint32_t o = 0; o < s->count; o++) {
        schedule_operation *own = &s->operations[o], *other = NULL;
        if (own->kind == SCHEDULE_CALC || is_any(own))
            continue;
        const uint64_t ends = ends_of(own);
        size_t i = mix(ends + mix(own->tag)) & (room - 1);
        for (; first[i] != NONE; i = (i + 1) & (room - 1)) {
            other = &s->operations[first[i]];
            if (ends_of(other) == ends && other->tag == own->tag)
                break;
        }
        if (first[i] == NONE) {
            first[i] = o;
            own->channel = (uint32_t)s->channel_count++;
        } else {
            own->channel = other->channel;
        }
    }
    free(first);
    return true;
}

/* ---- what can be run at all: without wildcards that does not depend on times, since messages of a channel arrive in the
 * order in which they are sent, so that whoever can go on can do so whenever it does */

typedef struct trimmer {
    clump_schedule *schedule;
    schedule_match match;
    uint32_t *ready; /* operations, in order; when all are through, new numbers */
    uint32_t count;
    bool *ran;
} trimmer;

static void run(trimmer *t, uint32_t o)
{
    const clump_schedule *s = t->schedule;
    t->ran[o] = true;
    for (uint32_t e = s->edges != NULL ? s->first_edge[o] : 0;
         s->edges != NULL && e < s->first_edge[o + 1]; e++) {
        const uint32_t later = s->edges[e] & ~SCHEDULE_AT_START;
        if (schedule_match_needs_less(&t->match, later))
            t->ready[t->count++] = later;
    }
}

static void run_all(trimmer *t)
{
    const clump_schedule *s = t->schedule;
    for (uint32_t o = 0; o < s->count; o++)
        if (schedule_needs(s, o) == 0)
            t->ready[t->count++] = o;
    for (uint32_t i = 0; i < t->count; i++) { /* receives of a channel are ready in their order */
        const uint32_t o = t->ready[i];
        const uint8_t kind = s->operations[o].kind;
        if (kind == SCHEDULE_RECV) {
            if (schedule_match_receive(&t->match, o) != NONE)
                run(t, o);
            continue;
        }
        const uint32_t receive =
            kind == SCHEDULE_SEND ? schedule_match_message(&t->match, o) : NONE;
        if (receive != NONE)
            run(t, receive);
        run(t, o);
    }
}

/* Messages that nobody receives become calculations of no time. */
static uint64_t drop_messages(trimmer *t)
{
    uint64_t dropped = 0;
    for (size_t i = 0; i < t->schedule->channel_count; i++) {
        const schedule_channel_queue *queue = &t->match.channels[i];
        for (uint32_t o = queue->receives ? NONE : queue->first; o != NONE; o = t->match.next[o]) {
            t->schedule->operations[o].kind = SCHEDULE_CALC;
            t->schedule->operations[o].size = 0;
            dropped++;
        }
    }
    return dropped;
}

/* Those that wait for ever. */
static uint64_t drop_operations(trimmer *t, clump_schedule_builder *b, uint32_t *first_call)
{
    clump_schedule *s = t->schedule;
    const size_t all = s->count, dependencies = b->dependency_count;
    s->count = b->dependency_count = 0;
    for (size_t i = 0; i < all; i++) {
        const schedule_operation o = s->operations[i];
        if (!t->ran[i] && first_call != NULL && first_call[o.rank] == NONE)
            first_call[o.rank] = o.line;
        t->ready[i] = (uint32_t)s->count;
        if (t->ran[i])
            s->operations[s->count++] = o;
    }
    for (size_t i = 0; i < dependencies; i++) {
        const dependency d = b->dependencies[i];
        const uint32_t later = d.later & ~SCHEDULE_AT_START, start = d.later & SCHEDULE_AT_START;
        if (t->ran[later])
            b->dependencies[b->dependency_count++] =
                (dependency){t->ready[d.earlier], t->ready[later] | start};
    }
    return all - s->count;
}

static bool trim(clump_schedule_builder *b, clump_schedule_left_out *left)
{
    trimmer t = {.schedule = b->schedule};
    const size_t count = b->schedule->count;
    for (size_t i = 0; left->first_call != NULL && i < b->schedule->ranks; i++)
        left->first_call[i] = NONE;
    t.ready = malloc((count + 1) * sizeof *t.ready);
    t.ran = calloc(count + 1, sizeof *t.ran);
    const bool done =
        schedule_match_make(&t.match, b->schedule) && t.ready != NULL && t.ran != NULL;
    if (done) {
        run_all(&t);
        left->messages = drop_messages(&t);
        left->operations = drop_operations(&t, b, left->first_call);
    }
    schedule_match_release(&t.match);
    free(t.ready);
    free(t.ran);
    if (!done || (left->messages == 0 && left->operations == 0))
        return done;
    return connect(b) && number_channels(b->schedule);
}

/* ---- */

static clump_status finish(clump_schedule_builder *b, clump_schedule_left_out *left_out,
                           clump_schedule **schedule, clump_error *error)
{
    clump_status status = b->status;
    if (status != CLUMP_OK) {
        if (error != NULL)
            *error = b->error;
    } else if (!connect(b) || !number_channels(b->schedule) ||
               (left_out != NULL && !trim(b, left_out))) {
        status = clump_fail_memory(error, "the schedule");
    } else {
        *schedule = b->schedule;
        b->schedule = NULL;
    }
    clump_schedule_builder_free(b);
    return status;
}

clump_status schedule_finish(clump_schedule_builder *b, clump_schedule **schedule,
                             clump_error *error)
{
    return finish(b, NULL, schedule, error);
}

clump_status clump_schedule_builder_finish(clump_schedule_builder *b, clump_schedule **schedule,
                                           clump_schedule_left_out *left_out, clump_error *error)
{
    clump_schedule_left_out unread = {.first_call = NULL};
    return finish(b, left_out != NULL ? left_out : &unread, schedule, error);
}

void clump_schedule_free(clump_schedule *schedule)
{
    if (schedule == NULL)
        return;
    disconnect(schedule);
    free(schedule->operations);
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
    static const clump_schedule_kind deeds[] = {[SCHEDULE_CALC] = CLUMP_SCHEDULE_COMPUTES,
                                                [SCHEDULE_SEND] = CLUMP_SCHEDULE_SENDS,
                                                [SCHEDULE_RECV] = CLUMP_SCHEDULE_RECEIVES};
    const schedule_operation *o = &schedule->operations[index];
    return (clump_schedule_step){deeds[o->kind], o->rank, o->peer, o->size};
}
