/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A schedule by the conventions of LogGOPSim (CLUMP_SCHEDULE_LOGGOPSIM), so that what happens at
 * the same time happens in its order, too.
 *
 * Calculations, sends and messages that arrive are jobs of a CPU. A job gets a number when it is
 * known of: a message when its send begins, an operation when the last one that it requires begins.
 * It is done at the earliest time at which its CPU, and its NIC if it has to do with one, are free;
 * of several at the same time, on whatever CPUs, the lowest number goes first. Receives are no
 * jobs: they have numbers, and wait for a message from their time on.
 *
 * LogGOPSim tries each job again whenever its CPU was taken by another one, which makes many jobs
 * of one CPU quadratic. Here the jobs of a CPU that need the same NIC wait in a list by number, and
 * only the first of them tries. They mostly come in the order of their numbers.
 *
 * Unlike LogGOPSim an operation on another CPU of its rank does not begin before what it requires
 * has ended, a CPU's time never goes back (of messages of 0 bytes), and operations that are known
 * of at the same time keep their order even where they are more than 16.
 */
#include "model/simulation/schedule_engine.h"

#include <math.h>
#include <stdlib.h>

#define NONE SCHEDULE_NONE

/* ---- events, by time and then by number */

typedef struct try_event {
    double time;
    uint32_t number;
    uint32_t job;
} try_event;

typedef struct try_queue {
    try_event *heap;
    size_t count, room;
    bool failed; /* memory ran out */
} try_queue;

static bool is_before(const try_event *a, const try_event *b)
{
    return a->time < b->time || (a->time == b->time && a->number < b->number);
}

static void add_event(try_queue *q, try_event event)
{
    if (q->count == q->room) {
        const size_t room = q->room > 0 ? 2 * q->room : 256;
        try_event *larger = realloc(q->heap, room * sizeof *larger);
        if (larger == NULL) {
            q->failed = true;
            return;
        }
        q->heap = larger;
        q->room = room;
    }
    size_t hole = q->count++;
    for (size_t parent = (hole - 1) / 2; hole > 0 && is_before(&event, &q->heap[parent]);
         parent = (hole - 1) / 2) {
        q->heap[hole] = q->heap[parent];
        hole = parent;
    }
    q->heap[hole] = event;
}

static bool take_event(try_queue *q, try_event *first)
{
    if (q->count == 0)
        return false;
    *first = q->heap[0];
    const try_event last = q->heap[--q->count];
    size_t hole = 0;
    for (size_t child = 1; child < q->count; child = 2 * hole + 1) {
        child += child + 1 < q->count && is_before(&q->heap[child + 1], &q->heap[child]);
        if (!is_before(&q->heap[child], &last))
            break;
        q->heap[hole] = q->heap[child];
        hole = child;
    }
    q->heap[hole] = last;
    return true;
}

/* ---- jobs */

static const uint32_t MESSAGE = UINT32_C(1) << 31; /* of a job: what was sent, not the sending */

/* What jobs of a CPU wait for besides the CPU. */
enum { NOTHING, SEND_NETWORK, SEND_LOCAL, RECEIVE_NETWORK, RECEIVE_LOCAL, KINDS };

typedef struct cpu {
    double free_at;
    uint32_t first[KINDS], last[KINDS]; /* of the jobs that wait: operations, by number */
} cpu;

/* An operation is one job at a time: the sending first, then what was sent. */
typedef struct job {
    double from;     /* when it may begin; of a message, when its sender's CPU was done with it */
    double taken_in; /* of a message: until when the receiver's CPU is busy with it */
    uint32_t number, next;
    bool waits, tries; /* it is in a list of its CPU; there is an event for it */
} job;

typedef struct runner {
    schedule_engine *engine;
    try_queue events;
    cpu *cpus;
    job *jobs;                  /* by operation */
    uint32_t known, last_known; /* operations that the event in hand has let become known: a list */
    uint32_t numbers;
} runner;

static const schedule_operation *operation(const runner *r, uint32_t o)
{
    return &r->engine->schedule->operations[o];
}

static void wait_in_list(const runner *r, cpu *c, int kind, uint32_t o)
{
    job *jobs = r->jobs;
    uint32_t *place = &c->first[kind];
    if (*place != NONE && jobs[c->last[kind]].number < jobs[o].number)
        place = &jobs[c->last[kind]].next;
    while (*place != NONE && jobs[*place].number < jobs[o].number)
        place = &jobs[*place].next;
    jobs[o].next = *place;
    jobs[o].waits = true;
    *place = o;
    if (jobs[o].next == NONE)
        c->last[kind] = o;
}

/* The CPU of an operation; of a message that of the same number at its receiver. */
static cpu *cpu_of(const runner *r, uint32_t id)
{
    const schedule_operation *o = operation(r, id & ~MESSAGE);
    const uint32_t rank = (id & MESSAGE) != 0 ? o->peer : o->rank;
    return &r->cpus[(size_t)rank * r->engine->schedule->cpus + o->cpu];
}

static uint32_t place_of(const runner *r, uint32_t rank)
{
    return schedule_engine_place(r->engine, rank);
}

