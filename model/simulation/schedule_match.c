/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "model/simulation/schedule_match.h"

#include <stdlib.h>
#include <string.h>

#define NONE SCHEDULE_NONE

typedef schedule_channel_queue channel_queue;
typedef schedule_any_lists any_lists;

static const schedule_operation *at(const schedule_match *r, uint32_t o)
{
    return &r->schedule->operations[o];
}

static channel_queue *queue_of(const schedule_match *r, uint32_t o)
{
    return &r->channels[at(r, o)->channel];
}

static bool accepts(const schedule_match *r, uint32_t receive, uint32_t message)
{
    const schedule_operation *wants = at(r, receive), *m = at(r, message);
    return (wants->peer == SCHEDULE_ANY || wants->peer == m->rank) &&
           (wants->tag == SCHEDULE_ANY || wants->tag == m->tag);
}

/* To the end of the queue of its channel. */
static void push(schedule_match *r, uint32_t o, bool receives)
{
    channel_queue *queue = queue_of(r, o);
    r->next[o] = NONE;
    queue->receives = receives;
    if (queue->first == NONE)
        queue->first = o;
    else
        r->next[queue->last] = o;
    queue->last = o;
}

static uint32_t pop(schedule_match *r, channel_queue *queue)
{
    const uint32_t first = queue->first;
    queue->first = r->next[first];
    return first;
}

/* From anywhere in the queue. */
static void take_out(schedule_match *r, uint32_t o)
{
    channel_queue *queue = queue_of(r, o);
    uint32_t *place = &queue->first, before = NONE;
    for (; *place != o; place = &r->next[before])
        before = *place;
    *place = r->next[o];
    if (queue->last == o)
        queue->last = before;
}

static void append_any(schedule_match *r, uint32_t *first, uint32_t *last, uint32_t o)
{
    r->other_next[o] = NONE;
    if (*first == NONE)
        *first = o;
    else
        r->other_next[*last] = o;
    *last = o;
}

/* Forget those at the front that are matched already. */
static void trim(schedule_match *r, uint32_t *first)
{
    while (*first != NONE && (r->state[*first] & SCHEDULE_MATCHED) != 0)
        *first = r->other_next[*first];
}

/* A receive has its message, whichever of them came last. */
static void meet(schedule_match *r, uint32_t receive, uint32_t message)
{
    r->state[receive] &= (uint8_t)~SCHEDULE_WAITS;
    r->order[receive] = message;
}

uint32_t schedule_match_receive(schedule_match *r, uint32_t o)
{
    const schedule_operation *receive = at(r, o);
    r->order[o] = r->posted++;
    if (receive->peer != SCHEDULE_ANY && receive->tag != SCHEDULE_ANY) {
        channel_queue *queue = queue_of(r, o);
        if (queue->first == NONE || queue->receives) {
            push(r, o, true);
            r->state[o] |= SCHEDULE_WAITS;
            return NONE;
        }
        const uint32_t m = pop(r, queue);
        r->state[m] |= SCHEDULE_MATCHED;
        meet(r, o, m);
        return m;
    }
    any_lists *any = &r->any[receive->rank];
    trim(r, &any->first_message);
    for (uint32_t m = any->first_message; m != NONE; m = r->other_next[m])
        if ((r->state[m] & SCHEDULE_MATCHED) == 0 && accepts(r, o, m)) {
            r->state[m] |= SCHEDULE_MATCHED;
            take_out(r, m);
            meet(r, o, m);
            return m;
        }
    append_any(r, &any->first_receive, &any->last_receive, o);
    r->state[o] |= SCHEDULE_WAITS;
    return NONE;
}

/* The earliest receive from any that accepts the message, if it was posted before `other`. */
static uint32_t match_any(schedule_match *r, uint32_t m, uint32_t other)
{
    any_lists *any = &r->any[at(r, m)->peer];
    trim(r, &any->first_receive);
    for (uint32_t o = any->first_receive; o != NONE; o = r->other_next[o])
        if ((r->state[o] & SCHEDULE_MATCHED) == 0 && accepts(r, o, m))
            return other == NONE || r->order[o] < r->order[other] ? o : NONE;
    return NONE;
}

uint32_t schedule_match_message(schedule_match *r, uint32_t m)
{
    channel_queue *queue = queue_of(r, m);
    const uint32_t receive = queue->receives ? queue->first : NONE;
    if (r->any != NULL) {
        const uint32_t from_any = match_any(r, m, receive);
        if (from_any != NONE) {
            r->state[from_any] |= SCHEDULE_MATCHED;
            meet(r, from_any, m);
            return from_any;
        }
    }
    if (receive != NONE) {
        pop(r, queue);
        meet(r, receive, m);
        return receive;
    }
    push(r, m, false);
    if (r->any != NULL) {
        any_lists *any = &r->any[at(r, m)->peer];
        trim(r, &any->first_message);
        append_any(r, &any->first_message, &any->last_message, m);
    }
    return NONE;
}

static bool make_channels(schedule_match *r)
{
    const clump_schedule *s = r->schedule;
    r->channels = malloc((s->channel_count + 1) * sizeof *r->channels);
    r->order = malloc((s->count + 1) * sizeof *r->order);
    if (r->channels == NULL || r->order == NULL)
        return false;
    for (size_t i = 0; i < s->channel_count; i++)
        r->channels[i] = (channel_queue){NONE, NONE, false};
    if (!s->wildcards)
        return true;
    r->other_next = malloc((s->count + 1) * sizeof *r->other_next);
    r->any = malloc(s->ranks * sizeof *r->any);
    if (r->other_next == NULL || r->any == NULL)
        return false;
    for (size_t i = 0; i < s->ranks; i++)
        r->any[i] = (any_lists){NONE, NONE, NONE, NONE};
    return true;
}

bool schedule_match_make(schedule_match *r, const clump_schedule *s)
{
    *r = (schedule_match){.schedule = s};
    r->state = calloc(s->count + 1, sizeof *r->state);
    if (s->needs != NULL) {
        r->needs = malloc((s->count + 1) * sizeof *r->needs);
        if (r->needs != NULL)
            memcpy(r->needs, s->needs, (s->count + 1) * sizeof *r->needs);
    }
    r->next = malloc((s->count + 1) * sizeof *r->next);
    return r->state != NULL && (s->needs == NULL || r->needs != NULL) && r->next != NULL &&
           make_channels(r);
}

void schedule_match_release(schedule_match *r)
{
    free(r->next);
    free(r->channels);
    free(r->order);
    free(r->needs);
    free(r->state);
    free(r->other_next);
    free(r->any);
}

/* Whether `m` is better to name than `best`: it comes from where it is wanted from, or earlier in
 * the file. */
static bool is_better(const schedule_match *r, uint32_t m, uint32_t best, uint32_t source)
{
    if (best == NONE)
        return true;
    const bool wanted = at(r, m)->rank == source, had = at(r, best)->rank == source;
    return wanted != had ? wanted : m < best;
}

size_t schedule_match_left(const schedule_match *r, uint64_t least_bytes, uint32_t to,
                           uint32_t source, uint32_t *found)
{
    size_t count = 0;
    *found = NONE;
    for (size_t i = 0; i < r->schedule->channel_count; i++) {
        const channel_queue *queue = &r->channels[i];
        for (uint32_t m = queue->receives ? NONE : queue->first; m != NONE; m = r->next[m])
            if (at(r, m)->size >= least_bytes && (to == SCHEDULE_ANY || at(r, m)->peer == to)) {
                count++;
                *found = is_better(r, m, *found, source) ? m : *found;
            }
    }
    return count;
}
