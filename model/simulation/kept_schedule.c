/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The text of kept calls as a schedule for nodes: collectives are taken apart where they stand. */
#include "model/simulation/kept_calls.h"

#include "model/simulation/schedule_collective.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_CPUS = 64, MOST_WORD = 32 };

typedef struct numbers {
    uint64_t *items;
    size_t count, room;
} numbers;

typedef struct communicator {
    numbers members; /* ranks */
    size_t index;    /* of the rank in hand; their count: not a member */
    clump_collective_places *places;
} communicator;

typedef struct reader {
    const clump_kept_machine *machine;
    clump_schedule_builder *builder;
    communicator *communicators;
    size_t communicator_count, communicator_room;
    numbers *lists; /* bytes where parts begin */
    size_t list_count, list_room;
    schedule_ending *endings; /* what each operation of the rank in hand ends with */
    size_t ending_room;
    const char *line, *at;
    uint32_t rank;
    size_t ranks;
    clump_error *error;
    schedule_steps now; /* the operation in hand */
    const communicator *among;
} reader;

/* ---- words */

static clump_status refuse(const reader *r, const char *expected)
{
    char found[16] = "the end";
    if (*r->at != '\0' && *r->at != '\n')
        snprintf(found, sizeof found, "'%.*s'", (int)strcspn(r->at, "\n"), r->at);
    return clump_fail(r->error, CLUMP_BAD_ARGUMENT,
                      "calls of rank %" PRIu32 ", byte %zu: found %s, expected %s", r->rank,
                      (size_t)(r->at - r->line) + 1, found, expected);
}

/* Digits, up to `most`. */
static bool read_number(reader *r, uint64_t most, uint64_t *number)
{
    const char *at = r->at;
    uint64_t n = 0;
    if (*at < '0' || *at > '9')
        return false;
    for (; *at >= '0' && *at <= '9'; at++) {
        const uint64_t digit = (uint64_t)(*at - '0');
        if (n > (most - digit) / 10 || digit > most)
            return false;
        n = 10 * n + digit;
    }
    r->at = at;
    *number = n;
    return true;
}

static bool skip(reader *r, char letter)
{
    if (*r->at != letter)
        return false;
    r->at++;
    return true;
}

/* The list with room for one more; NULL without memory. */
static void *grow(void *list, size_t count, size_t *room, size_t size)
{
    const size_t more = 2 * *room + 16;
    if (count < *room)
        return list;
    void *larger = realloc(list, more * size);
    *room = larger != NULL ? more : *room;
    return larger;
}

/* ---- communicators and lists of parts */

/* m and ranks, or ranges of them; v and bytes where parts begin, ascending from 0. */
static clump_status read_list(reader *r, bool of_ranks, numbers *l)
{
    const char *expected =
        of_ranks ? "ranks of a communicator" : "bytes where parts begin, ascending from 0";
    const uint64_t most = of_ranks ? r->ranks - 1 : UINT64_C(1) << 53;
    do {
        uint64_t from, to;
        r->at++; /* m, v or . */
        bool good = read_number(r, most, &from);
        to = from;
        if (good && of_ranks && skip(r, '-'))
            good = read_number(r, most, &to) && to >= from;
        if (!good || (of_ranks        ? l->count + (to - from) >= r->ranks
                      : l->count == 0 ? from > 0
                                      : from < l->items[l->count - 1]))
            return refuse(r, expected);
        for (; from <= to; from++) {
            uint64_t *items = grow(l->items, l->count, &l->room, sizeof *items);
            if (items == NULL)
                return clump_fail_memory(r->error, "recorded calls");
            l->items = items;
            items[l->count++] = from;
        }
    } while (*r->at == '.');
    return *r->at == '\n' ? CLUMP_OK : refuse(r, expected);
}

static clump_status read_members(reader *r)
{
    communicator *all =
        grow(r->communicators, r->communicator_count, &r->communicator_room, sizeof *all);
    if (all == NULL)
        return clump_fail_memory(r->error, "recorded calls");
    r->communicators = all;
    all[r->communicator_count] = (communicator){.index = 0};
    return read_list(r, true, &all[r->communicator_count++].members);
}

static clump_status read_parts(reader *r)
{
    numbers *all = grow(r->lists, r->list_count, &r->list_room, sizeof *all);
    if (all == NULL)
        return clump_fail_memory(r->error, "recorded calls");
    r->lists = all;
    all[r->list_count] = (numbers){NULL, 0, 0};
    return read_list(r, false, &all[r->list_count++]);
}

