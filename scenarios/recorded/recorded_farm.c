/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "scenarios/recorded/recorded_farm.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define NONE SIZE_MAX

/* Messages that are answered at once; tasks out of turn, before which a master may as well have gone from one to the next. */
static const double mostly = 0.9, out_of_turn = 0.02;

/* Workers' means differ if they do so by more than that many times what chance makes of their tasks. */
static const double differing = 3;

/* What the master sends: in the order of its sends. */
typedef struct task {
    uint32_t worker;     /* that got it in the recording */
    double bytes;        /* of the message */
    double before_us;    /* that the master computes before it sends it */
    double us;           /* that it takes */
    double result_bytes; /* < 0: there is none */
} task;

typedef struct worker {
    double start_us;    /* that it computes before it gets anything */
    double start_bytes; /* that it sends then; < 0: nothing */
    double factor;      /* of its tasks' times over those of others */
} worker;

struct clump_recorded_farm {
    uint32_t ranks, master;
    task *tasks;
    size_t count, first; /* tasks; those of them that are given out before anything comes back */
    size_t results;
    worker *workers; /* by rank */
};

/* ---- is it one? */

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

/* The master's side: its tasks in order, and whether it answers at once and out of turn. `next` has room for all ranks. */
static bool read_master(const clump_schedule *s, clump_recorded_farm *f, size_t *last_served)
{
    const size_t operations = clump_schedule_operations(s);
    size_t at_once = 0, served = 0, early = 0;
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
            f->results++;
            continue;
        }
        if (f->results == 0)
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
        f->tasks[f->count] = (task){
            .worker = o.peer, .bytes = (double)o.size, .before_us = before, .result_bytes = -1};
        last_served[o.peer] = ++f->count;
        before = 0;
    }
    return served > 0 && (double)at_once >= mostly * (double)served &&
           (double)early >= out_of_turn * (double)served;
}

