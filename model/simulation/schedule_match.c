/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "model/simulation/schedule_match.h"

#include <stdlib.h>

#define NONE SCHEDULE_NONE

typedef schedule_channel_queue channel_queue;
typedef schedule_any_lists any_lists;

static bool accepts(const schedule_operation *receive, const schedule_operation *message)
{
    return (receive->peer == SCHEDULE_ANY || receive->peer == message->rank) &&
           (receive->tag == SCHEDULE_ANY || receive->tag == message->tag);
}

static bool is_any(const schedule_operation *receive)
{
    return receive->peer == SCHEDULE_ANY || receive->tag == SCHEDULE_ANY;
}

/* To the end of the queue of its channel. */
static void push(schedule_match *r, uint32_t o, bool receives)
{
    channel_queue *queue = &r->channels[r->schedule->operations[o].channel];
    r->state[o].next = NONE;
    queue->receives = receives;
    if (queue->first == NONE)
        queue->first = o;
    else
        r->state[queue->last].next = o;
    queue->last = o;
}

static uint32_t pop(schedule_match *r, channel_queue *queue)
{
    const uint32_t first = queue->first;
    queue->first = r->state[first].next;
    return first;
}

/* From anywhere in the queue. */
static void take_out(schedule_match *r, uint32_t o)
{
    channel_queue *queue = &r->channels[r->schedule->operations[o].channel];
    if (queue->first == o) {
        pop(r, queue);
        return;
    }
    uint32_t before = queue->first;
    while (r->state[before].next != o)
        before = r->state[before].next;
    r->state[before].next = r->state[o].next;
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
    while (*first != NONE && r->state[*first].matched)
        *first = r->other_next[*first];
}

uint32_t schedule_match_receive(schedule_match *r, uint32_t o)
{
    const schedule_operation *all = r->schedule->operations, *receive = &all[o];
    r->state[o].order = r->posted++;
    if (!is_any(receive)) {
        channel_queue *queue = &r->channels[receive->channel];
        if (queue->first == NONE || queue->receives) {
            push(r, o, true);
            r->state[o].waits = true;
            return NONE;
        }
        const uint32_t m = pop(r, queue);
        r->state[m].matched = true;
        r->state[o].order = m;
        return m;
    }
    any_lists *any = &r->any[receive->rank];
    trim(r, &any->first_message);
    for (uint32_t m = any->first_message; m != NONE; m = r->other_next[m])
        if (!r->state[m].matched && accepts(receive, &all[m])) {
            r->state[m].matched = true;
            take_out(r, m);
            r->state[o].order = m;
            return m;
        }
    append_any(r, &any->first_receive, &any->last_receive, o);
    r->state[o].waits = true;
    return NONE;
}

uint32_t schedule_match_message(schedule_match *r, uint32_t m)
{
    const schedule_operation *all = r->schedule->operations, *message = &all[m];
    channel_queue *queue = &r->channels[message->channel];
    uint32_t receive = queue->receives ? queue->first : NONE;
    if (r->any != NULL) {
        any_lists *any = &r->any[message->peer];
        trim(r, &any->first_receive);
        for (uint32_t o = any->first_receive; o != NONE; o = r->other_next[o])
            if (!r->state[o].matched && accepts(&all[o], message)) {
                if (receive == NONE || r->state[o].order < r->state[receive].order) {
                    r->state[o].matched = true;
                    r->state[o].waits = false;
                    r->state[o].order = m;
                    return o;
                }
                break;
            }
    }
    if (receive != NONE) {
        pop(r, queue);
        r->state[receive].waits = false;
        r->state[receive].order = m;
        return receive;
    }
    push(r, m, false);
    if (r->any != NULL) {
        any_lists *any = &r->any[message->peer];
        trim(r, &any->first_message);
        append_any(r, &any->first_message, &any->last_message, m);
    }
    return NONE;
}

bool schedule_match_make(schedule_match *r, const clump_schedule *s)
{
    *r = (schedule_match){.schedule = s};
    r->state = calloc(s->count + 1, sizeof *r->state);
    r->channels = malloc((s->channel_count + 1) * sizeof *r->channels);
    bool made = r->state != NULL && r->channels != NULL;
    if (s->wildcards) {
        r->other_next = malloc((s->count + 1) * sizeof *r->other_next);
        r->any = malloc(s->ranks * sizeof *r->any);
        made = made && r->other_next != NULL && r->any != NULL;
    }
    for (size_t i = 0; made && i < s->channel_count; i++)
        r->channels[i] = (channel_queue){NONE, NONE, false};
    for (size_t i = 0; made && r->any != NULL && i < s->ranks; i++)
        r->any[i] = (any_lists){NONE, NONE, NONE, NONE};
    return made;
}

void schedule_match_release(schedule_match *r)
{
    free(r->channels);
    free(r->state);
    free(r->other_next);
    free(r->any);
}

/* Whether `m` is better to name than `best`: it comes from where it is wanted from, or earlier in
 * the file. */
static bool is_better(const schedule_match *r, uint32_t m, uint32_t best, uint32_t source)
{
    const schedule_operation *all = r->schedule->operations;
    if (best == NONE)
        return true;
    const bool wanted = all[m].rank == source, had = all[best].rank == source;
    return wanted != had ? wanted : m < best;
}

size_t schedule_match_left(const schedule_match *r, uint64_t least_bytes, uint32_t to,
                           uint32_t source, uint32_t *found)
{
    const schedule_operation *all = r->schedule->operations;
    size_t count = 0;
    *found = NONE;
    for (size_t i = 0; i < r->schedule->channel_count; i++) {
        if (r->channels[i].receives)
            continue;
        for (uint32_t m = r->channels[i].first; m != NONE; m = r->state[m].next)
            if (all[m].size >= least_bytes && (to == SCHEDULE_ANY || all[m].peer == to)) {
                count++;
                *found = is_better(r, m, *found, source) ? m : *found;
            }
    }
    return count;
}