static int kind_of(const runner *r, uint32_t id)
{
    const schedule_operation *o = operation(r, id & ~MESSAGE);
    if (o->kind == SCHEDULE_CALC)
        return NOTHING;
    const bool local =
        network_is_local(&r->engine->net, place_of(r, o->rank), place_of(r, o->peer));
    if ((id & MESSAGE) != 0)
        return local ? RECEIVE_LOCAL : RECEIVE_NETWORK;
    return local ? SEND_LOCAL : SEND_NETWORK;
}

static void try_at(runner *r, uint32_t id, double time)
{
    job *j = &r->jobs[id & ~MESSAGE];
    j->tries = true;
    add_event(&r->events, (try_event){time, j->number, id});
}

/* ---- operations become known */

static void make_known(runner *r, uint32_t o)
{
    r->jobs[o].number = r->numbers++;
    try_at(r, o, fmax(r->jobs[o].from, cpu_of(r, o)->free_at));
}

static const schedule_kind kinds_in_order[] = {SCHEDULE_SEND, SCHEDULE_RECV, SCHEDULE_CALC};
enum { KINDS_IN_ORDER = sizeof kinds_in_order / sizeof kinds_in_order[0] };

/* Those that require nothing, rank by rank. */
static void make_first_known(runner *r)
{
    const clump_schedule *s = r->engine->schedule;
    for (uint32_t first = 0, end; first < s->count; first = end) {
        for (end = first; end < s->count && operation(r, end)->rank == operation(r, first)->rank;)
            end++;
        for (int k = 0; k < KINDS_IN_ORDER; k++)
            for (uint32_t o = first; o < end; o++)
                if (schedule_needs(s, o) == 0 && operation(r, o)->kind == kinds_in_order[k])
                    make_known(r, o);
    }
}

/* Those of one event: the lower rank first, if it is about two. */
static void make_all_known(runner *r)
{
    uint32_t low = UINT32_MAX, high = 0;
    for (uint32_t o = r->known; o != NONE; o = r->jobs[o].next) {
        const uint32_t rank = operation(r, o)->rank;
        low = rank < low ? rank : low;
        high = rank > high ? rank : high;
    }
    for (int pass = 0; pass < (low < high ? 2 : 1); pass++)
        for (int k = 0; k < KINDS_IN_ORDER; k++)
            for (uint32_t o = r->known; o != NONE; o = r->jobs[o].next)
                if (operation(r, o)->rank == (pass == 0 ? low : high) &&
                    operation(r, o)->kind == kinds_in_order[k])
                    make_known(r, o);
    r->known = NONE;
}

static void note_known(runner *r, uint32_t o)
{
    r->jobs[o].next = NONE;
    if (r->known == NONE)
        r->known = o;
    else
        r->jobs[r->last_known].next = o;
    r->last_known = o;
}

/* What requires the start of the operation, or its end, which is at `when`. */
static void release(runner *r, uint32_t o, bool at_start, double when)
{
    const clump_schedule *s = r->engine->schedule;
    if (s->edges == NULL || (at_start && !s->at_start))
        return;
    for (uint32_t e = s->first_edge[o]; e < s->first_edge[o + 1]; e++) {
        const uint32_t later = s->edges[e] & ~SCHEDULE_AT_START;
        if (((s->edges[e] & SCHEDULE_AT_START) != 0) != at_start)
            continue;
        r->jobs[later].from = fmax(r->jobs[later].from, when);
        if (schedule_match_needs_less(&r->engine->match, later))
            note_known(r, later);
    }
}

static void end(runner *r, uint32_t o, double when)
{
    r->engine->done++;
    release(r, o, false, when);
}

/* A rank is busy until then. */
static void keep_busy(runner *r, uint32_t rank, cpu *c, double until)
{
    c->free_at = fmax(c->free_at, until);
    schedule_engine_ends(r->engine, rank, until);
}

/* ---- what begins */

static void calculate(runner *r, uint32_t o, double now)
{
    const schedule_operation *op = operation(r, o);
    cpu *c = cpu_of(r, o);
    keep_busy(r, op->rank, c, now + (double)op->size * r->engine->net.machine->memory_penalty);
    release(r, o, true, now);
    end(r, o, c->free_at);
}

/* As many bytes as are sent; of none fewer than none would be, if the NIC took less than no time. */
static double bytes_of(const runner *r, const schedule_operation *o)
{
    const clump_loggp *p = schedule_engine_protocol(r->engine, o);
    if (o->size == 0 && p->gap_us_per_byte > p->gap_us)
        return 1 - p->gap_us / p->gap_us_per_byte;
    return (double)o->size;
}

static void begin_send(runner *r, uint32_t o, double now)
{
    schedule_engine *e = r->engine;
    const schedule_operation *op = operation(r, o);
    const double overhead = schedule_engine_protocol(e, op)->send_overhead_us;
    const double bytes = bytes_of(r, op);
    cpu *c = cpu_of(r, o);
    job *j = &r->jobs[o];
    const double first_byte =
        network_send(&e->net, place_of(r, op->rank), place_of(r, op->peer), bytes, now) + overhead;
    keep_busy(r, op->rank, c, now + overhead + ((double)op->size - 1) * e->overhead_per_byte);
    e->messages++;
    j->from = c->free_at;
    j->number = r->numbers++;
    try_at(r, o | MESSAGE, fmax(first_byte, now));
    release(r, o, true, now);
    if (!schedule_engine_waits(e, o))
        end(r, o, c->free_at);
}

