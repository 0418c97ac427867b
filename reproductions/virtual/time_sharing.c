/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "reproductions/virtual/time_sharing.h"

#include <stdlib.h>

static const uint32_t NOBODY = CLUMP_TIME_SHARING_NOBODY;

enum { HIGH, LOW, LEVELS };

static uint64_t least(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

typedef struct process {
    uint32_t next;      /* in its queue */
    uint32_t processor; /* that it has; NOBODY: none */
    uint32_t last;      /* that it had; NOBODY: it never ran */
    int level;
    uint64_t left_ps; /* of its slice */
    uint64_t own_ps;  /* that it has computed, up to what fills a cache */
    uint64_t lost_ps; /* of this, what is not in the cache of its processor */
    uint64_t seen_ps; /* work of its last processor when it left */
} process;

typedef struct processor {
    uint32_t process; /* that has it; NOBODY: it is free */
    uint32_t last;    /* that had it */
    uint64_t free_ps; /* when it is done with the change */
    uint64_t work_ps; /* computed on it by all */
} processor;

struct clump_time_sharing {
    clump_time_sharing_costs costs;
    uint32_t processor_count, idle;
    process *processes;
    processor *processors;
    struct {
        uint32_t first, last;
    } queues[LEVELS];
};

clump_time_sharing *clump_time_sharing_open(uint32_t processors, uint32_t processes,
                                            clump_time_sharing_costs costs)
{
    clump_time_sharing *s = calloc(1, sizeof *s);
    if (s == NULL)
        return NULL;
    *s = (clump_time_sharing){.costs = costs,
                              .processor_count = processors,
                              .idle = processors,
                              .processes = calloc(processes, sizeof *s->processes),
                              .processors = calloc(processors, sizeof *s->processors),
                              .queues = {{NOBODY, NOBODY}, {NOBODY, NOBODY}}};
    if (s->processes == NULL || s->processors == NULL) {
        clump_time_sharing_close(s);
        return NULL;
    }
    for (uint32_t i = 0; i < processes; i++)
        s->processes[i] = (process){
            .next = NOBODY, .processor = NOBODY, .last = NOBODY, .left_ps = costs.slice_ps};
    for (uint32_t i = 0; i < processors; i++)
        s->processors[i] = (processor){.process = NOBODY, .last = NOBODY};
    return s;
}

void clump_time_sharing_close(clump_time_sharing *s)
{
    if (s == NULL)
        return;
    free(s->processes);
    free(s->processors);
    free(s);
}

/* ---- queues */

static void append(clump_time_sharing *s, uint32_t who)
{
    process *p = &s->processes[who];
    const int level = p->level;
    p->next = NOBODY;
    if (s->queues[level].first == NOBODY)
        s->queues[level].first = who;
    else
        s->processes[s->queues[level].last].next = who;
    s->queues[level].last = who;
}

static void put_first(clump_time_sharing *s, uint32_t who)
{
    process *p = &s->processes[who];
    const int level = p->level;
    p->next = s->queues[level].first;
    if (p->next == NOBODY)
        s->queues[level].last = who;
    s->queues[level].first = who;
}

static void take_first(clump_time_sharing *s, int level)
{
    s->queues[level].first = s->processes[s->queues[level].first].next;
}

static bool somebody_waits(const clump_time_sharing *s)
{
    return s->queues[HIGH].first != NOBODY || s->queues[LOW].first != NOBODY;
}

/* ---- processes */

void clump_time_sharing_ready(clump_time_sharing *s, uint32_t who, bool woken)
{
    process *p = &s->processes[who];
    if (woken) {
        p->level = HIGH;
        p->left_ps = s->costs.slice_ps;
    }
    append(s, who);
}

/* Its processor is free once it is put away. */
static void give_up(clump_time_sharing *s, uint32_t who, uint64_t now_ps)
{
    process *p = &s->processes[who];
    processor *c = &s->processors[p->processor];
    c->process = NOBODY;
    c->last = who;
    c->free_ps = now_ps + s->costs.switch_ps;
    p->last = p->processor;
    p->seen_ps = c->work_ps;
    p->processor = NOBODY;
    s->idle++;
}

void clump_time_sharing_leave(clump_time_sharing *s, uint32_t who, uint64_t now_ps)
{
    give_up(s, who, now_ps);
}

uint64_t clump_time_sharing_stretch(const clump_time_sharing *s, uint32_t who, uint64_t work_ps)
{
    return work_ps + least(s->processes[who].lost_ps, work_ps);
}

uint64_t clump_time_sharing_use(clump_time_sharing *s, uint32_t who, uint64_t ran_ps,
                                uint64_t computed_ps)
{
    process *p = &s->processes[who];
    const uint64_t loading_ps = least(p->lost_ps, computed_ps / 2);
    p->left_ps -= ran_ps < p->left_ps ? ran_ps : p->left_ps;
    p->lost_ps -= loading_ps;
    p->own_ps += computed_ps - loading_ps;
    if (p->own_ps > s->costs.cache_ps)
        p->own_ps = s->costs.cache_ps;
    if (p->processor != NOBODY) {
        s->processors[p->processor].work_ps += computed_ps;
    } else { /* interrupted just now: what it did before is not what others have thrown out */
        s->processors[p->last].work_ps += computed_ps;
        p->seen_ps += computed_ps;
    }
    return loading_ps;
}

uint64_t clump_time_sharing_left(clump_time_sharing *s, uint32_t who)
{
    process *p = &s->processes[who];
    if (p->left_ps == 0) {
        p->left_ps = s->costs.slice_ps;
        p->level = LOW;
    }
    return p->left_ps;
}

bool clump_time_sharing_expired(clump_time_sharing *s, uint32_t who, uint64_t now_ps)
{
    process *p = &s->processes[who];
    if (p->left_ps > 0 || !somebody_waits(s))
        return false;
    p->left_ps = s->costs.slice_ps;
    p->level = LOW;
    give_up(s, who, now_ps);
    append(s, who);
    return true;
}

/* ---- processors */

/* A free one: the one that it had, or the first. */
static uint32_t find_free(const clump_time_sharing *s, const process *p)
{
    if (s->idle == 0)
        return NOBODY;
    if (p->last != NOBODY && s->processors[p->last].process == NOBODY)
        return p->last;
    uint32_t c = 0;
    while (s->processors[c].process != NOBODY)
        c++;
    return c;
}

/* One whose process belongs to the lower level and can be interrupted: the one that it had, or the first. */
static uint32_t find_lower(const clump_time_sharing *s, const process *p,
                           bool (*may_stop)(void *context, uint32_t process), void *context)
{
    uint32_t found = NOBODY;
    for (uint32_t c = s->processor_count; c-- > 0;) {
        const uint32_t who = s->processors[c].process;
        if (who != NOBODY && s->processes[who].level == LOW && may_stop(context, who) &&
            (found != p->last || found == NOBODY))
            found = c;
    }
    return found;
}

/* What it will have to load again: what others have thrown out besides what it had not loaded yet, or
 * all that it had, on another processor. */
static uint64_t find_lost(const clump_time_sharing *s, const process *p, uint32_t c)
{
    return c == p->last ? least(p->own_ps, p->lost_ps + s->processors[c].work_ps - p->seen_ps)
                        : p->own_ps;
}

bool clump_time_sharing_next(clump_time_sharing *s, uint64_t now_ps,
                             bool (*may_stop)(void *context, uint32_t process), void *context,
                             clump_time_sharing_start *start)
{
    const int level = s->queues[HIGH].first != NOBODY ? HIGH : LOW;
    const uint32_t who = s->queues[level].first;
    if (who == NOBODY)
        return false;
    process *p = &s->processes[who];
    uint32_t at = find_free(s, p), instead = NOBODY;
    if (at == NOBODY && level == HIGH) {
        at = find_lower(s, p, may_stop, context);
        instead = at != NOBODY ? s->processors[at].process : NOBODY;
    }
    if (at == NOBODY)
        return false;
    take_first(s, level);
    processor *c = &s->processors[at];
    if (instead != NOBODY) {
        give_up(s, instead, now_ps);
        put_first(s, instead);
    }
    uint64_t begins_ps = now_ps;
    if (c->last != NOBODY || p->last != NOBODY) { /* else it is the first there, and begins */
        if (begins_ps < c->free_ps)
            begins_ps = c->free_ps;
        begins_ps += s->costs.switch_ps;
    }
    if (p->last != NOBODY)
        p->lost_ps = find_lost(s, p, at);
    c->process = who;
    p->processor = at;
    s->idle--;
    *start = (clump_time_sharing_start){.process = who, .instead = instead, .begins_ps = begins_ps};
    return true;
}
