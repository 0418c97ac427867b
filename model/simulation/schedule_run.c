/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A schedule on a machine. An operation is ready when what it requires has happened. CPUs do what
 * is ready, first come, first served; a receive comes when its message is there as well.
 *
 * Events: a CPU has finished; the first byte of a message arrives; all of it is there. A message is
 * known by the operation that sends it.
 */
#include "model/simulation/cluster_network.h"
#include "model/simulation/event_queue.h"
#include "model/simulation/schedule_match.h"

#include <math.h>

static const uint32_t ARRIVAL = UINT32_C(1) << 30, DELIVERY = UINT32_C(2) << 30,
                      KIND = UINT32_C(3) << 30;
static const double us_per_ns = 1e-3;
#define NONE SCHEDULE_NONE

typedef struct cpu {
    uint32_t running;     /* operation, or NONE */
    uint32_t first, last; /* operations that are ready */
} cpu;

typedef struct runner {
    const clump_schedule *schedule;
    network net;
    event_queue events;
    schedule_match match;
    cpu *cpus;
    double *ends; /* of the ranks */
    uint64_t done, event_count, messages;
} runner;

static void start(runner *r, uint32_t o, double now);

static cpu *cpu_of(const runner *r, const schedule_operation *o)
{
    return &r->cpus[(size_t)o->rank * r->schedule->cpus + o->cpu];
}

/* Ready, and its message is there if it is a receive. */
static void enqueue(runner *r, uint32_t o, double now)
{
    cpu *c = cpu_of(r, &r->schedule->operations[o]);
    if (c->running == NONE) {
        start(r, o, now);
        return;
    }
    r->match.state[o].next = NONE;
    if (c->first == NONE)
        c->first = o;
    else
        r->match.state[c->last].next = o;
    c->last = o;
}

static void ready(runner *r, uint32_t o, double now)
{
    if (r->schedule->operations[o].kind != SCHEDULE_RECV || schedule_match_receive(&r->match, o))
        enqueue(r, o, now);
}

static void deliver(runner *r, uint32_t m, double now)
{
    const uint32_t receive = schedule_match_message(&r->match, m);
    if (receive != NONE)
        enqueue(r, receive, now);
}

/* What waits for the start of the operation, or for its end. */
static void release(runner *r, uint32_t o, bool at_start, double now)
{
    const clump_schedule *s = r->schedule;
    if (at_start && !s->at_start)
        return;
    for (uint32_t e = s->operations[o].first_edge; e < s->operations[o + 1].first_edge; e++) {
        const uint32_t later = s->edges[e] & ~SCHEDULE_AT_START;
        if (((s->edges[e] & SCHEDULE_AT_START) != 0) == at_start &&
            --r->match.state[later].needs == 0)
            ready(r, later, now);
    }
}

static double bytes_of(const schedule_operation *o)
{
    return o->size > 0 ? (double)o->size : 1;
}

static void start(runner *r, uint32_t o, double now)
{
    const schedule_operation *op = &r->schedule->operations[o];
    const size_t index = (size_t)(cpu_of(r, op) - r->cpus);
    r->match.state[o].waits = false;
    double length = (double)op->size * us_per_ns;
    r->cpus[index].running = o;
    if (op->kind == SCHEDULE_SEND) {
        const clump_loggp *p = network_protocol(&r->net, op->rank, op->peer);
        length = p->send_overhead_us;
        const double arrival =
            network_send(&r->net, op->rank, op->peer, bytes_of(op), now + length);
        r->messages++;
        event_queue_add(&r->events, arrival, ARRIVAL | o);
    } else if (op->kind == SCHEDULE_RECV) {
        length = network_protocol(&r->net, r->match.state[o].order, op->rank)->receive_overhead_us;
    }
    event_queue_add(&r->events, now + length, (uint32_t)index);
    release(r, o, true, now);
}

static void finish(runner *r, uint32_t index, double now)
{
    cpu *c = &r->cpus[index];
    const uint32_t o = c->running;
    const uint32_t rank = r->schedule->operations[o].rank;
    c->running = NONE;
    r->done++;
    r->ends[rank] = network_later(r->ends[rank], now);
    if (c->first != NONE) { /* what is ready longest goes first, before what becomes ready now */
        const uint32_t next = c->first;
        c->first = r->match.state[next].next;
        start(r, next, now);
    }
    release(r, o, false, now);
}

static void arrive(runner *r, uint32_t m, double now)
{
    const schedule_operation *op = &r->schedule->operations[m];
    const double there = network_receive(&r->net, op->rank, op->peer, bytes_of(op), now);
    if (there > now)
        event_queue_add(&r->events, there, DELIVERY | m);
    else
        deliver(r, m, now);
}