/* How long a CPU is busy with all bytes of a message but the first: G or O of each, whichever is
 * longer. Of 0 bytes, where both are below zero, a 0 counts as less than that: LogGOPSim compares
 * numbers without a sign. */
static double taking_in(const schedule_operation *m, double gaps, double overheads)
{
    return m->size > 0 || (gaps < 0 && overheads < 0) ? fmax(gaps, overheads) : gaps + overheads;
}

/* A message has met a receive, which ends at `when`; by rendezvous its send ends now. */
static void meet(runner *r, uint32_t m, uint32_t receive, double now, double when)
{
    if (schedule_engine_waits(r->engine, m)) {
        schedule_engine_ends(r->engine, operation(r, m)->rank, now);
        end(r, m, fmax(now, r->jobs[m].from));
    }
    end(r, receive, when);
}

static void take_in(runner *r, uint32_t m, double now)
{
    schedule_engine *e = r->engine;
    const schedule_operation *op = operation(r, m);
    const double overhead = schedule_engine_protocol(e, op)->receive_overhead_us;
    cpu *c = cpu_of(r, m | MESSAGE);
    const double there = network_receive(&e->net, place_of(r, op->rank), place_of(r, op->peer),
                                         bytes_of(r, op), now);
    keep_busy(r, op->peer, c,
              now + overhead +
                  taking_in(op, there - now, ((double)op->size - 1) * e->overhead_per_byte));
    r->jobs[m].taken_in = c->free_at;
    const uint32_t receive = schedule_match_message(&e->match, m);
    if (receive != NONE)
        meet(r, m, receive, now, c->free_at);
}

static void begin_receive(runner *r, uint32_t o, double now)
{
    release(r, o, true, now);
    const uint32_t m = schedule_match_receive(&r->engine->match, o);
    if (m != NONE)
        meet(r, m, o, now, fmax(now, r->jobs[m].taken_in));
}

/* ---- events */

/* When the first job of a heap can begin, as far as can be seen now. */
static double earliest(const runner *r, const cpu *c, uint32_t id, double now)
{
    const schedule_operation *o = operation(r, id & ~MESSAGE);
    now = fmax(now, c->free_at);
    return o->kind == SCHEDULE_CALC
               ? now
               : network_begin(&r->engine->net, place_of(r, o->rank), place_of(r, o->peer),
                               bytes_of(r, o), now, (id & MESSAGE) == 0);
}

static void begin(runner *r, uint32_t id, double now)
{
    if ((id & MESSAGE) != 0)
        take_in(r, id & ~MESSAGE, now);
    else if (operation(r, id)->kind == SCHEDULE_CALC)
        calculate(r, id, now);
    else
        begin_send(r, id, now);
}

static void try_job(runner *r, uint32_t id, double now)
{
    const uint32_t o = id & ~MESSAGE;
    const int kind = kind_of(r, id);
    cpu *c = cpu_of(r, id);
    r->jobs[o].tries = false;
    if (!r->jobs[o].waits)
        wait_in_list(r, c, kind, o);
    if (c->first[kind] != o)
        return;
    const double time = earliest(r, c, id, now);
    if (time > now) {
        try_at(r, id, time);
        return;
    }
    c->first[kind] = r->jobs[o].next;
    r->jobs[o].waits = false;
    begin(r, id, now);
    if (c->first[kind] != NONE && !r->jobs[c->first[kind]].tries) {
        const uint32_t next = c->first[kind] | (id & MESSAGE);
        try_at(r, next, earliest(r, c, next, now));
    }
}

static void run_all(runner *r)
{
    try_event event;
    make_first_known(r);
    while (!r->events.failed && take_event(&r->events, &event)) {
        if (!schedule_engine_goes_on(r->engine))
            break;
        if ((event.job & MESSAGE) == 0 && operation(r, event.job)->kind == SCHEDULE_RECV)
            begin_receive(r, event.job, event.time);
        else
            try_job(r, event.job, event.time);
        make_all_known(r);
    }
}

bool schedule_run_loggopsim(schedule_engine *engine)
{
    const clump_schedule *s = engine->schedule;
    const size_t cpus = s->ranks * s->cpus;
    runner r = {.engine = engine,
                .known = NONE,
                .cpus = malloc(cpus * sizeof *r.cpus),
                .jobs = calloc(s->count + 1, sizeof *r.jobs)};
    const bool made = r.cpus != NULL && r.jobs != NULL;
    for (size_t i = 0; made && i < cpus; i++)
        r.cpus[i] = (cpu){0, {NONE, NONE, NONE, NONE, NONE}, {NONE}};
    if (made)
        run_all(&r);
    const bool done = made && !r.events.failed;
    free(r.events.heap);
    free(r.cpus);
    free(r.jobs);
    return done;
}
