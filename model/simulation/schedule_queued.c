/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A schedule on a machine. An operation is ready when what it requires has happened. CPUs do what
 * is ready, first come, first served; a receive comes when its message is there as well.
 *
 * Events: a CPU has finished; the first byte of a message arrives, or, where it goes by packets, it is handed over; all of it is
 * there; a send that waits for its receive has ended. A message is known by the operation that sends it. Numbers above those of CPUs
 * are events of packets.
 *
 * With transports (MODEL.md 30) a message longer than its eager limit goes in steps, each of them a message between the same two: it is
 * announced; once it has met its receive it is answered, or fetched; it moves; its end is confirmed. What comes to a rank that is not inside of a call
 * is put off until it is.
 */
#include "model/simulation/schedule_engine.h"
#include "model/simulation/schedule_nics.h"

#include <stdlib.h>

#define NONE SCHEDULE_NONE

#define KIND SCHEDULE_NICS_KIND
#define ENDING SCHEDULE_NICS_LEFT

typedef struct cpu {
    uint32_t running;     /* operation, or NONE */
    uint32_t first, last; /* operations that are ready */
    uint32_t left;        /* operations that have not ended */
    bool computes, begun; /* it has calculations; one operation has ended */
} cpu;

/* Steps of a message with transports: the way of those with an asterisk is back to its sender. */
enum { WHOLE, ANNOUNCED, ANSWERED /* * */, MOVING, CONFIRMED /* * */ };

/* Messages that have come to a rank which is not inside of a call. */
typedef struct put_off {
    uint32_t first, last;
} put_off;

typedef struct runner {
    schedule_engine *engine;
    event_queue events;
    schedule_nics *nics;
    cpu *cpus;
    uint32_t cpu_count;
    /* With transports, else NULL. */
    const clump_mpi_transports *transports;
    uint8_t *step;     /* of messages */
    put_off *put_offs; /* of ranks */
} runner;

static void start(runner *r, uint32_t o, double now);
static void ready(runner *r, uint32_t o, double now);

static const schedule_operation *at(const runner *r, uint32_t o)
{
    return &r->engine->schedule->operations[o];
}

/* Who runs it, and who gets what it sends: tasks of a master go to whoever comes first. */
static uint32_t rank_of(const runner *r, uint32_t o)
{
    return r->engine->tasks != NULL ? schedule_tasks_rank(r->engine->tasks, o) : at(r, o)->rank;
}

static uint32_t peer_of(const runner *r, uint32_t o)
{
    return r->engine->tasks != NULL ? schedule_tasks_peer(r->engine->tasks, o) : at(r, o)->peer;
}

static uint32_t from_of(const runner *r, uint32_t m)
{
    return schedule_engine_place(r->engine, rank_of(r, m));
}

static uint32_t to_of(const runner *r, uint32_t m)
{
    return schedule_engine_place(r->engine, peer_of(r, m));
}

/* The parameters by which the message goes. */
static const clump_loggp *protocol_of(const runner *r, uint32_t m)
{
    return network_protocol(&r->engine->net, from_of(r, m), to_of(r, m));
}

