/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "model/simulation/schedule_pack.h"

#include "model/simulation/schedule_builder.h"
#include "model/simulation/schedule_operations.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- packing */

enum {
    MOST_OPERATION = 80, /* bytes of an operation without what it waits for */
    MOST_BACK = 12       /* bytes of each operation that it waits for */
};

/* Which operations of a block each one waits for, as numbers within it: those of i are list[first[i]] to list[first[i + 1]]. */
typedef struct waits {
    uint32_t *list, *first;
} waits;

static bool find_waits(const clump_schedule *s, uint32_t begin, uint32_t end, waits *w)
{
    const uint32_t count = end - begin;
    const size_t edges =
        s->edges != NULL && count > 0 ? s->first_edge[end] - s->first_edge[begin] : 0;
    w->first = calloc((size_t)count + 2, sizeof *w->first);
    w->list = malloc((edges + 1) * sizeof *w->list);
    if (w->first == NULL || w->list == NULL)
        return false;
    for (size_t e = 0; e < edges; e++)
        w->first[s->edges[s->first_edge[begin] + e] - begin + 2]++;
    for (uint32_t i = 1; i < count + 2; i++)
        w->first[i] += w->first[i - 1];
    for (uint32_t i = 0; i < count && edges > 0; i++)
        for (uint32_t e = s->first_edge[begin + i]; e < s->first_edge[begin + i + 1]; e++)
            w->list[w->first[s->edges[e] - begin + 1]++] = i;
    return true;
}

static size_t print_operation(char *text, const clump_schedule *s, uint32_t o)
{
    const schedule_operation op = schedule_at(s, o);
    size_t used = (size_t)sprintf(text, "%c%" PRIu64,
                                  op.kind == SCHEDULE_CALC   ? 'c'
                                  : op.kind == SCHEDULE_SEND ? 's'
                                                             : 'r',
                                  op.size);
    if (op.kind != SCHEDULE_CALC)
        used += (size_t)sprintf(text + used, ".%" PRIu32, op.peer);
    if (op.kind != SCHEDULE_CALC && op.tag != 0)
        used += (size_t)sprintf(text + used, "t%" PRIu32, op.tag);
    if (op.cpu != 0)
        used += (size_t)sprintf(text + used, "p%u", (unsigned)op.cpu);
    return used;
}

static size_t print_waits(char *text, const waits *w, uint32_t i)
{
    const uint32_t count = w->first[i + 1] - w->first[i];
    size_t used = 0;
    if (i == 0 || (count == 1 && w->list[w->first[i]] + 1 == i))
        return 0;
    if (count == 0)
        return (size_t)sprintf(text, "w0");
    for (uint32_t k = w->first[i]; k < w->first[i + 1]; k++)
        used += (size_t)sprintf(text + used, "%c%" PRIu32, used == 0 ? 'w' : '.', i - w->list[k]);
    return used;
}

static clump_status pack_block(const clump_schedule *s, uint32_t begin, uint32_t end, char **text,
                               clump_error *error)
{
    waits w = {NULL, NULL};
    const bool made = find_waits(s, begin, end, &w);
    size_t room = 1, used = 0;
    for (uint32_t i = 0; made && i < end - begin; i++)
        room += MOST_OPERATION + MOST_BACK * (size_t)(w.first[i + 1] - w.first[i]);
    char *all = made ? malloc(room) : NULL;
    for (uint32_t i = 0; all != NULL && i < end - begin; i++) {
        used += print_operation(all + used, s, begin + i);
        used += print_waits(all + used, &w, i);
    }
    free(w.list);
    free(w.first);
    if (all == NULL)
        return clump_fail_memory(error, "the text of a schedule");
    all[used] = '\0';
    char *kept = realloc(all, used + 1);
    *text = kept != NULL ? kept : all;
    return CLUMP_OK;
}

