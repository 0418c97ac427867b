/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What of a schedule can be run at all. Without wildcards that does not depend on times: messages of a
 * channel arrive in the order in which they are sent, so that whoever can go on can do so whenever it does.
 */
#include "model/simulation/schedule_build.h"

#include <stdlib.h>

#define NONE SCHEDULE_NONE

typedef struct trimmer {
    clump_schedule *schedule;
    schedule_operation *operations; /* its own */
    uint32_t *needs;                /* that are left; NONE: has been run */
    uint32_t *pending;              /* queues of what can be run, and of channels */
    uint32_t first, last;
    size_t left;          /* operations, in the end */
    struct trim_channel { /* receives that wait, or messages that are there */
        uint32_t first, last;
    } * channels;
} trimmer;

static void push(trimmer *t, uint32_t o)
{
    t->pending[o] = NONE;
    if (t->first == NONE)
        t->first = o;
    else
        t->pending[t->last] = o;
    t->last = o;
}

static void run(trimmer *t, uint32_t o)
{
    const clump_schedule *s = t->schedule;
    t->needs[o] = NONE;
    for (uint32_t e = s->edges != NULL ? s->first_edge[o] : 0;
         s->edges != NULL && e < s->first_edge[o + 1]; e++) {
        const uint32_t later = s->edges[e] & ~SCHEDULE_AT_START;
        if (--t->needs[later] == 0)
            push(t, later);
    }
}

/* A receive is ready, or a message is there: it meets the first one of the other kind, or waits. */
static uint32_t meet(trimmer *t, uint32_t o)
{
    const schedule_operation *all = t->operations;
    struct trim_channel *c = &t->channels[schedule_channel(t->schedule, o)];
    const uint32_t first = c->first;
    if (first != NONE && all[first].kind != all[o].kind) {
        c->first = t->pending[first];
        return first;
    }
    t->pending[o] = NONE;
    if (first == NONE)
        c->first = o;
    else
        t->pending[c->last] = o;
    c->last = o;
    return NONE;
}

static void run_all(trimmer *t)
{
    const clump_schedule *s = t->schedule;
    t->first = t->last = NONE;
    for (size_t i = 0; i < s->count; i++)
        if (t->needs[i] == 0)
            push(t, (uint32_t)i);
    while (t->first != NONE) { /* in order, so that receives of a channel are ready in theirs */
        const uint32_t o = t->first;
        t->first = t->pending[o];
        const uint32_t other = t->operations[o].kind == SCHEDULE_CALC ? NONE : meet(t, o);
        if (other != NONE && t->operations[other].kind == SCHEDULE_RECV)
            run(t, other);
        if (other != NONE || t->operations[o].kind != SCHEDULE_RECV)
            run(t, o);
    }
}

static void drop_messages(trimmer *t, schedule_leftover *leftover)
{
    schedule_operation *all = t->operations;
    for (size_t i = 0; i < t->schedule->channel_count; i++)
        for (uint32_t o = t->channels[i].first; o != NONE && all[o].kind == SCHEDULE_SEND;
             o = t->pending[o]) {
            all[o].kind = SCHEDULE_CALC;
            all[o].size = 0;
            leftover->messages++;
        }
}

/* Those that have been run, under new numbers, which are in `pending`. */
static void drop_operations(trimmer *t, schedule_dependency *all, size_t *count,
                            schedule_leftover *leftover)
{
    clump_schedule *s = t->schedule;
    uint32_t left = 0;
    size_t kept = 0;
    for (size_t i = 0; i < s->count; i++) {
        const schedule_operation *o = &t->operations[i];
        if (t->needs[i] == NONE) {
            t->pending[i] = left;
            t->operations[left++] = *o;
            continue;
        }
        t->pending[i] = NONE;
        leftover->operations++;
        if (leftover->first_line != NULL && leftover->first_line[o->rank] == NONE)
            leftover->first_line[o->rank] = o->line;
    }
    t->left = left;
    for (size_t i = 0; i < *count; i++) {
        const uint32_t later = all[i].later & ~SCHEDULE_AT_START;
        const uint32_t start = all[i].later & SCHEDULE_AT_START;
        if (t->pending[later] != NONE)
            all[kept++] =
                (schedule_dependency){t->pending[all[i].earlier], t->pending[later] | start};
    }
    *count = kept;
}

static bool build_anew(const trimmer *t, const schedule_dependency *all, size_t count)
{
    schedule_empty(t->schedule);
    return schedule_append(t->schedule, t->operations, t->left) &&
           schedule_connect(t->schedule, all, count);
}

bool schedule_trim(clump_schedule *s, schedule_operation *operations, schedule_dependency *all,
                   size_t *count, schedule_leftover *leftover)
{
    trimmer t = {.schedule = s,
                 .operations = operations,
                 .needs = malloc((s->count + 1) * sizeof *t.needs),
                 .pending = malloc((s->count + 1) * sizeof *t.pending),
                 .channels = malloc((s->channel_count + 1) * sizeof *t.channels)};
    bool done = t.needs != NULL && t.pending != NULL && t.channels != NULL;
    leftover->operations = leftover->messages = 0;
    for (size_t i = 0; leftover->first_line != NULL && i < s->ranks; i++)
        leftover->first_line[i] = NONE;
    if (done) {
        for (size_t i = 0; i < s->count; i++)
            t.needs[i] = schedule_needs(s, (uint32_t)i);
        for (size_t i = 0; i < s->channel_count; i++)
            t.channels[i] = (struct trim_channel){NONE, NONE};
        run_all(&t);
        drop_messages(&t, leftover);
        drop_operations(&t, all, count, leftover);
        if (leftover->operations > 0 || leftover->messages > 0)
            done = build_anew(&t, all, *count);
    }
    free(t.needs);
    free(t.pending);
    free(t.channels);
    return done;
}
