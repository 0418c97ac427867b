/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "model/simulation/schedule_builder.h"

#include "model/simulation/schedule_build.h"

#include <stdlib.h>

struct clump_schedule_builder {
    clump_schedule *schedule; /* without operations until the end */
    schedule_operation *operations;
    size_t count, room;
    schedule_dependency *dependencies;
    size_t dependency_count, dependency_room;
    clump_status status;
    clump_error error; /* of what failed first */
};

enum { MOST_OPERATIONS = 1 << 30 };
static const uint64_t most_size = UINT64_C(1000000000000000);

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
    free(builder->operations);
    free(builder->dependencies);
    free(builder);
}

size_t clump_schedule_builder_operations(const clump_schedule_builder *builder)
{
    return builder->count;
}

/* Room for `count` items of `size` bytes and one more; false without memory. */
static bool grow(clump_schedule_builder *b, void **items, size_t count, size_t *room, size_t size)
{
    if (count < *room)
        return true;
    const size_t more = *room > 0 ? *room + *room / 2 : 256;
    void *larger = realloc(*items, more * size);
    if (larger == NULL) {
        b->status = clump_fail_memory(&b->error, "the operations of the schedule");
        return false;
    }
    *items = larger;
    *room = more;
    return true;
}

static bool can_be(const clump_schedule_builder *b, const schedule_operation *o)
{
    const clump_schedule *s = b->schedule;
    return o->rank < s->ranks && o->cpu < SCHEDULE_CPUS && o->size <= most_size &&
           (o->kind == SCHEDULE_CALC || (o->peer < s->ranks && o->tag != SCHEDULE_ANY)) &&
           (b->count == 0 || b->operations[b->count - 1].rank <= o->rank);
}

static uint32_t add(clump_schedule_builder *b, schedule_operation o)
{
    clump_schedule *s = b->schedule;
    void *items = b->operations;
    const size_t number = b->count;
    if (b->status != CLUMP_OK)
        return 0;
    if (number >= MOST_OPERATIONS) {
        b->status = clump_fail(&b->error, CLUMP_BAD_ARGUMENT, "more than 2^30 operations");
    } else if (!can_be(b, &o)) {
        b->status = clump_fail(&b->error, CLUMP_BAD_ARGUMENT,
                               "rank %u, call %u: an operation that cannot be", (unsigned)o.rank,
                               (unsigned)o.line);
    } else if (grow(b, &items, number, &b->room, sizeof o)) {
        b->operations = items;
        b->operations[b->count++] = o;
        if (o.cpu >= s->cpus)
            s->cpus = o.cpu + 1u;
    }
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
    return add(b, (schedule_operation){.size = bytes,
                                       .rank = rank,
                                       .peer = to,
                                       .tag = tag,
                                       .line = call,
                                       .kind = SCHEDULE_SEND,
                                       .cpu = cpu});
}

uint32_t clump_schedule_add_receive(clump_schedule_builder *b, uint32_t rank, uint8_t cpu,
                                    uint32_t call, uint32_t from, uint32_t tag, uint64_t bytes)
{
    return add(b, (schedule_operation){.size = bytes,
                                       .rank = rank,
                                       .peer = from,
                                       .tag = tag,
                                       .line = call,
                                       .kind = SCHEDULE_RECV,
                                       .cpu = cpu});
}

void clump_schedule_require(clump_schedule_builder *b, uint32_t later, uint32_t earlier)
{
    void *items = b->dependencies;
    const schedule_operation *all = b->operations;
    if (b->status == CLUMP_OK && (later >= b->count || earlier >= b->count || later == earlier ||
                                  all[later].rank != all[earlier].rank))
        b->status = clump_fail(&b->error, CLUMP_BAD_ARGUMENT,
                               "operation %u requires %u: expected two of one rank",
                               (unsigned)later, (unsigned)earlier);
    if (b->status != CLUMP_OK ||
        !grow(b, &items, b->dependency_count, &b->dependency_room, sizeof *b->dependencies))
        return;
    b->dependencies = items;
    b->dependencies[b->dependency_count++] = (schedule_dependency){earlier, later};
}

static bool build(clump_schedule_builder *b, schedule_leftover *leftover)
{
    clump_schedule *s = b->schedule;
    return schedule_append(s, b->operations, b->count) &&
           schedule_connect(s, b->dependencies, b->dependency_count) &&
           schedule_number_channels(s) &&
           schedule_trim(s, b->operations, b->dependencies, &b->dependency_count, leftover) &&
           schedule_number_channels(s);
}

clump_status clump_schedule_builder_finish(clump_schedule_builder *b, clump_schedule **schedule,
                                           clump_schedule_left_out *left_out, clump_error *error)
{
    schedule_leftover leftover = {.first_line = left_out != NULL ? left_out->first_call : NULL};
    clump_status status = b->status;
    if (status != CLUMP_OK) {
        if (error != NULL)
            *error = b->error;
    } else if (!build(b, &leftover)) {
        status = clump_fail_memory(error, "the schedule");
    } else {
        if (left_out != NULL) {
            left_out->operations = leftover.operations;
            left_out->messages = leftover.messages;
        }
        *schedule = b->schedule;
        b->schedule = NULL;
    }
    clump_schedule_builder_free(b);
    return status;
}