static bool make(runner *r, const clump_schedule *s, const clump_cluster *machine)
{
    const size_t cpus = s->ranks * s->cpus;
    *r = (runner){.schedule = s};
    event_queue_make(&r->events);
    bool made = network_make(&r->net, machine);
    made = schedule_match_make(&r->match, s) && made;
    r->cpus = malloc(cpus * sizeof *r->cpus);
    r->ends = calloc(s->ranks, sizeof *r->ends);
    if (!made || r->cpus == NULL || r->ends == NULL)
        return false;
    network_reset(&r->net);
    for (size_t i = 0; i < cpus; i++)
        r->cpus[i] = (cpu){NONE, NONE, NONE};
    for (size_t i = 0; i < s->count; i++)
        r->match.state[i].needs = s->operations[i].needs;
    return true;
}

static void free_runner(runner *r)
{
    network_release(&r->net);
    event_queue_release(&r->events);
    schedule_match_release(&r->match);
    free(r->cpus);
    free(r->ends);
}

/* What an event is about comes from far away in a large schedule. */
static void look_ahead(const runner *r, uint32_t id)
{
    if ((id & KIND) == 0)
        __builtin_prefetch(&r->cpus[id]);
    else
        __builtin_prefetch(&r->schedule->operations[id & ~KIND]);
}

static void run_all(runner *r)
{
    event_entry event;
    uint32_t ahead;
    for (size_t i = 0; i < r->schedule->count && !r->events.failed; i++)
        if (r->schedule->operations[i].needs == 0)
            ready(r, (uint32_t)i, 0);
    while (!r->events.failed && event_queue_take(&r->events, &event, &ahead)) {
        r->event_count++;
        look_ahead(r, ahead);
        const uint32_t kind = event.id & KIND, id = event.id & ~KIND;
        if (kind == ARRIVAL)
            arrive(r, id, event.time);
        else if (kind == DELIVERY)
            deliver(r, id, event.time);
        else
            finish(r, id, event.time);
    }
}

/* Nothing happens any more, and operations are left: name one that a message would help, if any. */
static clump_status explain_stop(const runner *r, clump_error *error)
{
    static const char *const kinds[] = {"calc", "send", "recv"};
    const clump_schedule *s = r->schedule;
    size_t blocked = s->count;
    for (size_t i = 0; i < s->count && blocked == s->count; i++)
        if (r->match.state[i].needs == 0 && s->operations[i].kind == SCHEDULE_RECV &&
            r->match.state[i].waits)
            blocked = i;
    for (size_t i = 0; i < s->count && blocked == s->count; i++)
        if (r->match.state[i].needs > 0)
            blocked = i;
    const schedule_operation *o = &s->operations[blocked];
    return clump_fail(
        error, CLUMP_BAD_ARGUMENT,
        "the schedule stops with %zu of %zu operations left: the %s of rank %u in "
        "line %u waits for %s",
        s->count - (size_t)r->done, s->count, kinds[o->kind], (unsigned)o->rank, (unsigned)o->line,
        r->match.state[blocked].needs > 0 ? "operations that never end, perhaps each other"
                                          : "a message that is never sent");
}

static clump_schedule_result summary(const runner *r)
{
    clump_schedule_result result = {.messages = (double)r->messages,
                                    .events = (double)r->event_count};
    double send_busy = 0, receive_busy = 0;
    for (size_t i = 0; i < r->schedule->ranks; i++) {
        result.time_us = fmax(result.time_us, r->ends[i]);
        result.mean_end_us += r->ends[i] / (double)r->schedule->ranks;
    }
    for (size_t i = 0; i < r->net.nic_count; i++) {
        send_busy += r->net.nics[i].send_busy;
        receive_busy += r->net.nics[i].receive_busy;
    }
    if (result.time_us > 0) {
        result.nic_utilization = send_busy / (result.time_us * (double)r->net.nic_count);
        result.receive_utilization = receive_busy / (result.time_us * (double)r->net.nic_count);
    }
    return result;
}

clump_status clump_schedule_run(const clump_schedule *schedule, const clump_cluster *machine,
                                clump_schedule_result *result, clump_error *error)
{
    clump_cluster own = *machine;
    runner r;
    own.send_queue = own.receive_queue = 0;
    if (own.processors > 0)
        own.nodes = (schedule->ranks + own.processors - 1) / own.processors;
    clump_status status = clump_cluster_check(&own, "machine", error);
    if (status != CLUMP_OK)
        return status;
    if (make(&r, schedule, &own)) {
        run_all(&r);
        if (r.events.failed)
            status = clump_fail_memory(error, "the messages on their way");
        else if (r.done < schedule->count)
            status = explain_stop(&r, error);
    } else {
        status = clump_fail_memory(error, "the schedule");
    }
    if (status == CLUMP_OK)
        *result = summary(&r);
    free_runner(&r);
    return status;
}
