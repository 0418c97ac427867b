/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A schedule on a machine. An operation is ready when what it requires has happened. CPUs do what
 * is ready, first come, first served; a receive comes when its message is there as well.
 *
 * Events: a CPU has finished; the first byte of a message arrives, or, where it goes by packets, it is handed over; all of it is
 * there; a send that waits for its receive has ended. A message is known by the operation that sends it. Numbers above those of CPUs
 * are events of packets.
 */
#include "model/simulation/schedule_engine.h"
#include "model/simulation/schedule_nics.h"

#include <stdlib.h>

#define NONE SCHEDULE_NONE

#define KIND SCHEDULE_NICS_KIND
#define ENDING SCHEDULE_NICS_KIND /* the kind that is free */

typedef struct cpu {
    uint32_t running;     /* operation, or NONE */
    uint32_t first, last; /* operations that are ready */
} cpu;

typedef struct runner {
    schedule_engine *engine;
    event_queue events;
    schedule_nics *nics;
    cpu *cpus;
    uint32_t cpu_count;
} runner;

static void start(runner *r, uint32_t o, double now);

static const schedule_operation *at(const runner *r, uint32_t o)
{
    return &r->engine->schedule->operations[o];
}

/* Ready, and its message is there if it is a receive. */
static void enqueue(runner *r, uint32_t o, double now)
{
    uint32_t *next = r->engine->match.next;
    cpu *c = &r->cpus[(size_t)at(r, o)->rank * r->engine->schedule->cpus + at(r, o)->cpu];
    if (c->running == NONE) {
        start(r, o, now);
        return;
    }
    next[o] = NONE;
    if (c->first == NONE)
        c->first = o;
    else
        next[c->last] = o;
    c->last = o;
}

/* A receive has its message: a send by rendezvous ends. That is an event, because one may let the
 * next end, and so on through the whole schedule. */
static void meet(runner *r, uint32_t m, double now)
{
    if (schedule_engine_meets(r->engine, m))
        event_queue_add(&r->events, now, ENDING | m);
}

static void ready(runner *r, uint32_t o, double now)
{
    if (at(r, o)->kind == SCHEDULE_RECV) {
        const uint32_t m = schedule_match_receive(&r->engine->match, o);
        if (m == NONE)
            return;
        meet(r, m, now);
    }
    enqueue(r, o, now);
}

static void deliver(runner *r, uint32_t m, double now)
{
    const uint32_t receive = schedule_match_message(&r->engine->match, m);
    if (receive == NONE)
        return;
    meet(r, m, now);
    enqueue(r, receive, now);
}

/* What waits for the start of the operation, or for its end. */
static void release(runner *r, uint32_t o, bool at_start, double now)
{
    const clump_schedule *s = r->engine->schedule;
    if (s->edges == NULL || (at_start && !s->at_start))
        return;
    for (uint32_t e = s->first_edge[o]; e < s->first_edge[o + 1]; e++) {
        const uint32_t later = s->edges[e] & ~SCHEDULE_AT_START;
        if (((s->edges[e] & SCHEDULE_AT_START) != 0) == at_start &&
            schedule_match_needs_less(&r->engine->match, later))
            ready(r, later, now);
    }
}

static void end(runner *r, uint32_t o, double now)
{
    r->engine->done++;
    release(r, o, false, now);
}

/* By rendezvous: its CPU is done with it, and its message has met a receive. */
static void end_send(runner *r, uint32_t o, double now)
{
    schedule_engine_ends(r->engine, at(r, o)->rank, now);
    end(r, o, now);
}

static double bytes_of(const runner *r, uint32_t o)
{
    const uint64_t size = at(r, o)->size;
    return size > 0 ? (double)size : 1;
}