clump_status clump_schedule_pack(const clump_schedule *schedule, uint32_t rank, char **text,
                                 clump_error *error)
{
    const clump_schedule *s = schedule;
    uint32_t begin = 0, end = 0;
    *text = NULL;
    if (s->wildcards || s->at_start)
        return clump_fail(error, CLUMP_BAD_ARGUMENT,
                          "the schedule has %s, expected none in what is kept",
                          s->wildcards ? "receives from anybody" : "irequires");
    for (size_t i = 0; i < s->block_count && s->count > 0; i++) {
        if (s->blocks[i].rank != rank)
            continue;
        if (end > begin)
            return clump_fail(error, CLUMP_BAD_ARGUMENT,
                              "rank %" PRIu32 " has several blocks, expected one", rank);
        begin = s->blocks[i].first;
        end = s->blocks[i + 1].first;
    }
    return pack_block(s, begin, end, text, error);
}

/* ---- unpacking */

typedef struct reader {
    const char *text, *at;
    uint32_t rank;
    size_t ranks, left;
    clump_schedule_builder *builder;
    clump_error *error;
} reader;

static clump_status refuse(const reader *r, const char *expected)
{
    char found[16] = "the end";
    if (*r->at != '\0')
        snprintf(found, sizeof found, "'%.8s'", r->at);
    return clump_fail(r->error, CLUMP_BAD_ARGUMENT,
                      "calls of rank %" PRIu32 ", byte %zu: found %s, expected %s", r->rank,
                      (size_t)(r->at - r->text) + 1, found, expected);
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

/* The operations that number `i` of the rank, `o` of all, waits for. */
static clump_status read_waits(reader *r, uint32_t o, uint32_t i)
{
    uint64_t back = i > 0;
    if (!skip(r, 'w')) {
        if (back > 0)
            clump_schedule_require(r->builder, o, o - 1);
        return CLUMP_OK;
    }
    do {
        if (!read_number(r, i, &back))
            return refuse(r, "how many operations before it stands what it waits for");
        if (back > 0)
            clump_schedule_require(r->builder, o, o - (uint32_t)back);
    } while (back > 0 && skip(r, '.'));
    return CLUMP_OK;
}

static clump_status read_operation(reader *r, uint32_t i)
{
    const char kind = *r->at;
    uint64_t size = 0, peer = 0, tag = 0, cpu = 0;
    uint32_t o;
    if (kind != 'c' && kind != 's' && kind != 'r')
        return refuse(r, "c, s or r: what is computed, sent or received");
    r->at++;
    if (!read_number(r, UINT64_C(1) << 53, &size))
        return refuse(r, "nanoseconds or bytes");
    if (kind != 'c' && (!skip(r, '.') || !read_number(r, r->ranks - 1, &peer)))
        return refuse(r, "a '.' and a rank");
    if (kind != 'c' && skip(r, 't') && !read_number(r, UINT32_MAX - 1, &tag))
        return refuse(r, "a tag");
    if (skip(r, 'p') && !read_number(r, SCHEDULE_CPUS - 1, &cpu))
        return refuse(r, "a CPU, 0 to 63");
    if (r->left-- == 0)
        return clump_fail(r->error, CLUMP_BAD_ARGUMENT,
                          "calls of rank %" PRIu32 ": too many operations", r->rank);
    if (kind == 'c')
        o = clump_schedule_add_calc(r->builder, r->rank, (uint8_t)cpu, i, size);
    else if (kind == 's')
        o = clump_schedule_add_send(r->builder, r->rank, (uint8_t)cpu, i, (uint32_t)peer,
                                    (uint32_t)tag, size);
    else
        o = clump_schedule_add_receive(r->builder, r->rank, (uint8_t)cpu, i, (uint32_t)peer,
                                       (uint32_t)tag, size);
    return read_waits(r, o, i);
}

clump_status clump_schedule_unpack(const char *const *texts, size_t ranks, size_t most,
                                   clump_schedule **schedule, clump_error *error)
{
    reader r = {.ranks = ranks, .left = most, .error = error};
    *schedule = NULL;
    clump_status status = clump_schedule_builder_make(ranks, &r.builder, error);
    if (status != CLUMP_OK)
        return status;
    for (r.rank = 0; r.rank < ranks && status == CLUMP_OK; r.rank++) {
        r.text = r.at = texts[r.rank];
        for (uint32_t i = 0; *r.at != '\0' && status == CLUMP_OK; i++)
            status = read_operation(&r, i);
    }
    if (status == CLUMP_OK)
        return clump_schedule_builder_finish(r.builder, schedule, NULL, error);
    clump_schedule_builder_free(r.builder);
    return status;
}
