/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The text of kept calls, written rank by rank. Without memory it goes on without writing, until it is asked for the text. */
#include "model/simulation/kept_calls.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct text {
    char *bytes;
    size_t used, room;
} text;

typedef struct kept_operation {
    uint64_t size;
    uint32_t peer, tag; /* of a collective: its communicator */
    uint32_t root;
    int32_t parts;
    uint32_t waits; /* of the writer's list, until those of the next operation */
    clump_collective_kind collective;
    char kind; /* c, s, r or a */
    uint8_t cpu;
    bool any;
} kept_operation;

struct clump_kept_writer {
    text head, ranks;
    uint32_t communicators;
    int32_t lists;
    kept_operation *operations;
    size_t count, room;
    uint32_t *waits;
    size_t wait_count, wait_room;
    bool no_memory;
};

clump_kept_writer *clump_kept_writer_new(void)
{
    return calloc(1, sizeof(clump_kept_writer));
}

void clump_kept_writer_free(clump_kept_writer *w)
{
    if (w == NULL)
        return;
    free(w->head.bytes);
    free(w->ranks.bytes);
    free(w->operations);
    free(w->waits);
    free(w);
}

/* Room for `more` items behind `count`; the list, or NULL without memory. */
static void *grow(clump_kept_writer *w, void *list, size_t count, size_t more, size_t *room,
                  size_t size)
{
    if (w->no_memory || count + more <= *room)
        return w->no_memory ? NULL : list;
    const size_t wanted = count + more + *room / 2 + 256;
    void *larger = realloc(list, wanted * size);
    w->no_memory = larger == NULL;
    if (larger != NULL)
        *room = wanted;
    return larger;
}

__attribute__((format(printf, 3, 4))) static void print(clump_kept_writer *w, text *to,
                                                        const char *format, ...)
{
    enum { MOST = 128 };
    char *bytes = grow(w, to->bytes, to->used, MOST, &to->room, 1);
    if (bytes == NULL)
        return;
    to->bytes = bytes;
    va_list values;
    va_start(values, format);
    to->used += (size_t)vsnprintf(bytes + to->used, MOST, format, values);
    va_end(values);
}

/* ---- communicators and parts */

uint32_t clump_kept_communicator(clump_kept_writer *w, const uint32_t *ranks, size_t count)
{
    for (size_t i = 0, next; i < count; i = next) {
        next = i + 1;
        while (next < count && ranks[next] == ranks[i] + (uint32_t)(next - i))
            next++;
        print(w, &w->head, "%c%" PRIu32, i == 0 ? 'm' : '.', ranks[i]);
        if (next - i > 1)
            print(w, &w->head, "-%" PRIu32, ranks[next - 1]);
    }
    print(w, &w->head, "\n");
    return w->communicators++;
}

int32_t clump_kept_parts(clump_kept_writer *w, const uint64_t *parts, size_t count)
{
    for (size_t i = 0; i < count; i++)
        print(w, &w->head, "%c%" PRIu64, i == 0 ? 'v' : '.', parts[i]);
    print(w, &w->head, "\n");
    return w->lists++;
}

/* ---- operations */

static uint32_t add(clump_kept_writer *w, kept_operation o)
{
    kept_operation *all = grow(w, w->operations, w->count, 1, &w->room, sizeof *all);
    if (all == NULL)
        return 0;
    w->operations = all;
    o.waits = (uint32_t)w->wait_count;
    all[w->count] = o;
    return (uint32_t)w->count++;
}

uint32_t clump_kept_add_calc(clump_kept_writer *w, uint8_t cpu, uint64_t nanoseconds)
{
    return add(w, (kept_operation){.kind = 'c', .size = nanoseconds, .cpu = cpu});
}

uint32_t clump_kept_add_send(clump_kept_writer *w, uint8_t cpu, uint32_t to, uint32_t tag,
                             uint64_t bytes)
{
    return add(w, (kept_operation){.kind = 's', .size = bytes, .peer = to, .tag = tag, .cpu = cpu});
}

uint32_t clump_kept_add_receive(clump_kept_writer *w, uint8_t cpu, uint32_t from, uint32_t tag,
                                uint64_t bytes)
{
    return add(w,
               (kept_operation){.kind = 'r', .size = bytes, .peer = from, .tag = tag, .cpu = cpu});
}

