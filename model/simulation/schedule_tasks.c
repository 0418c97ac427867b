/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "model/simulation/schedule_tasks.h"

#include <stdlib.h>
#include <string.h>

#define NONE SCHEDULE_NONE

/** A message's two ends. */
typedef struct partners {
    uint32_t *of;    /* of an operation: the other end, or NONE */
    uint32_t *first; /* of a channel: the first send whose receive has not been seen, or NONE */
    bool *named;     /* a channel: some receive of it asked for its source */
} partners;

static bool find_partners(partners *p, const clump_schedule *s)
{
    uint32_t *next = malloc((s->count + 1) * sizeof *next), *last;
    p->of = malloc((s->count + 1) * sizeof *p->of);
    p->first = malloc((s->channel_count + 1) * sizeof *p->first);
    p->named = calloc(s->channel_count + 1, sizeof *p->named);
    last = malloc((s->channel_count + 1) * sizeof *last);
    const bool made =
        next != NULL && last != NULL && p->of != NULL && p->first != NULL && p->named != NULL;
    for (size_t i = 0; made && i < s->channel_count; i++)
        p->first[i] = NONE;
    for (uint32_t o = 0; made && o < s->count; o++) {
        const uint32_t channel = s->operations[o].channel;
        p->of[o] = next[o] = NONE;
        if (s->operations[o].kind != SCHEDULE_SEND)
            continue;
        if (p->first[channel] == NONE)
            p->first[channel] = o;
        else
            next[last[channel]] = o;
        last[channel] = o;
    }
    for (uint32_t o = 0; made && o < s->count; o++) {
        const schedule_operation *receive = &s->operations[o];
        if (receive->kind != SCHEDULE_RECV)
            continue;
        const uint32_t m = p->first[receive->channel];
        p->named[receive->channel] |= !receive->any;
        if (m == NONE)
            continue;
        p->first[receive->channel] = next[m];
        p->of[o] = m;
        p->of[m] = o;
    }
    free(next);
    free(last);
    return made;
}

/* The receive from the master since which the worker has only computed, before it sends the result; NONE: there is none. */
static uint32_t task_before(const clump_schedule *s, uint32_t result, uint32_t master)
{
    const schedule_operation *all = s->operations;
    for (uint32_t i = result;
         i-- > 0 && all[i].rank == all[result].rank && all[i].cpu == all[result].cpu;) {
        if (all[i].kind == SCHEDULE_CALC)
            continue;
        return all[i].kind == SCHEDULE_RECV && all[i].peer == master && !all[i].any ? i : NONE;
    }
    return NONE;
}

/* Results of each master, with the tag of the first one; how many tasks. */
static uint32_t find_results(schedule_tasks *t, const partners *p, uint32_t *pool)
{
    const clump_schedule *s = &t->schedule;
    uint32_t found = 0;
    for (uint32_t o = 0; o < s->count; o++) {
        const schedule_operation *receive = &s->operations[o];
        const uint32_t m = p->of[o];
        if (receive->kind != SCHEDULE_RECV || !receive->any || m == NONE ||
            p->named[receive->channel])
            continue;
        const uint32_t task = task_before(s, m, receive->rank);
        uint32_t *results = &pool[receive->rank];
        if (task == NONE || p->of[task] == NONE)
            continue;
        if (*results == NONE)
            *results = m;
        if (s->operations[*results].tag != s->operations[m].tag)
            continue;
        for (uint32_t i = task; i <= m; i++)
            t->task_of[i] = task;
        t->task_of[p->of[task]] = task;
        t->actor[task] = s->operations[task].rank;
        found++;
    }
    return found;
}

/* What the master sent in answer to a result: to whom the last receive from anybody before it was. */
static void find_answers(schedule_tasks *t, const partners *p, const uint32_t *pool)
{
    const schedule_operation *all = t->schedule.operations;
    uint32_t last = NONE;
    for (uint32_t o = 0; o < t->schedule.count; o++) {
        if (last != NONE && all[last].rank != all[o].rank)
            last = NONE;
        if (all[o].kind == SCHEDULE_RECV && all[o].any && p->of[o] != NONE &&
            pool[all[o].rank] != NONE)
            last = o;
        const uint32_t task = all[o].kind == SCHEDULE_SEND ? schedule_tasks_of(t, o, false) : NONE;
        if (task != NONE && last != NONE && all[last].peer == all[o].peer &&
            t->schedule.needs != NULL && t->schedule.needs[task] == 1)
            t->answers[task] = last;
    }
}

/* All results of a master are one channel, and each task one of its own: those of one recorded worker may go to several. */
static void unite(schedule_tasks *t, const partners *p, const uint32_t *pool)
{
    schedule_operation *all = t->schedule.operations;
    for (uint32_t o = 0; o < t->schedule.count; o++) {
        const uint32_t master = all[o].kind == SCHEDULE_SEND ? all[o].peer : all[o].rank;
        if (all[o].kind == SCHEDULE_CALC || pool[master] == NONE || p->named[all[o].channel] ||
            all[o].tag != all[pool[master]].tag || (all[o].kind == SCHEDULE_RECV && !all[o].any))
            continue;
        all[o].channel = t->schedule.operations[pool[master]].channel;
    }
    for (uint32_t o = 0; o < t->schedule.count; o++)
        if (t->task_of[o] == o) {
            all[o].channel = (uint32_t)t->schedule.channel_count++;
            all[p->of[o]].channel = all[o].channel;
        }
}

int schedule_tasks_find(schedule_tasks *t, const clump_schedule *s)
{
    bool any = false;
    *t = (schedule_tasks){.schedule = *s};
    t->schedule.operations = NULL;
    for (uint32_t o = 0; o < s->count && !any; o++)
        any = s->operations[o].any != 0;
    if (!any || s->wildcards)
        return 0;
    partners p = {NULL, NULL, NULL};
    uint32_t *pool = malloc(s->ranks * sizeof *pool);
    const size_t words = (s->count + 1) * sizeof *t->task_of;
    t->schedule.operations = malloc((s->count + 1) * sizeof *s->operations);
    t->task_of = malloc(words);
    t->answers = malloc(words);
    t->actor = malloc(words);
    int found = -1;
    if (pool != NULL && t->schedule.operations != NULL && t->task_of != NULL &&
        t->answers != NULL && t->actor != NULL && find_partners(&p, s)) {
        memcpy(t->schedule.operations, s->operations, s->count * sizeof *s->operations);
        memset(t->task_of, 0xff, words);
        memset(t->answers, 0xff, words);
        memset(pool, 0xff, s->ranks * sizeof *pool);
        found = find_results(t, &p, pool) > 0;
        if (found) {
            find_answers(t, &p, pool);
            unite(t, &p, pool);
        }
    }
    free(pool);
    free(p.of);
    free(p.first);
    free(p.named);
    return found;
}

void schedule_tasks_release(schedule_tasks *t)
{
    free(t->schedule.operations);
    free(t->task_of);
    free(t->answers);
    free(t->actor);
}

uint32_t schedule_tasks_hand_out(schedule_tasks *t, const schedule_match *match, uint32_t send)
{
    const uint32_t task = schedule_tasks_of(t, send, false);
    if (task == NONE || t->answers[task] == NONE)
        return NONE;
    const uint32_t result = match->order[t->answers[task]];
    const bool is_result = result < t->schedule.count &&
                           t->schedule.operations[result].kind == SCHEDULE_SEND &&
                           t->schedule.operations[result].peer == t->schedule.operations[send].rank;
    if (is_result)
        t->actor[task] = schedule_tasks_rank(t, result);
    return task;
}
