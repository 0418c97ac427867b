/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "model/simulation/schedule_collective.h"

#include "model/simulation/schedule_builder.h"

#include <math.h>
#include <stdlib.h>

static const uint32_t NOTHING = UINT32_MAX;

typedef struct writer {
    clump_schedule_builder *builder;
    const clump_collective_request *request;
    uint32_t base, rank; /* of the communicator, and of the program */
    uint32_t member;     /* of the communicator */
    uint64_t step;       /* that is being written; one more than its number, 0: none yet */
    uint32_t waits_for;  /* the end of the step before */
    uint32_t first;      /* operation of this step, and how many there are */
    uint64_t count;
    uint64_t written, most;
} writer;

/* All of the step has to end before the next one begins. */
static void close_step(writer *w)
{
    if (w->count == 0)
        return;
    uint32_t end = w->first;
    if (w->count > 1) {
        end = clump_schedule_add_calc(w->builder, w->rank, 0, 0, 0);
        for (uint32_t o = w->first; o < end; o++)
            clump_schedule_require(w->builder, end, o);
        w->written++;
    }
    w->waits_for = end;
    w->count = 0;
}

static int write(void *context, const clump_collective_message *m)
{
    writer *w = context;
    const uint32_t stride = w->request->stride;
    const bool sends = m->from == w->member;
    if (w->step != (uint64_t)m->step + 1)
        close_step(w);
    w->step = (uint64_t)m->step + 1;
    const uint32_t o = sends ? clump_schedule_add_send(w->builder, w->rank, 0, 0,
                                                       w->base + m->to * stride, 0, m->bytes)
                             : clump_schedule_add_receive(w->builder, w->rank, 0, 0,
                                                          w->base + m->from * stride, 0, m->bytes);
    if (w->count++ == 0)
        w->first = o;
    if (w->waits_for != NOTHING)
        clump_schedule_require(w->builder, o, w->waits_for);
    return ++w->written > w->most;
}

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

static clump_status write_ranks(writer *w, const clump_collective_operation *operation,
                                clump_error *error)
{
    const clump_collective_request *r = w->request;
    const uint32_t span = r->size * r->stride;
    for (uint32_t rank = 0; rank < r->ranks; rank++) {
        w->rank = rank;
        w->base = rank / span * span + rank % r->stride;
        w->member = rank % span / r->stride;
        w->step = w->count = 0;
        w->waits_for = NOTHING;
        if (clump_collective_visit(operation, w->member, write, w) != 0)
            return clump_fail(
                error, CLUMP_BAD_ARGUMENT,
                "%s of %lu ranks: more than %llu operations, too many to be simulated",
                clump_collective_kind_name(r->kind), (unsigned long)r->size,
                (unsigned long long)w->most);
        close_step(w);
    }
    return CLUMP_OK;
}

clump_status clump_schedule_collective(const clump_collective_request *request, size_t processors,
                                       uint64_t most_operations, clump_schedule **schedule,
                                       clump_error *error)
{
    clump_collective_layout layout;
    clump_collective_places *places = NULL;
    writer w = {.request = request, .most = most_operations};
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
        status = clump_schedule_builder_make(request->ranks, &w.builder, error);
    if (status == CLUMP_OK)
        status = write_ranks(&w, &operation, error);
    clump_collective_places_free(places);
    if (status != CLUMP_OK) {
        clump_schedule_builder_free(w.builder);
        return status;
    }
    return clump_schedule_builder_finish(w.builder, schedule, NULL, error);
}