/* Which member of each communicator it is. */
static void begin_rank(reader *r)
{
    for (size_t i = 0; i < r->communicator_count; i++) {
        communicator *c = &r->communicators[i];
        for (c->index = 0; c->index < c->members.count && c->members.items[c->index] != r->rank;
             c->index++)
            ;
    }
}

/* Of the nodes of the machine: only MPICH looks at them. */
static clump_status find_places(reader *r, communicator *c)
{
    const clump_kept_machine *m = r->machine;
    if (c->places != NULL || m->library != CLUMP_MPI_MPICH || m->processors <= 1)
        return CLUMP_OK;
    uint32_t *node = malloc((c->members.count + 1) * sizeof *node);
    if (node == NULL)
        return clump_fail_memory(r->error, "the places of ranks");
    for (size_t i = 0; i < c->members.count; i++)
        node[i] = clump_rank_place(m->order, (uint32_t)c->members.items[i], (uint32_t)r->ranks,
                                   (uint32_t)m->processors) /
                  (uint32_t)m->processors;
    const clump_status status =
        clump_collective_places_make((uint32_t)c->members.count, node, &c->places, r->error);
    free(node);
    return status;
}

/* ---- collectives */

static uint32_t add_calc(reader *r, uint64_t nanoseconds)
{
    return clump_schedule_add_calc(r->builder, r->rank, r->now.cpu, r->now.call, nanoseconds);
}

static bool is_full(const reader *r)
{
    return clump_schedule_builder_operations(r->builder) > r->machine->most_operations;
}

/* ---- operations */

/* Its letter and number are read. */
static clump_status read_collective(reader *r, uint64_t bytes, clump_collective_operation *o)
{
    uint64_t number, root = 0, parts;
    char word[MOST_WORD];
    if (!skip(r, '.') || r->communicator_count == 0 ||
        !read_number(r, r->communicator_count - 1, &number) || !skip(r, ':'))
        return refuse(r, "a '.', a communicator and a ':'");
    communicator *c = &r->communicators[number];
    const size_t length = strcspn(r->at, ":\n");
    snprintf(word, sizeof word, "%.*s", (int)length, r->at);
    const clump_collective_kind kind = clump_collective_kind_meant(word);
    if (kind == CLUMP_COLLECTIVE_KINDS || r->at[length] != ':')
        return refuse(r, "a collective and a ':'");
    r->at += length + 1;
    if (c->index == c->members.count)
        return refuse(r, "a communicator of this rank");
    if (skip(r, 'o') && (!read_number(r, c->members.count - 1, &root)))
        return refuse(r, "the root's number in the communicator");
    *o = (clump_collective_operation){
        .kind = kind, .ranks = (uint32_t)c->members.count, .root = (uint32_t)root, .bytes = bytes};
    if (skip(r, 'v')) {
        if (r->list_count == 0 || !read_number(r, r->list_count - 1, &parts) ||
            r->lists[parts].count != c->members.count + 1)
            return refuse(r, "a list with a part for each member");
        o->parts = r->lists[parts].items;
    }
    r->among = c;
    const clump_status status = find_places(r, c);
    if (status != CLUMP_OK)
        return status;
    o->places = c->places;
    o->algorithm = clump_collective_choose(r->machine->library, o);
    return clump_collective_check(o, r->error);
}

/* One more operation that the next one waits for. */
static void wait_for(reader *r, schedule_ending *e, uint32_t o)
{
    for (unsigned i = 0; i < e->tails; i++)
        if (e->tail[i] == o)
            return;
    if (e->tails == SCHEDULE_MOST_TAILS) {
        const uint32_t all = add_calc(r, 0);
        schedule_follow(r->builder, e, all);
        *e = (schedule_ending){{all}, 1};
    }
    e->tail[e->tails++] = o;
}

/* What number `i` of the rank waits for, behind it in the text. */
static clump_status read_waits(reader *r, uint32_t i, schedule_ending *waits)
{
    uint64_t back = i > 0;
    const bool named = skip(r, 'w');
    waits->tails = 0;
    do {
        if (named && !read_number(r, i, &back))
            return refuse(r, "how many operations before it stands what it waits for");
        const schedule_ending *e = back > 0 ? &r->endings[i - back] : NULL;
        for (unsigned k = 0; e != NULL && k < e->tails; k++)
            wait_for(r, waits, e->tail[k]);
    } while (named && back > 0 && skip(r, '.'));
    return CLUMP_OK;
}

