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
    schedule_nics nics;
    cpu *cpus;
    uint32_t cpu_count;
} runner;

static void start(runner *r, uint32_t rank, uint32_t o, double now);

/* Of an operation of a rank. */
static cpu *cpu_of(const runner *r, uint32_t rank, uint32_t o)
{
    const clump_schedule *s = r->engine->schedule;
    return &r->cpus[s->cpus == 1 ? rank : (size_t)rank * s->cpus + schedule_cpu(s, o)];
}

/* Ready, and its message is there if it is a receive. */
static void enqueue(runner *r, uint32_t rank, uint32_t o, double now)
{
    schedule_match *match = &r->engine->match;
    const uint32_t first = r->engine->schedule->first_of[rank];
    cpu *c = cpu_of(r, rank, o);
    if (c->running == NONE) {
        start(r, rank, o, now);
        return;
    }
    schedule_match_set_next(match, first, o, NONE);
    if (c->first == NONE)
        c->first = o;
    else
        schedule_match_set_next(match, first, c->last, o);
    c->last = o;
}

/* A receive has its message: a send by rendezvous ends. That is an event, because one may let the
 * next end, and so on through the whole schedule. */
static void meet(runner *r, uint32_t m, double now)
{
    if (schedule_engine_meets(r->engine, m))
        event_queue_add(&r->events, now, ENDING | m);
}

static void ready(runner *r, uint32_t rank, uint32_t o, double now)
{
    if (schedule_kind_of(r->engine->schedule, o) == SCHEDULE_RECV) {
        const uint32_t m = schedule_match_receive(&r->engine->match, o);
        if (m == NONE)
            return;
        meet(r, m, now);
    }
    enqueue(r, rank, o, now);
}

static void deliver(runner *r, uint32_t m, double now)
{
    const uint32_t receive = schedule_match_message(&r->engine->match, m);
    if (receive == NONE)
        return;
    meet(r, m, now);
    enqueue(r, schedule_peer(r->engine->schedule, m), receive, now);
}

/* What waits for the start of the operation, or for its end. */
static void release(runner *r, uint32_t rank, uint32_t o, bool at_start, double now)
{
    const clump_schedule *s = r->engine->schedule;
    if (s->edges == NULL || (at_start && !s->at_start))
        return;
    for (uint32_t e = s->first_edge[o]; e < s->first_edge[o + 1]; e++) {
        const uint32_t later = s->edges[e] & ~SCHEDULE_AT_START;
        if (((s->edges[e] & SCHEDULE_AT_START) != 0) == at_start &&
            schedule_match_needs_less(&r->engine->match, later))
            ready(r, rank, later, now);
    }
}

/* By rendezvous: its CPU is done with it, and its message has met a receive. */
static void end_send(runner *r, uint32_t o, double now)
{
    const uint32_t rank = schedule_rank(r->engine->schedule, o);
    r->engine->done++;
    r->engine->machine.ends[rank] = network_later(r->engine->machine.ends[rank], now);
    release(r, rank, o, false, now);
}

static double bytes_of(const runner *r, uint32_t o)
{
    const uint64_t size = schedule_size(r->engine->schedule, o);
    return size > 0 ? (double)size : 1;
}

static void start(runner *r, uint32_t rank, uint32_t o, double now)
{
    schedule_engine *e = r->engine;
    const clump_schedule *s = e->schedule;
    const schedule_kind kind = schedule_kind_of(s, o);
    cpu *c = cpu_of(r, rank, o);
    double length;
    c->running = o;
    if (kind == SCHEDULE_SEND) {
        const uint32_t from = schedule_engine_place(e, rank),
                       to = schedule_engine_place(e, schedule_peer(s, o));
        const double bytes = bytes_of(r, o);
        const double ready = now + network_protocol(&e->machine.net, from, to)->send_overhead_us;
        length = ready - now + (bytes - 1) * e->overhead_per_byte;
        e->machine.messages++;
        schedule_nics_send(&r->nics, o, from, to, bytes, ready);
    } else if (kind == SCHEDULE_RECV) {
        const uint32_t m = e->match.order[o], from = schedule_rank(s, m);
        length = network_protocol(&e->machine.net, schedule_engine_place(e, from),
                                  schedule_engine_place(e, rank))
                     ->receive_overhead_us +
                 (bytes_of(r, m) - 1) * e->overhead_per_byte;
    } else {
        length = (double)schedule_size(s, o) * e->machine.net.machine->memory_penalty;
    }
    event_queue_add(&r->events, now + length, (uint32_t)(c - r->cpus));
    release(r, rank, o, true, now);
}

