/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A schedule on a machine. An operation is ready when what it requires has happened. CPUs do what
 * is ready, first come, first served; a receive comes when its message is there as well.
 *
 * Events: a CPU has finished; the first byte of a message arrives; all of it is there; a send that
 * waits for its receive has ended. A message is known by the operation that sends it.
 */
#include "model/simulation/event_queue.h"
#include "model/simulation/schedule_engine.h"

#include <stdlib.h>

#define NONE SCHEDULE_NONE

static const uint32_t ARRIVAL = UINT32_C(1) << 30, DELIVERY = UINT32_C(2) << 30,
                      ENDING = UINT32_C(3) << 30, KIND = UINT32_C(3) << 30;

typedef struct cpu {
    uint32_t running;     /* operation, or NONE */
    uint32_t first, last; /* operations that are ready */
} cpu;

typedef struct runner {
    schedule_engine *engine;
    event_queue events;
    cpu *cpus;
} runner;

static void start(runner *r, uint32_t o, double now);

static cpu *cpu_of(const runner *r, const schedule_operation *o)
{
    return &r->cpus[(size_t)o->rank * r->engine->schedule->cpus + o->cpu];
}

/* Ready, and its message is there if it is a receive. */
static void enqueue(runner *r, uint32_t o, double now)
{
    schedule_progress *state = r->engine->match.state;
    cpu *c = cpu_of(r, &r->engine->schedule->operations[o]);
    if (c->running == NONE) {
        start(r, o, now);
        return;
    }
    state[o].next = NONE;
    if (c->first == NONE)
        c->first = o;
    else
        state[c->last].next = o;
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
    if (r->engine->schedule->operations[o].kind == SCHEDULE_RECV) {
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
    if (at_start && !s->at_start)
        return;
    for (uint32_t e = s->operations[o].first_edge; e < s->operations[o + 1].first_edge; e++) {
        const uint32_t later = s->edges[e] & ~SCHEDULE_AT_START;
        if (((s->edges[e] & SCHEDULE_AT_START) != 0) == at_start &&
            --r->engine->match.state[later].needs == 0)
            ready(r, later, now);
    }
}

/* By rendezvous: its CPU is done with it, and its message has met a receive. */
static void end_send(runner *r, uint32_t o, double now)
{
    const uint32_t rank = r->engine->schedule->operations[o].rank;
    r->engine->done++;
    r->engine->ends[rank] = network_later(r->engine->ends[rank], now);
    release(r, o, false, now);
}

static double bytes_of(const schedule_operation *o)
{
    return o->size > 0 ? (double)o->size : 1;
}

static void start(runner *r, uint32_t o, double now)
{
    schedule_engine *e = r->engine;
    const schedule_operation *op = &e->schedule->operations[o];
    const size_t index = (size_t)(cpu_of(r, op) - r->cpus);
    double length;
    r->cpus[index].running = o;
    if (op->kind == SCHEDULE_SEND) {
        const double ready = now + network_protocol(&e->net, op->rank, op->peer)->send_overhead_us;
        const double arrival =
            nic_turns_concern(&e->turns, &e->net, op->rank, op->peer)
                ? nic_turns_send(&e->turns, &e->net, o, op->rank, op->peer, bytes_of(op), ready)
                : network_send(&e->net, op->rank, op->peer, bytes_of(op), ready);
        length = ready - now + (bytes_of(op) - 1) * e->overhead_per_byte;
        e->messages++;
        event_queue_add(&r->events, arrival, ARRIVAL | o);
    } else if (op->kind == SCHEDULE_RECV) {
        const schedule_operation *m = &e->schedule->operations[e->match.state[o].order];
        length = network_protocol(&e->net, m->rank, op->rank)->receive_overhead_us +
                 (bytes_of(m) - 1) * e->overhead_per_byte;
    } else {
        length = (double)op->size * e->net.machine->memory_penalty;
    }
    event_queue_add(&r->events, now + length, (uint32_t)index);
    release(r, o, true, now);
}

static void finish(runner *r, uint32_t index, double now)
{
    cpu *c = &r->cpus[index];
    schedule_engine *e = r->engine;
    const uint32_t o = c->running;
    const uint32_t rank = e->schedule->operations[o].rank;
    c->running = NONE;
    e->ends[rank] = network_later(e->ends[rank], now);
    if (c->first != NONE) { /* what is ready longest goes first, before what becomes ready now */
        const uint32_t next = c->first;
        c->first = e->match.state[next].next;
        start(r, next, now);
    }
    if (!schedule_engine_waits(e, o)) {
        e->done++;
        release(r, o, false, now);
    } else if (schedule_engine_meets(e, o)) {
        end_send(r, o, now);
    }
}

static void arrive(runner *r, uint32_t m, double now)
{
    network *net = &r->engine->net;
    const schedule_operation *op = &r->engine->schedule->operations[m];
    const nic_turns *turns = &r->engine->turns;
    const double there = nic_turns_concern(turns, net, op->rank, op->peer)
                             ? nic_turns_receive(turns, net, m, op->peer, bytes_of(op), now)
                             : network_receive(net, op->rank, op->peer, bytes_of(op), now);
    if (there > now)
        event_queue_add(&r->events, there, DELIVERY | m);
    else
        deliver(r, m, now);
}

/* What an event is about comes from far away in a large schedule. */
static void look_ahead(const runner *r, uint32_t id)
{
    if ((id & KIND) == 0)
        __builtin_prefetch(&r->cpus[id]);
    else
        __builtin_prefetch(&r->engine->schedule->operations[id & ~KIND]);
}

static void run_all(runner *r)
{
    const clump_schedule *s = r->engine->schedule;
    event_entry event;
    uint32_t ahead;
    for (size_t i = 0; i < s->count && !r->events.failed; i++)
        if (s->operations[i].needs == 0)
            ready(r, (uint32_t)i, 0);
    while (!r->events.failed && event_queue_take(&r->events, &event, &ahead)) {
        if (!schedule_engine_goes_on(r->engine))
            break;
        look_ahead(r, ahead);
        const uint32_t kind = event.id & KIND, id = event.id & ~KIND;
        if (kind == ARRIVAL)
            arrive(r, id, event.time);
        else if (kind == DELIVERY)
            deliver(r, id, event.time);
        else if (kind == ENDING)
            end_send(r, id, event.time);
        else
            finish(r, id, event.time);
    }
}

bool schedule_run_queued(schedule_engine *engine)
{
    const size_t cpus = engine->schedule->ranks * engine->schedule->cpus;
    runner r = {.engine = engine, .cpus = malloc(cpus * sizeof *r.cpus)};
    if (r.cpus == NULL)
        return false;
    for (size_t i = 0; i < cpus; i++)
        r.cpus[i] = (cpu){NONE, NONE, NONE};
    event_queue_make(&r.events);
    run_all(&r);
    const bool done = !r.events.failed;
    event_queue_release(&r.events);
    free(r.cpus);
    return done;
}