/* Ready, and its message is there if it is a receive. */
static void enqueue(runner *r, uint32_t o, double now)
{
    uint32_t *next = r->engine->match.next;
    cpu *c = &r->cpus[(size_t)rank_of(r, o) * r->engine->schedule->cpus + at(r, o)->cpu];
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

static double bytes_of(const runner *r, uint32_t o)
{
    const uint64_t size = at(r, o)->size;
    return size > 0 ? (double)size : 1;
}

/* ---- steps of messages */

static const clump_mpi_transport *transport_of(const runner *r, uint32_t m)
{
    const bool local = network_is_local(&r->engine->net, from_of(r, m), to_of(r, m));
    return local ? &r->transports->local : &r->transports->remote;
}

static uint8_t step_of(const runner *r, uint32_t m)
{
    return r->step != NULL ? r->step[m] : WHOLE;
}

/* The send waits for its receive. */
static bool waits(const runner *r, uint32_t o)
{
    return r->step != NULL ? r->step[o] != WHOLE : schedule_engine_waits(r->engine, o);
}

/* The second of the two things that end such a send has happened: its CPU is done with it, and its message has met its receive, or was taken over. */
static bool meets(runner *r, uint32_t o)
{
    const uint8_t before = r->engine->match.state[o];
    if (waits(r, o))
        r->engine->match.state[o] |= SCHEDULE_END;
    return (before & (SCHEDULE_END | SCHEDULE_LET_GO)) == SCHEDULE_END && waits(r, o);
}

/* A step of the message begins: it is a message by itself. */
static void begin_step(runner *r, uint32_t m, uint8_t step, double ready)
{
    const uint32_t from = from_of(r, m), to = to_of(r, m);
    const bool back = step == ANSWERED || step == CONFIRMED;
    r->step[m] = step;
    schedule_nics_send(r->nics, m, back ? to : from, back ? from : to,
                       step == MOVING ? bytes_of(r, m) : 0, ready);
}

/* Whoever handles a message of the library answers it. */
static double handled(const runner *r, uint32_t m, double now)
{
    const clump_loggp *p = protocol_of(r, m);
    return now + p->receive_overhead_us + p->send_overhead_us;
}

/* An announced message has met its receive, and is answered at `then`. */
static void accept(runner *r, uint32_t m, uint32_t receive, double then)
{
    const clump_mpi_transport *t = transport_of(r, m);
    r->engine->match.order[m] = receive;
    begin_step(r, m, t->sender_moves || !t->local ? ANSWERED : MOVING, then);
}

/* A receive has its message: a send by rendezvous ends. That is an event, because one may let the
 * next end, and so on through the whole schedule. */
static void meet(runner *r, uint32_t m, double now)
{
    if (r->step == NULL && schedule_engine_meets(r->engine, m))
        event_queue_add(&r->events, now, ENDING | m);
}

static void ready(runner *r, uint32_t o, double now)
{
    if (at(r, o)->kind == SCHEDULE_RECV) {
        const uint32_t m = schedule_match_receive(&r->engine->match, o);
        if (m == NONE)
            return;
        if (step_of(r, m) == ANNOUNCED) {
            accept(r, m, o, now); /* by the call that posts the receive, before it goes on */
            return;
        }
        meet(r, m, now);
    }
    enqueue(r, o, now);
}

static void deliver(runner *r, uint32_t m, double now)
{
    const uint32_t receive = schedule_match_message(&r->engine->match, m);
    if (receive == NONE)
        return;
    if (step_of(r, m) == ANNOUNCED) {
        accept(r, m, receive, handled(r, m, now));
        return;
    }
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
    schedule_engine_ends(r->engine, rank_of(r, o), now);
    end(r, o, now);
}

static void start(runner *r, uint32_t o, double now)
{
    schedule_engine *e = r->engine;
    const schedule_operation *op = at(r, o);
    const uint32_t number = rank_of(r, o) * e->schedule->cpus + op->cpu;
    double length;
    r->cpus[number].running = o;
    if (op->kind == SCHEDULE_SEND) {
        const double bytes = bytes_of(r, o);
        const uint32_t task =
            e->tasks != NULL ? schedule_tasks_hand_out(e->tasks, &e->match, o) : NONE;
        const double there = now + protocol_of(r, o)->send_overhead_us;
        if (task != NONE && schedule_match_needs_less(&e->match, task))
            ready(r, task, now);
        length = there - now + (bytes - 1) * e->overhead_per_byte;
        e->messages++;
        if (r->step != NULL && op->size > transport_of(r, o)->eager_most)
            begin_step(r, o, ANNOUNCED, there);
        else
            schedule_nics_send(r->nics, o, from_of(r, o), to_of(r, o), bytes, there);
    } else if (op->kind == SCHEDULE_RECV) {
        const uint32_t m = e->match.order[o];
        length =
            protocol_of(r, m)->receive_overhead_us + (bytes_of(r, m) - 1) * e->overhead_per_byte;
    } else {
        length = (double)op->size * e->net.machine->memory_penalty;
    }
    event_queue_add(&r->events, now + length, number);
    release(r, o, true, now);
}

/* ---- ranks that are inside of calls */

/*
 * A thread of the rank waits, or takes a message: messages of the library go on. What begins something that does not block is no such call. CPUs
 * that never compute are no threads: by them ranks answer what others ask of them.
 */
static bool is_inside(const runner *r, uint32_t rank)
{
    const unsigned cpus = r->engine->schedule->cpus;
    const cpu *c = &r->cpus[(size_t)rank * cpus];
    for (unsigned k = 0; k < cpus; k++)
        if ((k == 0 || (c[k].computes && c[k].begun && c[k].left > 0)) &&
            (c[k].running == NONE || at(r, c[k].running)->kind == SCHEDULE_RECV))
            return true;
    return false;
}

/* A step has come to its rank, which is inside of a call. */
static void handle(runner *r, uint32_t m, double now)
{
    const clump_mpi_transport *t = transport_of(r, m);
    switch (r->step[m]) {
    case ANSWERED:
        begin_step(r, m, MOVING, t->sender_moves ? handled(r, m, now) : now);
        break;
    case MOVING:
        enqueue(r, r->engine->match.order[m], now);
        if (t->confirms)
            begin_step(r, m, CONFIRMED, now); /* before the rank goes on */
        break;
    case CONFIRMED:
        if (meets(r, m))
            end_send(r, m, now);
        break;
    default:
        deliver(r, m, now);
    }
}

/* All of it is there. */
static void come(runner *r, uint32_t m, double now)
{
    if (r->step == NULL) {
        deliver(r, m, now);
        return;
    }
    const bool back = r->step[m] == ANSWERED || r->step[m] == CONFIRMED;
    const uint32_t rank = back ? rank_of(r, m) : peer_of(r, m);
    const clump_mpi_transport *t = transport_of(r, m);
    const bool nobody = t->hardware || (r->step[m] == ANSWERED && !t->sender_moves); /* is asked */
    if (nobody || is_inside(r, rank)) {
        handle(r, m, now);
        return;
    }
    put_off *p = &r->put_offs[rank];
    uint32_t *next = r->engine->match.next;
    next[m] = NONE;
    if (p->first == NONE)
        p->first = m;
    else
        next[p->last] = m;
    p->last = m;
}

/* The rank enters a call that waits, or `tests`: all that has come is handled, though some of it may be what it waits for. */
static void attend(runner *r, uint32_t rank, bool tests, double now)
{
    put_off *p = &r->put_offs[rank];
    const bool inside = p->first != NONE && (tests || is_inside(r, rank));
    while (inside && p->first != NONE) {
        const uint32_t m = p->first;
        p->first = r->engine->match.next[m];
        handle(r, m, now);
    }
}

static void finish(runner *r, uint32_t index, double now)
{
    cpu *c = &r->cpus[index];
    schedule_engine *e = r->engine;
    const uint32_t o = c->running;
    c->running = NONE;
    c->left--;
    c->begun = true;
    schedule_engine_ends(e, rank_of(r, o), now);
    if (c->first != NONE) { /* what is ready longest goes first, before what becomes ready now */
        const uint32_t next = c->first;
        c->first = e->match.next[next];
        start(r, next, now);
    }
    if (!waits(r, o))
        end(r, o, now);
    else if (r->step != NULL ? meets(r, o) : schedule_engine_meets(e, o))
        end_send(r, o, now);
    if (r->step != NULL)
        attend(r, rank_of(r, o), at(r, o)->kind == SCHEDULE_CALC && at(r, o)->size == 0, now);
}

static void arrive(runner *r, uint32_t m, double now)
{
    const uint8_t step = step_of(r, m);
    const uint32_t from = from_of(r, m), to = to_of(r, m);
    const bool back = step == ANSWERED || step == CONFIRMED, short_one = back || step == ANNOUNCED;
    const clump_mpi_transport *t = step == MOVING ? transport_of(r, m) : NULL;
    if (schedule_nics_arrive(r->nics, m, back ? to : from, back ? from : to,
                             short_one ? 0 : bytes_of(r, m),
                             t != NULL && !t->confirms ? (double)t->buffer : -1, now))
        come(r, m, now);
}

/* The rest of it is the operating system's, or its receive was met. */
static void leave(runner *r, uint32_t m, double now)
{
    if (r->step == NULL || meets(r, m))
        end_send(r, m, now);
}

static void happen(runner *r, const event_entry *event)
{
    const uint32_t kind = event->id & KIND, id = event->id & ~KIND;
    if (kind == SCHEDULE_NICS_ARRIVAL)
        arrive(r, id, event->time);
    else if (kind == SCHEDULE_NICS_DELIVERY) {
        if (schedule_nics_complete(r->nics, id))
            come(r, id, event->time);
    } else if (kind == ENDING)
        leave(r, id, event->time);
    else if (id < r->cpu_count)
        finish(r, id, event->time);
    else
        schedule_nics_go_on(r->nics, id, event->time);
}

/*
 * Nothing goes on any more. A master that has taken another's result than in the recording may wait, by what is not a task, for a worker whose own
 * result waits for the master: sends that nobody receives end, as if they were eager. So all ends that did when it was recorded.
 */
static bool let_go(runner *r, double now)
{
    const uint64_t done = r->engine->done;
    for (uint32_t o = 0; r->engine->tasks != NULL && o < r->engine->schedule->count; o++) {
        uint8_t *state = &r->engine->match.state[o];
        if (step_of(r, o) != ANNOUNCED || (*state & ~SCHEDULE_WAITS) != SCHEDULE_END)
            continue;
        *state |= SCHEDULE_LET_GO;
        end_send(r, o, now);
    }
    return r->engine->done > done;
}

static void run_all(runner *r)
{
    const clump_schedule *s = r->engine->schedule;
    event_entry event = {.time = 0};
    for (uint32_t o = 0; o < s->count && !r->events.failed; o++)
        if (schedule_needs(s, o) == 0)
            ready(r, o, 0);
    do {
        while (!r->events.failed && event_queue_take(&r->events, &event)) {
            if (!schedule_engine_goes_on(r->engine))
                return;
            happen(r, &event);
        }
    } while (!r->events.failed && let_go(r, event.time));
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
    r.nics = schedule_nics_new(
        rules, rules->window_bytes > 0 || rules->nic_turns > 0 ? longest_message(s) : 1,
        &engine->net, &r.events, r.cpu_count, s->count);
    bool made = r.nics != NULL && r.cpus != NULL;
    if (rules->transports != NULL) {
        r.transports = rules->transports;
        r.step = calloc(s->count + 1, sizeof *r.step);
        r.put_offs = malloc(s->ranks * sizeof *r.put_offs);
        made = made && r.step != NULL && r.put_offs != NULL;
    }
    for (size_t i = 0; made && i < cpus; i++)
        r.cpus[i] = (cpu){.running = NONE, .first = NONE, .last = NONE};
    for (size_t i = 0; made && r.step != NULL && i < s->ranks; i++)
        r.put_offs[i] = (put_off){NONE, NONE};
    for (uint32_t o = 0; made && o < s->count; o++) {
        cpu *c = &r.cpus[(size_t)s->operations[o].rank * s->cpus + s->operations[o].cpu];
        c->left++;
        c->computes = c->computes || s->operations[o].kind == SCHEDULE_CALC;
    }
    if (made)
        run_all(&r);
    const bool done = made && !r.events.failed;
    schedule_nics_free(r.nics);
    event_queue_release(&r.events);
    free(r.cpus);
    free(r.step);
    free(r.put_offs);
    return done;
}