static void finish(runner *r, uint32_t index, double now)
{
    cpu *c = &r->cpus[index];
    schedule_engine *e = r->engine;
    const uint32_t o = c->running;
    const uint32_t rank = e->schedule->cpus == 1 ? index : index / e->schedule->cpus;
    c->running = NONE;
    e->machine.ends[rank] = network_later(e->machine.ends[rank], now);
    if (c->first != NONE) { /* what is ready longest goes first, before what becomes ready now */
        const uint32_t next = c->first;
        c->first = schedule_match_next(&e->match, e->schedule->first_of[rank], next);
        start(r, rank, next, now);
    }
    if (!schedule_engine_waits(e, o)) {
        e->done++;
        release(r, rank, o, false, now);
    } else if (schedule_engine_meets(e, o)) {
        end_send(r, o, now);
    }
}

static void arrive(runner *r, uint32_t m, double now)
{
    const clump_schedule *s = r->engine->schedule;
    const uint32_t from = schedule_engine_place(r->engine, schedule_rank(s, m)),
                   to = schedule_engine_place(r->engine, schedule_peer(s, m));
    if (schedule_nics_arrive(&r->nics, m, from, to, bytes_of(r, m), now))
        deliver(r, m, now);
}

static void run_all(runner *r)
{
    const clump_schedule *s = r->engine->schedule;
    event_entry event;
    for (size_t block = 0; block < s->block_count; block++)
        for (uint32_t i = s->blocks[block].first;
             i < s->blocks[block + 1].first && !r->events.failed; i++)
            if (schedule_needs(s, i) == 0)
                ready(r, s->blocks[block].rank, i, 0);
    while (!r->events.failed && event_queue_take(&r->events, &event)) {
        if (!schedule_engine_goes_on(r->engine))
            break;
        const uint32_t kind = event.id & KIND, id = event.id & ~KIND;
        if (kind == SCHEDULE_NICS_ARRIVAL)
            arrive(r, id, event.time);
        else if (kind == SCHEDULE_NICS_DELIVERY) {
            if (schedule_nics_complete(&r->nics, id))
                deliver(r, id, event.time);
        } else if (kind == ENDING)
            end_send(r, id, event.time);
        else if (id < r->cpu_count)
            finish(r, id, event.time);
        else
            nic_windows_go_on(&r->nics.windows, id, event.time);
    }
}

/* A message without bytes counts as one byte. */
static double longest_message(const clump_schedule *s)
{
    uint64_t longest = 1;
    for (uint32_t o = 0; o < s->count; o++)
        if (schedule_kind_of(s, o) == SCHEDULE_SEND && schedule_size(s, o) > longest)
            longest = schedule_size(s, o);
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
    bool done = schedule_nics_make(&r.nics, rules, rules->window_bytes > 0 ? longest_message(s) : 1,
                                   &engine->machine.net, &r.events, r.cpu_count, s->count) &&
                r.cpus != NULL;
    for (size_t i = 0; done && i < cpus; i++)
        r.cpus[i] = (cpu){NONE, NONE, NONE};
    if (done)
        run_all(&r);
    done = done && !r.events.failed;
    schedule_nics_release(&r.nics);
    event_queue_release(&r.events);
    free(r.cpus);
    return done;
}
