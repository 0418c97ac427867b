/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "model/simulation/schedule_collective.h"

#include <math.h>
#include <stdlib.h>

void schedule_follow(clump_schedule_builder *builder, const schedule_ending *ending,
                     uint32_t operation)
{
    for (unsigned i = 0; i < ending->tails; i++)
        clump_schedule_require(builder, operation, ending->tail[i]);
}

/* What was posted in the step is waited for. */
static void end_step(schedule_steps *s)
{
    const uint32_t first = s->first, end = s->first + s->count;
    if (s->count == 0)
        return;
    s->before.tails = 0;
    if (s->count <= s->most_tails) {
        for (uint32_t o = first; o < end; o++)
            s->before.tail[s->before.tails++] = o;
    } else {
        s->before.tail[s->before.tails++] =
            clump_schedule_add_calc(s->builder, s->rank, s->cpu, s->call, 0);
        for (uint32_t o = first; o < end; o++)
            clump_schedule_require(s->builder, s->before.tail[0], o);
    }
    s->count = 0;
}

static uint32_t rank_of(const schedule_steps *s, uint32_t member)
{
    return s->ranks != NULL ? (uint32_t)s->ranks[member] : s->base + member * s->stride;
}

static int take(void *context, const clump_collective_message *m)
{
    schedule_steps *s = context;
    const uint32_t from = rank_of(s, m->from), to = rank_of(s, m->to);
    if (m->step != s->step)
        end_step(s);
    s->step = m->step;
    const uint32_t o =
        from == s->rank
            ? clump_schedule_add_send(s->builder, s->rank, s->cpu, s->call, to, s->tag, m->bytes)
            : clump_schedule_add_receive(s->builder, s->rank, s->cpu, s->call, from, s->tag,
                                         m->bytes);
    schedule_follow(s->builder, &s->before, o);
    if (s->count++ == 0)
        s->first = o;
    return clump_schedule_builder_operations(s->builder) > s->most_operations;
}

bool schedule_add_collective(schedule_steps *s, const clump_collective_operation *operation,
                             uint32_t member)
{
    s->step = s->count = 0;
    if (clump_collective_visit(operation, member, take, s) != 0)
        return false;
    end_step(s);
    return true;
}

/* ---- one collective by itself */

/* The node of each member of the first communicator: all others lie alike. */
static clump_status make_places(const clump_collective_request *r, size_t processors,
                                clump_collective_places **places, clump_error *error)
{
    uint32_t *node = malloc(r->size * sizeof *node);
    if (node == NULL)
        return clump_fail_memory(error, "the places of ranks");
    for (uint32_t i = 0; i < r->size; i++)
        node[i] = (uint32_t)((uint64_t)i * r->stride / processors);
    const clump_status status = clump_collective_places_make(r->size, node, places, error);
    free(node);
    return status;
}

static clump_status write_ranks(const clump_collective_request *r, uint64_t most_operations,
                                const clump_collective_operation *operation,
                                clump_schedule_builder *builder, clump_error *error)
{
    const uint32_t span = r->size * r->stride;
    for (uint32_t rank = 0; rank < r->ranks; rank++) {
        schedule_steps steps = {.builder = builder,
                                .most_operations = most_operations,
                                .rank = rank,
                                .base = rank / span * span + rank % r->stride,
                                .stride = r->stride,
                                .most_tails = 1};
        if (!schedule_add_collective(&steps, operation, rank % span / r->stride))
            return clump_fail(
                error, CLUMP_BAD_ARGUMENT,
                "%s of %lu ranks: more than %llu operations, too many to be simulated",
                clump_collective_kind_name(r->kind), (unsigned long)r->size,
                (unsigned long long)most_operations);
    }
    return CLUMP_OK;
}

clump_status clump_schedule_collective(const clump_collective_request *request, size_t processors,
                                       uint64_t most_operations, clump_schedule **schedule,
                                       clump_error *error)
{
    clump_collective_layout layout;
    clump_collective_places *places = NULL;
    clump_schedule_builder *builder = NULL;
    clump_status status = clump_collective_lay_out(request, processors, &layout, error);
    if (status == CLUMP_OK && !(request->bytes <= 0x1p53 && request->bytes >= 0))
        status = clump_fail(error, CLUMP_BAD_ARGUMENT,
                            "%s: found %g bytes, expected 0 to 2^53 where messages are simulated",
                            clump_collective_kind_name(request->kind), request->bytes);
    if (status == CLUMP_OK)
        status = make_places(request, processors, &places, error);
    clump_collective_operation operation = {
        .kind = request->kind,
        .algorithm = request->algorithm,
        .ranks = request->size,
        .bytes = status == CLUMP_OK ? (uint64_t)rint(request->bytes) : 0,
        .places = places};
    if (status == CLUMP_OK)
        status = clump_collective_check(&operation, error);
    if (status == CLUMP_OK)
        status = clump_schedule_builder_make(request->ranks, &builder, error);
    if (status == CLUMP_OK)
        status = write_ranks(request, most_operations, &operation, builder, error);
    clump_collective_places_free(places);
    if (status != CLUMP_OK) {
        clump_schedule_builder_free(builder);
        return status;
    }
    return clump_schedule_builder_finish(builder, schedule, NULL, error);
}