static clump_status read_operation(reader *r, uint32_t i)
{
    const char kind = *r->at;
    uint64_t size = 0, peer = 0, tag = 0, cpu = 0;
    clump_collective_operation collective;
    uint32_t o = 0;
    schedule_ending *endings = grow(r->endings, i, &r->ending_room, sizeof *endings);
    if (endings == NULL)
        return clump_fail_memory(r->error, "recorded calls");
    r->endings = endings;
    if (kind != 'c' && kind != 's' && kind != 'r' && kind != 'a')
        return refuse(r, "c, s, r or a: what is computed, sent, received or done by all");
    r->at++;
    if (!read_number(r, UINT64_C(1) << 53, &size))
        return refuse(r, "nanoseconds or bytes");
    clump_status status = kind == 'a' ? read_collective(r, size, &collective) : CLUMP_OK;
    if (status != CLUMP_OK)
        return status;
    if ((kind == 's' || kind == 'r') && (!skip(r, '.') || !read_number(r, r->ranks - 1, &peer)))
        return refuse(r, "a '.' and a rank");
    if (kind != 'c' && skip(r, 't') && !read_number(r, UINT32_MAX - 1, &tag))
        return refuse(r, "a tag");
    const bool any = kind == 'r' && skip(r, 'n');
    if (skip(r, 'p') && !read_number(r, MOST_CPUS - 1, &cpu))
        return refuse(r, "a CPU, 0 to 63");
    r->now = (schedule_steps){.builder = r->builder,
                              .most_operations = r->machine->most_operations,
                              .rank = r->rank,
                              .call = i,
                              .tag = (uint32_t)tag,
                              .cpu = (uint8_t)cpu,
                              .most_tails = SCHEDULE_MOST_TAILS};
    status = read_waits(r, i, &r->now.before);
    if (status == CLUMP_OK && kind == 'a') {
        r->now.ranks = r->among->members.items;
        schedule_add_collective(&r->now, &collective, (uint32_t)r->among->index);
    } else if (kind == 'c') {
        o = add_calc(r, size);
    } else if (kind == 's') {
        o = clump_schedule_add_send(r->builder, r->rank, r->now.cpu, i, (uint32_t)peer, r->now.tag,
                                    size);
    } else {
        o = clump_schedule_add_receive(r->builder, r->rank, r->now.cpu, i, (uint32_t)peer,
                                       r->now.tag, size);
        if (any)
            clump_schedule_any_source(r->builder, o);
    }
    if (status == CLUMP_OK && is_full(r))
        return clump_fail(r->error, CLUMP_BAD_ARGUMENT,
                          "calls of rank %" PRIu32 ": more than %" PRIu64
                          " operations, expected fewer",
                          r->rank, r->machine->most_operations);
    if (kind != 'a') {
        schedule_follow(r->builder, &r->now.before, o);
        r->now.before = (schedule_ending){{o}, 1};
    }
    r->endings[i] = r->now.before;
    return status;
}

/* ---- all of it */

static clump_status read_line(reader *r)
{
    clump_status status = CLUMP_OK;
    r->line = r->at;
    if (*r->at == 'm' && r->rank == 0)
        status = read_members(r);
    else if (*r->at == 'v' && r->rank == 0)
        status = read_parts(r);
    else if (*r->at != 'r' || r->rank >= r->ranks)
        return refuse(r, "a line of a communicator, of parts, or of a rank");
    else {
        r->at++;
        begin_rank(r);
        for (uint32_t i = 0; *r->at != '\n' && status == CLUMP_OK; i++)
            status = read_operation(r, i);
        r->rank++;
    }
    r->at += status == CLUMP_OK; /* else it may stand at the end of the text */
    return status;
}

static void release(reader *r)
{
    for (size_t i = 0; i < r->communicator_count; i++) {
        free(r->communicators[i].members.items);
        clump_collective_places_free(r->communicators[i].places);
    }
    for (size_t i = 0; i < r->list_count; i++)
        free(r->lists[i].items);
    free(r->communicators);
    free(r->lists);
    free(r->endings);
}

clump_status clump_kept_schedule(const char *text, size_t ranks, const clump_kept_machine *machine,
                                 clump_schedule **schedule, clump_schedule_left_out *left_out,
                                 clump_error *error)
{
    reader r = {.machine = machine, .at = text, .ranks = ranks, .error = error};
    *schedule = NULL;
    clump_status status = clump_schedule_builder_make(ranks, &r.builder, error);
    if (status != CLUMP_OK)
        return status;
    while (status == CLUMP_OK && *r.at != '\0')
        status = read_line(&r);
    if (status == CLUMP_OK && r.rank < ranks)
        status = clump_fail(error, CLUMP_BAD_ARGUMENT,
                            "calls: found %" PRIu32 " ranks, expected %zu", r.rank, ranks);
    release(&r);
    if (status == CLUMP_OK)
        return clump_schedule_builder_finish(r.builder, schedule, left_out, error);
    clump_schedule_builder_free(r.builder);
    return status;
}