uint32_t clump_kept_add_collective(clump_kept_writer *w, uint8_t cpu, uint32_t communicator,
                                   uint32_t tag, const clump_collective_operation *operation,
                                   int32_t parts)
{
    return add(w, (kept_operation){.kind = 'a',
                                   .size = parts < 0 ? operation->bytes : 0,
                                   .peer = communicator,
                                   .tag = tag,
                                   .root = operation->root,
                                   .parts = parts,
                                   .collective = operation->kind,
                                   .cpu = cpu});
}

void clump_kept_set_receive(clump_kept_writer *w, uint32_t receive, uint32_t from, uint32_t tag,
                            uint64_t bytes)
{
    if (w->no_memory)
        return;
    w->operations[receive].peer = from;
    w->operations[receive].tag = tag;
    w->operations[receive].size = bytes;
}

void clump_kept_any_source(clump_kept_writer *w, uint32_t receive)
{
    if (!w->no_memory)
        w->operations[receive].any = true;
}

void clump_kept_set_calc(clump_kept_writer *w, uint32_t calc, uint64_t nanoseconds)
{
    if (!w->no_memory)
        w->operations[calc].size = nanoseconds;
}

void clump_kept_drop_receive(clump_kept_writer *w, uint32_t receive)
{
    if (w->no_memory)
        return;
    w->operations[receive].kind = 'c';
    w->operations[receive].size = w->operations[receive].tag = 0;
}

void clump_kept_require(clump_kept_writer *w, uint32_t earlier)
{
    uint32_t *waits = grow(w, w->waits, w->wait_count, 1, &w->wait_room, sizeof *waits);
    if (waits == NULL)
        return;
    w->waits = waits;
    waits[w->wait_count++] = earlier;
}

/* ---- lines */

static void print_operation(clump_kept_writer *w, const kept_operation *o)
{
    text *to = &w->ranks;
    print(w, to, "%c%" PRIu64, o->kind, o->size);
    if (o->kind != 'c')
        print(w, to, ".%" PRIu32, o->peer);
    if (o->kind == 'a')
        print(w, to, ":%s:", clump_collective_kind_name(o->collective));
    if (o->kind == 'a' && o->root != 0)
        print(w, to, "o%" PRIu32, o->root);
    if (o->kind == 'a' && o->parts >= 0)
        print(w, to, "v%" PRId32, o->parts);
    if (o->tag != 0)
        print(w, to, "t%" PRIu32, o->tag);
    if (o->any && o->kind == 'r')
        print(w, to, "n");
    if (o->cpu != 0)
        print(w, to, "p%u", (unsigned)o->cpu);
}

/* What operation `i` waits for: from the `first` of the list up to `end`. */
static void print_waits(clump_kept_writer *w, uint32_t i, size_t first, size_t end)
{
    if (i == 0 || (first + 1 == end && w->waits[first] + 1 == i))
        return;
    if (first == end)
        print(w, &w->ranks, "w0");
    for (size_t k = first; k < end; k++)
        print(w, &w->ranks, "%c%" PRIu32, k == first ? 'w' : '.', i - w->waits[k]);
}

void clump_kept_end_rank(clump_kept_writer *w)
{
    print(w, &w->ranks, "r");
    for (size_t i = 0; i < w->count && !w->no_memory; i++) {
        const size_t first = w->operations[i].waits,
                     end = i + 1 < w->count ? w->operations[i + 1].waits : w->wait_count;
        print_operation(w, &w->operations[i]);
        print_waits(w, (uint32_t)i, first, end);
    }
    print(w, &w->ranks, "\n");
    w->count = w->wait_count = 0;
}

char *clump_kept_finish(clump_kept_writer *w)
{
    char *bytes = grow(w, w->head.bytes, w->head.used, w->ranks.used + 1, &w->head.room, 1);
    if (bytes != NULL) {
        if (w->ranks.used > 0)
            memcpy(bytes + w->head.used, w->ranks.bytes, w->ranks.used);
        bytes[w->head.used + w->ranks.used] = '\0';
        w->head.bytes = NULL;
    }
    clump_kept_writer_free(w);
    return bytes;
}
