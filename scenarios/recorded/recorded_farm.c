/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "scenarios/recorded/recorded_farm.h"

#include <math.h>
#include <stdlib.h>

#define NONE SIZE_MAX

/* Messages that are answered at once; tasks out of turn, before which a master may as well have gone from one to the next. */
static const double mostly = 0.9, out_of_turn = 0.02;

/* Workers' means differ if they do so by more than that many times what chance makes of their tasks. */
static const double differing = 3;

/* The rank with which all others have all of their messages. */
static bool find_master(const clump_schedule *s, uint32_t *master)
{
    const uint32_t ranks = (uint32_t)clump_schedule_ranks(s);
    const size_t count = clump_schedule_operations(s);
    uint32_t
        a = UINT32_MAX,
        b = UINT32_MAX; /* the first message is between these, and one of them is in all others */
    for (size_t i = 0; i < count; i++) {
        const clump_schedule_step o = clump_schedule_step_of(s, i);
        if (o.what == CLUMP_SCHEDULE_COMPUTES)
            continue;
        if (o.peer >= ranks)
            return false;
        if (a == UINT32_MAX && b == UINT32_MAX) {
            a = o.rank;
            b = o.peer;
            continue;
        }
        if (a != o.rank && a != o.peer)
            a = UINT32_MAX;
        if (b != o.rank && b != o.peer)
            b = UINT32_MAX;
        if (a == UINT32_MAX && b == UINT32_MAX)
            return false;
    }
    *master = a != UINT32_MAX ? a : b;
    return *master != UINT32_MAX &&
           (a == UINT32_MAX || b == UINT32_MAX); /* two ranks have no order */
}

static void *zeroed(size_t count, size_t size)
{
    return calloc(count + 1, size);
}

/* The master's side: its tasks in order, and whether it answers at once and out of turn. `last_served` is by rank: NONE of those that do
 * nothing, else 0. */
static bool read_master(const clump_schedule *s, clump_task_farm *f, size_t *last_served)
{
    const size_t operations = clump_schedule_operations(s);
    size_t at_once = 0, served = 0, early = 0, results = 0, blocking = 0;
    double before = 0;
    clump_schedule_step last = {.what = CLUMP_SCHEDULE_COMPUTES}; /* message before */
    for (size_t i = 0; i < operations; i++) {
        const clump_schedule_step o = clump_schedule_step_of(s, i);
        if (o.rank != f->master)
            continue;
        if (o.what == CLUMP_SCHEDULE_COMPUTES) {
            before += 1e-3 * (double)o.size;
            continue;
        }
        at_once +=
            last.what != CLUMP_SCHEDULE_COMPUTES && last.what != o.what && last.peer == o.peer;
        last = o;
        if (o.what == CLUMP_SCHEDULE_RECEIVES) {
            results++;
            continue;
        }
        if (results == 0)
            f->first = f->count + 1;
        else {
            /* Who was served longest ago would be next if they took turns. */
            size_t longest = NONE;
            for (uint32_t r = 0; r < f->ranks; r++)
                if (r != f->master && last_served[r] < longest)
                    longest = last_served[r];
            served++;
            early += last_served[o.peer] != longest;
        }
        f->tasks[f->count] = (clump_farm_task){
            .worker = o.peer, .bytes = (double)o.size, .before_us = before, .result_bytes = -1};
        blocking += clump_schedule_next_waits(s, i);
        last_served[o.peer] = ++f->count;
        before = 0;
    }
    f->blocking = 2 * blocking > f->count;
    return served > 0 && (double)at_once >= mostly * (double)served &&
           (double)early >= out_of_turn * (double)served;
}

