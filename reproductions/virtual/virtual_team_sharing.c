/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Jobs that share the processors of a node, and processes that only compute: who has a processor (time_sharing.h), and what follows
 * from that for the members. */
#include "reproductions/virtual/virtual_team_private.h"

#include <stdlib.h>

/* What it has done with its processor until now. */
static void stop(clump_virtual_member *m, uint64_t now_ps)
{
    const uint64_t ran_ps = now_ps - m->since_ps;
    const bool computed = m->state == COMPUTES;
    m->parts_ps[computed ? COMPUTE : WAIT] += ran_ps;
    m->clock_ps = now_ps;
    m->timed = false;
    const uint64_t loading_ps =
        clump_time_sharing_use(m->team->schedule, m->rank, ran_ps, computed ? ran_ps : 0);
    m->done_ps += computed ? ran_ps - loading_ps : 0;
}

static void stop_loner(virtual_team *t, uint32_t place, uint64_t now_ps)
{
    virtual_loner *l = &t->loners[place];
    clump_time_sharing_use(t->schedule, t->count + place, now_ps - l->since_ps,
                           now_ps - l->since_ps);
    l->since_ps = now_ps;
    l->runs = false;
}

static void run_loner(virtual_team *t, uint32_t place, uint64_t from_ps)
{
    virtual_loner *l = &t->loners[place];
    const uint32_t process = t->count + place;
    *l = (virtual_loner){.since_ps = from_ps,
                         .timer_ps = from_ps + clump_time_sharing_left(t->schedule, process),
                         .runs = true};
    virtual_team_add_event(t, l->timer_ps, TIMER, process);
}

static bool may_stop(void *context, uint32_t process)
{
    const virtual_team *t = context;
    if (process >= t->count)
        return t->loners[process - t->count].since_ps <= t->calendar.now_ps;
    return t->members[process].state == COMPUTES || t->members[process].state == LOOKS;
}

void virtual_sharing_assign(virtual_team *t, uint64_t now_ps)
{
    clump_time_sharing_start start;
    while (clump_time_sharing_next(t->schedule, now_ps, may_stop, t, &start)) {
        if (start.instead < t->count) {
            stop(&t->members[start.instead], now_ps);
            t->members[start.instead].state = READY;
        } else if (start.instead != CLUMP_TIME_SHARING_NOBODY) {
            stop_loner(t, start.instead - t->count, now_ps);
        }
        if (start.process < t->count) {
            t->members[start.process].state = RUNS;
            virtual_team_add_event(t, start.begins_ps, TURN, start.process);
        } else {
            run_loner(t, start.process - t->count, start.begins_ps);
        }
    }
}

void virtual_sharing_wake(virtual_team *t, clump_virtual_member *m, uint64_t now_ps)
{
    if (m->state == LOOKS) {
        stop(m, now_ps);
        m->state = RUNS;
        virtual_team_add_event(t, now_ps, TURN, m->rank);
    } else if (m->state == SLEEPS) {
        m->state = READY;
        clump_time_sharing_ready(t->schedule, m->rank, true);
        virtual_sharing_assign(t, now_ps);
    }
}

bool virtual_sharing_ring(virtual_team *t, const clump_event *e)
{
    if (e->value < t->count) {
        clump_virtual_member *m = &t->members[e->value];
        if (!m->timed || m->timer_ps != e->time_ps)
            return false;
        stop(m, e->time_ps);
        m->state = RUNS;
        return true;
    }
    const uint32_t place = e->value - t->count;
    if (!t->loners[place].runs || t->loners[place].timer_ps != e->time_ps)
        return false;
    stop_loner(t, place, e->time_ps);
    if (clump_time_sharing_expired(t->schedule, e->value, e->time_ps))
        virtual_sharing_assign(t, e->time_ps);
    else
        run_loner(t, place, e->time_ps);
    return false;
}

/* ---- what members ask for */

bool virtual_sharing_is_over(clump_virtual_member *m)
{
    virtual_team *t = m->team;
    clump_time_sharing_use(t->schedule, m->rank, m->used_ps, 0);
    m->used_ps = 0;
    if (!clump_time_sharing_expired(t->schedule, m->rank, m->clock_ps))
        return false;
    m->state = READY;
    virtual_sharing_assign(t, m->clock_ps);
    return true;
}

uint64_t virtual_sharing_stretch(const clump_virtual_member *m, uint64_t work_ps)
{
    return clump_time_sharing_stretch(m->team->schedule, m->rank, work_ps);
}

void virtual_sharing_stay(clump_virtual_member *m, enum virtual_state state, uint64_t longest_ps)
{
    const uint64_t left_ps = clump_time_sharing_left(m->team->schedule, m->rank);
    m->state = state;
    m->since_ps = m->clock_ps;
    m->timer_ps = m->clock_ps + (longest_ps < left_ps ? longest_ps : left_ps);
    m->timed = true;
    virtual_team_add_event(m->team, m->timer_ps, TIMER, m->rank);
}

void virtual_sharing_sleep(clump_virtual_member *m)
{
    m->state = SLEEPS;
    clump_time_sharing_leave(m->team->schedule, m->rank, m->clock_ps);
    virtual_sharing_assign(m->team, m->clock_ps);
}

/* ---- all of them */

bool virtual_sharing_open(virtual_team *t)
{
    const clump_virtual_sharing *s = t->options->sharing;
    const uint32_t loners = s->sequential * t->options->processors;
    t->loners = calloc(loners + 1, sizeof *t->loners);
    t->schedule =
        clump_time_sharing_open(t->options->processors, t->count + loners,
                                (clump_time_sharing_costs){.slice_ps = virtual_ps(s->slice_us),
                                                           .switch_ps = virtual_ps(s->switch_us),
                                                           .cache_ps = virtual_ps(s->cache_us)});
    t->yield_ps = virtual_ps(s->yield_us);
    t->busy = t->count;
    for (uint32_t i = 0; t->schedule != NULL && i < t->count + loners; i++)
        clump_time_sharing_ready(t->schedule, i, false);
    if (t->schedule == NULL || t->loners == NULL)
        return false;
    virtual_sharing_assign(t, 0);
    return true;
}

void virtual_sharing_close(virtual_team *t)
{
    clump_time_sharing_close(t->schedule);
    free(t->loners);
}