/* The workers' side: each takes a task, computes, and sends what came out. */
static bool read_workers(const clump_schedule *s, clump_recorded_farm *f)
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
        worker *w = &f->workers[o.rank];
        if (o.rank != rank) {
            rank = o.rank;
            now = NONE;
            sent = false;
            w->start_bytes = -1;
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
static bool compare_workers(clump_recorded_farm *f)
{
    double *lists = zeroed(3 * (size_t)f->ranks, sizeof *lists);
    if (lists == NULL)
        return false;
    double *n = lists, *sum = lists + f->ranks, *squares = sum + f->ranks;
    double all = 0, total = 0, within = 0, between = 0, workers = 0;
    for (size_t i = 0; i < f->count; i++) {
        const task *t = &f->tasks[i];
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

clump_status clump_recorded_farm_find(const clump_schedule *s, clump_recorded_farm **farm,
                                      clump_error *error)
{
    uint32_t master = 0;
    *farm = NULL;
    if (clump_schedule_ranks(s) < 3 || !find_master(s, &master))
        return CLUMP_OK;
    clump_recorded_farm *f = zeroed(0, sizeof *f);
    size_t *last_served = zeroed(clump_schedule_ranks(s), sizeof *last_served);
    bool memory = f != NULL && last_served != NULL;
    if (memory) {
        f->ranks = (uint32_t)clump_schedule_ranks(s);
        f->master = master;
        f->tasks = zeroed(clump_schedule_operations(s), sizeof *f->tasks);
        f->workers = zeroed(f->ranks, sizeof *f->workers);
        memory = f->tasks != NULL && f->workers != NULL;
    }
    const bool found = memory && read_master(s, f, last_served) && read_workers(s, f);
    memory = memory && (!found || compare_workers(f));
    free(last_served);
    if (found && memory)
        *farm = f;
    else
        clump_recorded_farm_free(f);
    return memory ? CLUMP_OK : clump_fail_memory(error, "the tasks of a recording");
}

void clump_recorded_farm_free(clump_recorded_farm *f)
{
    if (f == NULL)
        return;
    free(f->tasks);
    free(f->workers);
    free(f);
}

uint32_t clump_recorded_farm_master(const clump_recorded_farm *f)
{
    return f->master;
}

/* ---- how long it takes */

typedef enum event_kind { AT_NIC, AT_RECEIVER, ARRIVED, MASTER_FREE } event_kind;

typedef struct event {
    double time;
    size_t number; /* of what happens at the same time the first comes first */
    event_kind kind;
    uint32_t from, to;
    double bytes;
    size_t task;
} event;

typedef struct farm_run {
    const clump_recorded_farm *farm;
    const clump_cluster *machine;
    clump_rank_order order;
    double penalty;
    event *heap; /* of which the earliest is the first */
    size_t count, room, numbers;
    double *sending, *receiving; /* until when NICs are busy, node by node */
    double *leaving, *coming;    /* until when ranks are, with messages within the node */
    double *free_at;             /* of ranks */
    uint32_t *waiting;           /* who has sent results that the master has not taken: a ring */
    size_t waiting_first, waiting_count, waiting_room;
    size_t next, taken; /* tasks given out, results taken */
    bool busy, no_memory;
    double end;
} farm_run;

static bool is_before(const event *a, const event *b)
{
    return a->time < b->time || (a->time <= b->time && a->number < b->number);
}

static void push(farm_run *g, event e)
{
    if (g->count == g->room) {
        const size_t room = g->room > 0 ? 2 * g->room : 256;
        event *larger = realloc(g->heap, room * sizeof *larger);
        if (larger == NULL) {
            g->no_memory = true;
            return;
        }
        g->heap = larger;
        g->room = room;
    }
    e.number = g->numbers++;
    size_t at = g->count++;
    for (; at > 0 && is_before(&e, &g->heap[(at - 1) / 2]); at = (at - 1) / 2)
        g->heap[at] = g->heap[(at - 1) / 2];
    g->heap[at] = e;
    g->end = fmax(g->end, e.time);
}

static event pop(farm_run *g)
{
    const event first = g->heap[0], last = g->heap[--g->count];
    size_t at = 0;
    for (size_t child = 1; child < g->count; child = 2 * at + 1) {
        if (child + 1 < g->count && is_before(&g->heap[child + 1], &g->heap[child]))
            child++;
        if (!is_before(&g->heap[child], &last))
            break;
        g->heap[at] = g->heap[child];
        at = child;
    }
    g->heap[at] = last;
    return first;
}

static uint32_t place_of(const farm_run *g, uint32_t rank)
{
    const uint32_t P = (uint32_t)g->machine->processors;
    return g->farm->ranks % P == 0 ? clump_rank_place(g->order, rank, g->farm->ranks, P) : rank;
}

static const clump_loggp *way(const farm_run *g, uint32_t from, uint32_t to)
{
    const uint32_t P = (uint32_t)g->machine->processors;
    return place_of(g, from) / P == place_of(g, to) / P ? &g->machine->shared_memory
                                                        : &g->machine->network;
}

/* The NIC of its node that is free first, or its own. */
static double *nic_of(const farm_run *g, double *of_all, uint32_t rank)
{
    const size_t P = g->machine->processors, N = g->machine->nics;
    const size_t place = place_of(g, rank);
    double *of_node = of_all + place / P * N, *best = of_node;
    if (g->machine->mapping == CLUMP_MAPPING_STATIC)
        return of_node + place % P * N / P;
    for (size_t i = 1; i < N; i++)
        best = of_node[i] < *best ? of_node + i : best;
    return best;
}

/* It begins when what it passes is free, and keeps that for g and its bytes. */
static double pass(double *until, double now, const clump_loggp *p, double bytes)
{
    const double begin = fmax(now, *until);
    *until = begin + p->gap_us + fmax(bytes - 1, 0) * p->gap_us_per_byte;
    return begin;
}

static void give(farm_run *g, double now)
{
    const clump_recorded_farm *f = g->farm;
    const uint32_t to = g->next < f->first ? f->tasks[g->next].worker : UINT32_MAX;
    push(g, (event){.time = now,
                    .kind = AT_NIC,
                    .from = f->master,
                    .to = to,
                    .task = g->next,
                    .bytes = f->tasks[g->next].bytes});
    g->next++;
}

/* The master takes the result that came first, and answers it. */
static void serve(farm_run *g, double now)
{
    const clump_recorded_farm *f = g->farm;
    if (g->busy || g->waiting_count == 0)
        return;
    const uint32_t from = g->waiting[g->waiting_first];
    g->waiting_first = (g->waiting_first + 1) % g->waiting_room;
    g->waiting_count--;
    g->taken++;
    g->busy = true;
    double time = now + way(g, from, f->master)->receive_overhead_us;
    if (g->next < f->count) {
        const task *t = &f->tasks[g->next];
        time += g->penalty * t->before_us + way(g, f->master, from)->send_overhead_us;
        push(g, (event){.time = time,
                        .kind = AT_NIC,
                        .from = f->master,
                        .to = from,
                        .task = g->next++,
                        .bytes = t->bytes});
    }
    push(g, (event){.time = time, .kind = MASTER_FREE});
}

static void work(farm_run *g, uint32_t rank, double us, double bytes, double now)
{
    const clump_recorded_farm *f = g->farm;
    double time = now + g->penalty * us;
    g->end = fmax(g->end, time);
    if (bytes >= 0) {
        time += way(g, rank, f->master)->send_overhead_us;
        push(g, (event){.time = time,
                        .kind = AT_NIC,
                        .from = rank,
                        .to = f->master,
                        .task = NONE,
                        .bytes = bytes});
    }
    g->free_at[rank] = time;
}

static void happen(farm_run *g, const event *e)
{
    const clump_recorded_farm *f = g->farm;
    if (e->kind == MASTER_FREE) {
        g->busy = false;
        serve(g, e->time);
        return;
    }
    const clump_loggp *p = way(g, e->from, e->to);
    const bool local = p == &g->machine->shared_memory;
    event next = *e;
    switch (e->kind) {
    case AT_NIC:
        next.time =
            p->latency_us + pass(local ? &g->leaving[e->from] : nic_of(g, g->sending, e->from),
                                 e->time, p, e->bytes);
        next.kind = AT_RECEIVER;
        push(g, next);
        break;
    case AT_RECEIVER:
        next.time =
            fmax(e->bytes - 1, 0) * p->gap_us_per_byte +
            pass(local ? &g->coming[e->to] : nic_of(g, g->receiving, e->to), e->time, p, e->bytes);
        next.kind = ARRIVED;
        push(g, next);
        break;
    default:
        if (e->to == f->master) {
            g->waiting[(g->waiting_first + g->waiting_count++) % g->waiting_room] = e->from;
            serve(g, e->time);
        } else {
            const task *t = &f->tasks[e->task];
            const double factor = f->workers[e->to].factor / f->workers[t->worker].factor;
            work(g, e->to, t->us * factor, t->result_bytes,
                 fmax(e->time, g->free_at[e->to]) + p->receive_overhead_us);
        }
    }
}

static void run(farm_run *g)
{
    const clump_recorded_farm *f = g->farm;
    double now = 0;
    for (uint32_t r = 0; r < f->ranks; r++)
        if (r != f->master && (f->workers[r].start_us > 0 || f->workers[r].start_bytes >= 0))
            work(g, r, f->workers[r].start_us, f->workers[r].start_bytes, 0);
    while (g->next < f->first) {
        const task *t = &f->tasks[g->next];
        now += g->penalty * t->before_us + way(g, f->master, t->worker)->send_overhead_us;
        give(g, now);
    }
    g->busy = true;
    push(g, (event){.time = now, .kind = MASTER_FREE});
    while (g->count > 0 && !g->no_memory) {
        const event e = pop(g);
        happen(g, &e);
    }
}

clump_status clump_recorded_farm_time(const clump_recorded_farm *f, const clump_cluster *machine,
                                      clump_rank_order order, double memory_penalty, double *us,
                                      clump_error *error)
{
    const size_t nodes = (f->ranks + machine->processors - 1) / machine->processors,
                 nics = nodes * machine->nics;
    double *lists = zeroed(2 * nics + 3 * (size_t)f->ranks, sizeof *lists);
    farm_run g = {.farm = f,
                  .machine = machine,
                  .order = order,
                  .penalty = memory_penalty,
                  .waiting_room =
                      f->count + f->ranks}; /* a result of each task, and one more of each worker */
    g.waiting = zeroed(g.waiting_room, sizeof *g.waiting);
    g.no_memory = lists == NULL || g.waiting == NULL;
    if (!g.no_memory) {
        g.sending = lists;
        g.receiving = lists + nics;
        g.leaving = lists + 2 * nics;
        g.coming = g.leaving + f->ranks;
        g.free_at = g.coming + f->ranks;
        run(&g);
    }
    *us = g.end;
    free(lists);
    free(g.waiting);
    free(g.heap);
    return g.no_memory ? clump_fail_memory(error, "the tasks of a recording") : CLUMP_OK;
}