/* The workers' side: each takes a task, computes, and sends what came out. */
static bool read_workers(const clump_schedule *s, clump_task_farm *f)
{
    const size_t operations = clump_schedule_operations(s);
    size_t *queue =
        zeroed(f->ranks, sizeof *queue); /* the task of a worker that is looked for from there on */
    uint32_t rank = UINT32_MAX;
    size_t now = NONE; /* the task in hand */
    bool good = queue != NULL, sent = true;
    for (size_t i = 0; i < operations && good; i++) {
        const clump_schedule_step o = clump_schedule_step_of(s, i);
        if (o.rank == f->master)
            continue;
        clump_farm_worker *w = &f->workers[o.rank];
        if (o.rank != rank) {
            rank = o.rank;
            now = NONE;
            sent = false;
        }
        if (o.what == CLUMP_SCHEDULE_COMPUTES) {
            *(now == NONE ? &w->start_us : &f->tasks[now].us) += 1e-3 * (double)o.size;
        } else if (o.what == CLUMP_SCHEDULE_SENDS) {
            good = !sent;
            sent = true;
            *(now == NONE ? &w->start_bytes : &f->tasks[now].result_bytes) = (double)o.size;
        } else {
            good = sent || now == NONE;
            now = queue[rank];
            while (now < f->count && f->tasks[now].worker != rank)
                now++;
            good = good && now < f->count;
            queue[rank] = now + 1;
            sent = false;
        }
    }
    free(queue);
    return good;
}

/* Where workers differ, a task takes another time with each. */
static bool compare_workers(clump_task_farm *f)
{
    double *lists = zeroed(3 * (size_t)f->ranks, sizeof *lists);
    if (lists == NULL)
        return false;
    double *n = lists, *sum = lists + f->ranks, *squares = sum + f->ranks;
    double all = 0, total = 0, within = 0, between = 0, workers = 0;
    for (size_t i = 0; i < f->count; i++) {
        const clump_farm_task *t = &f->tasks[i];
        if (t->result_bytes < 0)
            continue;
        n[t->worker]++;
        sum[t->worker] += t->us;
        squares[t->worker] += t->us * t->us;
        all++;
        total += t->us;
    }
    for (uint32_t r = 0; r < f->ranks; r++) {
        f->workers[r].factor = 1;
        if (n[r] < 2)
            continue;
        const double off = sum[r] / n[r] - total / all;
        workers++;
        within += squares[r] - sum[r] * sum[r] / n[r];
        between += n[r] * off * off;
    }
    /* The usual analysis of variance: both are of chance if workers are alike. */
    if (workers > 1 && all > workers &&
        between / (workers - 1) > differing * fmax(within, 0) / (all - workers))
        for (uint32_t r = 0; r < f->ranks; r++)
            if (n[r] >= 2 && total > 0 && sum[r] > 0)
                f->workers[r].factor = sum[r] / n[r] / (total / all);
    free(lists);
    return true;
}

clump_status clump_recorded_farm_find(const clump_schedule *s, clump_task_farm **farm,
                                      clump_error *error)
{
    uint32_t master = 0;
    *farm = NULL;
    if (clump_schedule_ranks(s) < 3 || !find_master(s, &master))
        return CLUMP_OK;
    clump_task_farm *f = zeroed(0, sizeof *f);
    size_t *last_served = zeroed(clump_schedule_ranks(s), sizeof *last_served);
    bool memory = f != NULL && last_served != NULL;
    if (memory) {
        f->ranks = (uint32_t)clump_schedule_ranks(s);
        f->master = master;
        f->tasks = zeroed(clump_schedule_operations(s), sizeof *f->tasks);
        f->workers = zeroed(f->ranks, sizeof *f->workers);
        memory = f->tasks != NULL && f->workers != NULL;
    }
    for (uint32_t r = 0; memory && r < f->ranks; r++) {
        f->workers[r].start_bytes = -1;
        last_served[r] = NONE;
    }
    for (size_t i = 0; memory && i < clump_schedule_operations(s); i++)
        last_served[clump_schedule_step_of(s, i).rank] = 0;
    const bool found = memory && read_master(s, f, last_served) && read_workers(s, f);
    memory = memory && (!found || compare_workers(f));
    free(last_served);
    if (found && memory)
        *farm = f;
    else
        clump_recorded_farm_free(f);
    return memory ? CLUMP_OK : clump_fail_memory(error, "the tasks of a recording");
}

void clump_recorded_farm_free(clump_task_farm *f)
{
    if (f == NULL)
        return;
    free(f->tasks);
    free(f->workers);
    free(f);
}
