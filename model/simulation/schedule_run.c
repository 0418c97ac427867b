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
#include "model/simulation/schedule_operations.h"

#include <math.h>
#include <stdlib.h>

#define NONE SCHEDULE_NONE

/* ---- messages find their receives: by source and tag, first come, first served. A message is
 * known by the operation that sends it. */

/** What happens to an operation. */
typedef struct schedule_progress {
    uint32_t needs; /* requirements that are left */
    uint32_t next;  /* in the queue of a CPU, or of messages or receives that wait */
    uint32_t order; /* receives: when it was posted; once it has its message, who sent that */
    bool matched;   /* done with, as far as matching goes */
    bool waits;     /* a receive, for its message */
} schedule_progress;

/** Receives that wait for a message, or messages that wait for a receive: operations in order. */
typedef struct schedule_channel_queue {
    uint32_t first, last;
    bool receives;
} schedule_channel_queue;

/** Of a rank, where there are receives from any source or with any tag: all messages without a
 * receive, and all such receives without a message, in order. */
typedef struct schedule_any_lists {
    uint32_t first_message, last_message;
    uint32_t first_receive, last_receive;
} schedule_any_lists;

typedef struct schedule_match {
    const clump_schedule *schedule;
    schedule_progress *state; /**< of each operation */
    schedule_channel_queue *channels;
    uint32_t *other_next; /**< of the lists for any; NULL without wildcards */
    schedule_any_lists *any;
    uint32_t posted;
} schedule_match;

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

/** A receive is ready: is its message there? It then knows who sent it. */
static bool schedule_match_receive(schedule_match *r, uint32_t o)
{
    const schedule_operation *all = r->schedule->operations, *receive = &all[o];
    r->state[o].order = r->posted++;
    r->state[o].waits = true;
    if (!is_any(receive)) {
        channel_queue *queue = &r->channels[receive->channel];
        if (queue->first == NONE || queue->receives) {
            push(r, o, true);
            return false;
        }
        r->state[pop(r, queue)].matched = true;
        r->state[o].order = receive->peer;
        return true;
    }
    any_lists *any = &r->any[receive->rank];
    trim(r, &any->first_message);
    for (uint32_t m = any->first_message; m != NONE; m = r->other_next[m])
        if (!r->state[m].matched && accepts(receive, &all[m])) {
            r->state[m].matched = true;
            take_out(r, m);
            r->state[o].order = all[m].rank;
            return true;
        }
    append_any(r, &any->first_receive, &any->last_receive, o);
    return false;
}

/** A message is there: the earliest receive that accepts it, or SCHEDULE_NONE. */
static uint32_t schedule_match_message(schedule_match *r, uint32_t m)
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
                    r->state[o].order = message->rank;
                    return o;
                }
                break;
            }
    }
    if (receive != NONE) {
        pop(r, queue);
        r->state[receive].order = message->rank;
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

/** All zero but for the queues, which are empty; false without memory. Release it in any case. */
static bool schedule_match_make(schedule_match *r, const clump_schedule *s)
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

static void schedule_match_release(schedule_match *r)
{
    free(r->channels);
    free(r->state);
    free(r->other_next);
    free(r->any);
}

/* ---- CPUs and events */

static const uint32_t ARRIVAL = UINT32_C(1) << 30, DELIVERY = UINT32_C(2) << 30,
                      KIND = UINT32_C(3) << 30;
static const double us_per_ns = 1e-3;

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