static void start(runner *r, uint32_t o, double now)
{
    schedule_engine *e = r->engine;
    const schedule_operation *op = at(r, o);
    const uint32_t number = op->rank * e->schedule->cpus + op->cpu;
    double length;
    r->cpus[number].running = o;
    if (op->kind == SCHEDULE_SEND) {
        const double bytes = bytes_of(r, o);
        const double ready = now + schedule_engine_protocol(e, op)->send_overhead_us;
        length = ready - now + (bytes - 1) * e->overhead_per_byte;
        e->messages++;
        schedule_nics_send(r->nics, o, schedule_engine_place(e, op->rank),
                           schedule_engine_place(e, op->peer), bytes, ready);
    } else if (op->kind == SCHEDULE_RECV) {
        const uint32_t m = e->match.order[o];
        length = schedule_engine_protocol(e, at(r, m))->receive_overhead_us +
                 (bytes_of(r, m) - 1) * e->overhead_per_byte;
    } else {
        length = (double)op->size * e->net.machine->memory_penalty;
    }
    event_queue_add(&r->events, now + length, number);
    release(r, o, true, now);
}

static void finish(runner *r, uint32_t index, double now)
{
    cpu *c = &r->cpus[index];
    schedule_engine *e = r->engine;
    const uint32_t o = c->running;
    c->running = NONE;
    schedule_engine_ends(e, at(r, o)->rank, now);
    if (c->first != NONE) { /* what is ready longest goes first, before what becomes ready now */
        const uint32_t next = c->first;
        c->first = e->match.next[next];
        start(r, next, now);
    }
    if (!schedule_engine_waits(e, o))
        end(r, o, now);
    else if (schedule_engine_meets(e, o))
        end_send(r, o, now);
}

static void arrive(runner *r, uint32_t m, double now)
{
    const schedule_operation *send = at(r, m);
    if (schedule_nics_arrive(r->nics, m, schedule_engine_place(r->engine, send->rank),
                             schedule_engine_place(r->engine, send->peer), bytes_of(r, m), now))
        deliver(r, m, now);
}

static void run_all(runner *r)
{
    const clump_schedule *s = r->engine->schedule;
    event_entry event;
    for (uint32_t o = 0; o < s->count && !r->events.failed; o++)
        if (schedule_needs(s, o) == 0)
            ready(r, o, 0);
    while (!r->events.failed && event_queue_take(&r->events, &event)) {
        if (!schedule_engine_goes_on(r->engine))
            break;
        const uint32_t kind = event.id & KIND, id = event.id & ~KIND;
        if (kind == SCHEDULE_NICS_ARRIVAL)
            arrive(r, id, event.time);
        else if (kind == SCHEDULE_NICS_DELIVERY) {
            if (schedule_nics_complete(r->nics, id))
                deliver(r, id, event.time);
        } else if (kind == ENDING)
            end_send(r, id, event.time);
        else if (id < r->cpu_count)
            finish(r, id, event.time);
        else
            schedule_nics_go_on(r->nics, id, event.time);
    }
}

/* A message without bytes counts as one byte. */
static double longest_message(const clump_schedule *s)
{
    uint64_t longest = 1;
    for (uint32_t o = 0; o < s->count; o++)
        if (s->operations[o].kind == SCHEDULE_SEND && s->operations[o].size > longest)
            longest = s->operations[o].size;
    return (double)longest;
}

bool schedule_run_queued(schedule_engine *engine)
{
    const clump_schedule *s = engine->schedule;
    const clump_schedule_rules *rules = engine->rules;
    const size_t cpus = s->ranks * s->cpus;
    runner r = {
        .engine = engine, .cpus = malloc(cpus * sizeof *r.cpus), .cpu_count = (uint32_t)cpus};
    event_queue_make(&r.events);
    r.nics = schedule_nics_new(rules, rules->window_bytes > 0 ? longest_message(s) : 1,
                               &engine->net, &r.events, r.cpu_count, s->count);
    const bool made = r.nics != NULL && r.cpus != NULL;
    for (size_t i = 0; made && i < cpus; i++)
        r.cpus[i] = (cpu){NONE, NONE, NONE};
    if (made)
        run_all(&r);
    const bool done = made && !r.events.failed;
    schedule_nics_free(r.nics);
    event_queue_release(&r.events);
    free(r.cpus);
    return done;
}
