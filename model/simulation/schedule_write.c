/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Schedules are written as GOAL. Labels are l1, l2, ...: the operations of a rank. */
#include "model/simulation/schedule_builder.h"
#include "model/simulation/schedule_operations.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

typedef struct output {
    clump_schedule_writer *writer;
    void *context;
    size_t length;
    char text[4096];
} output;

enum { MOST_LINE = 160 };

static bool flush(output *out)
{
    const bool done = out->length == 0 || out->writer(out->context, out->text, out->length);
    out->length = 0;
    return done;
}

/* Room for one more line, which is added by `added`. */
static char *line(output *out)
{
    return out->text + out->length;
}

static bool added(output *out, int length)
{
    out->length += (size_t)length;
    return out->length + MOST_LINE <= sizeof out->text || flush(out);
}

static void number_or_any(uint32_t number, char text[16])
{
    if (number == SCHEDULE_ANY)
        strcpy(text, "-1");
    else
        snprintf(text, 16, "%" PRIu32, number);
}

static bool write_operation(output *out, const schedule_operation *o, size_t label)
{
    char options[64] = "", peer[16], tag[16];
    int length = 0;
    number_or_any(o->peer, peer);
    number_or_any(o->tag, tag);
    if (o->kind != SCHEDULE_CALC && o->tag != 0)
        length = snprintf(options, sizeof options, " tag %s", tag);
    if (o->cpu != 0)
        snprintf(options + length, sizeof options - (size_t)length, " cpu %u", (unsigned)o->cpu);
    if (o->kind == SCHEDULE_CALC)
        length =
            snprintf(line(out), MOST_LINE, "l%zu: calc %" PRIu64 "%s\n", label, o->size, options);
    else
        length = snprintf(line(out), MOST_LINE, "l%zu: %s %" PRIu64 "b %s %s%s\n", label,
                          o->kind == SCHEDULE_SEND ? "send" : "recv", o->size,
                          o->kind == SCHEDULE_SEND ? "to" : "from", peer, options);
    return added(out, length);
}

static bool write_rank(output *out, const clump_schedule *s, size_t first, size_t after)
{
    if (!added(out,
               snprintf(line(out), MOST_LINE, "\nrank %" PRIu32 " {\n", s->operations[first].rank)))
        return false;
    for (size_t i = first; i < after; i++)
        if (!write_operation(out, &s->operations[i], i - first + 1))
            return false;
    for (size_t i = first; i < after && s->edges != NULL; i++)
        for (uint32_t e = s->first_edge[i]; e < s->first_edge[i + 1]; e++) {
            const bool at_start = (s->edges[e] & SCHEDULE_AT_START) != 0;
            const size_t later = s->edges[e] & ~SCHEDULE_AT_START;
            if (!added(out, snprintf(line(out), MOST_LINE, "l%zu %s l%zu\n", later - first + 1,
                                     at_start ? "irequires" : "requires", i - first + 1)))
                return false;
        }
    return added(out, snprintf(line(out), MOST_LINE, "}\n"));
}

bool clump_schedule_write(const clump_schedule *s, clump_schedule_writer *writer, void *context)
{
    output out = {.writer = writer, .context = context};
    if (!added(&out, snprintf(line(&out), MOST_LINE, "num_ranks %zu\n", s->ranks)))
        return false;
    for (size_t first = 0, i = 1; i <= s->count; i++)
        if (i == s->count || s->operations[i].rank != s->operations[first].rank) {
            if (!write_rank(&out, s, first, i))
                return false;
            first = i;
        }
    return flush(&out);
}
