/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "protocols/virtual/virtual_team.h"

#include "protocols/virtual/calendar.h"
#include "protocols/virtual/fiber.h"
#include "protocols/virtual/time_sharing.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    NETWORK_CREDITS = 16,
    MEMORY_CREDITS = 4096,
    STACK_BYTES = 256 * 1024,
    WATCH_EVERY = 16384 /* events */
};

static const uint32_t NOBODY = UINT32_MAX;

/* What happens. TURN: a member goes on. DEPART, ARRIVE: a message is at the sending and the receiving
 * NIC (or port). DELIVER: all of it is in the receiver's queue. TIMER: a process that shares processors
 * has run for as long as it could or wanted to. */
enum { TURN, DEPART, ARRIVE, DELIVER, TIMER };
/* States of a member. The last four only where processors are shared: it computes, or looks for a
 * message (with a processor), or is without one, asleep or not. */
enum { WAITS, RUNS, DONE, COMPUTES, LOOKS, SLEEPS, READY };
enum { COMPUTE, SEND, RECEIVE, WAIT, PARTS };
enum { MEMORY, NETWORK, PROTOCOLS }; /* what brings a message */

/* A message under way, or a free place for one. */
typedef struct slot {
    uint32_t next; /* in a queue, or among the free ones */
    uint32_t from, to;
    uint32_t arguments[CLUMP_MESSAGE_ARGUMENTS];
    uint8_t count, handler;
    bool reply;
    size_t size;
    unsigned char *data; /* owned */
} slot;

/* Messages in the order of their arrival. */
typedef struct fifo {
    uint32_t first, last;
} fifo;

struct clump_virtual_member {
    struct team *team;
    clump_fiber *fiber;
    uint64_t clock_ps;
    uint64_t parts_ps[PARTS];
    fifo replies[PROTOCOLS], requests[PROTOCOLS];
    clump_polling polling;
    uint16_t *outstanding; /* requests to each rank that are not answered */
    uint32_t rank, node;   /* rank among all jobs */
    uint32_t first;        /* rank of its job's first */
    uint32_t senders[2]; /* who sent to its queue last, of the same node: of requests, of replies */
    uint32_t answering;  /* rank whose request is being handled; NOBODY: none, or it was answered */
    int state;
    uint64_t since_ps, timer_ps; /* when it began to compute or to look; until when, at most */
    uint64_t used_ps;            /* of its slice, not yet told to the schedule */
    bool timed;
    bool idle; /* it waits for a message, and none has come */
};

/* One of those that only compute, as a process that shares processors. */
typedef struct loner {
    uint64_t since_ps, timer_ps;
    bool runs;
} loner;

/* A NIC, or the port of a processor to its node's memory: when each direction is free again. */
typedef struct port {
    uint64_t send_free_ps, receive_free_ps, bus_free_ps;
    uint64_t send_busy_ps, receive_busy_ps;
} port;

typedef struct costs {
    uint64_t latency_ps, send_ps, receive_ps, gap_ps;
    double byte_ps;
} costs;

typedef struct team {
    const clump_virtual_team_options *options;
    clump_virtual_team_result *result;
    uint32_t count, left; /* members; of them not done */
    clump_virtual_member *members;
    port *nics, *ports;
    costs network, memory;
    uint64_t memory_poll_ps, network_poll_ps, moved_ps;
    clump_time_sharing *schedule; /* NULL: each process has its processor */
    loner *loners;
    uint64_t yield_ps;
    uint32_t under_way, busy; /* messages; members that neither wait for one nor are done */
    clump_calendar calendar;
    clump_fiber *thread;
    slot *slots;
    uint32_t slot_room, slot_count, free_slot;
    uint64_t events;
    clump_protocol_status status;
} team;

static uint64_t ps(double us)
{
    return (uint64_t)llround(us * 1e6);
}

/* ---- queues and slots */

static void append(team *t, fifo *q, uint32_t place)
{
    t->slots[place].next = NOBODY;
    if (q->first == NOBODY)
        q->first = place;
    else
        t->slots[q->last].next = place;
    q->last = place;
}

static uint32_t take_first(team *t, fifo *q)
{
    const uint32_t place = q->first;
    if (place != NOBODY)
        q->first = t->slots[place].next;
    return place;
}

/* A free place; NOBODY: no memory. Pointers to slots do not outlive this. */
static uint32_t take_slot(team *t)
{
    const uint32_t place = t->free_slot;
    if (place != NOBODY) {
        t->free_slot = t->slots[place].next;
        return place;
    }
    if (t->slot_count == t->slot_room) {
        const uint32_t room = t->slot_room > 0 ? 2 * t->slot_room : 1024;
        slot *larger = room > t->slot_room ? realloc(t->slots, room * sizeof *larger) : NULL;
        if (larger == NULL)
            return NOBODY;
        t->slots = larger;
        t->slot_room = room;
    }
    return t->slot_count++;
}

static void free_slot(team *t, uint32_t place)
{
    free(t->slots[place].data);
    t->slots[place].data = NULL;
    t->slots[place].next = t->free_slot;
    t->free_slot = place;
}

/* ---- the end, good or bad */

/* Back to the thread, for ever. */
static _Noreturn void leave(clump_virtual_member *m)
{
    for (;;)
        clump_fiber_switch(m->fiber, m->team->thread);
}

static _Noreturn void fail(clump_virtual_member *m, clump_protocol_status status,
                           const char *reason)
{
    m->team->status = status;
    snprintf(m->team->result->message, sizeof m->team->result->message, "%s", reason);
    leave(m);
}

void clump_virtual_member_fail(clump_virtual_member *m, const char *reason)
{
    char text[CLUMP_VIRTUAL_TEAM_MESSAGE];
    snprintf(text, sizeof text, "process %u of %u: %.200s", m->rank + 1, m->team->count, reason);
    fail(m, CLUMP_PROTOCOL_FAILED, text);
}

/* ---- NICs */

static const costs *costs_between(const team *t, const slot *s)
{
    return t->members[s->from].node == t->members[s->to].node ? &t->memory : &t->network;
}

/* The NIC that a rank's message takes, on the side of its node: that is free first, or its own. */
static port *port_of(team *t, const slot *s, uint32_t rank, bool sends)
{
    const clump_virtual_team_options *o = t->options;
    if (t->members[s->from].node == t->members[s->to].node)
        return &t->ports[rank];
    port *nics = &t->nics[(size_t)t->members[rank].node * o->nics];
    if (!o->pooled)
        return &nics[(uint64_t)(rank % o->processors) * o->nics / o->processors];
    port *best = nics;
    for (uint32_t i = 1; i < o->nics; i++)
        if (sends ? nics[i].send_free_ps < best->send_free_ps
                  : nics[i].receive_free_ps < best->receive_free_ps)
            best = &nics[i];
    return best;
}

static uint64_t bytes_ps(const costs *c, const slot *s)
{
    return s->size > 1 ? (uint64_t)llround((double)(s->size - 1) * c->byte_ps) : 0;
}

/* One direction of a port is taken from the time that it is free. @return when it begins */
static uint64_t take_port(const team *t, port *p, bool sends, const costs *c, uint64_t data_ps)
{
    uint64_t *free_ps = sends ? &p->send_free_ps : &p->receive_free_ps;
    uint64_t begin = t->calendar.now_ps > *free_ps ? t->calendar.now_ps : *free_ps;
    if (t->options->half_duplex && data_ps > 0) {
        if (begin < p->bus_free_ps)
            begin = p->bus_free_ps;
        p->bus_free_ps = begin + data_ps;
    }
    *free_ps = begin + c->gap_ps + data_ps;
    *(sends ? &p->send_busy_ps : &p->receive_busy_ps) += c->gap_ps + data_ps;
    return begin;
}

static void add_event(team *t, uint64_t time_ps, uint32_t kind, uint32_t value)
{
    clump_calendar_add(&t->calendar,
                       (clump_event){.time_ps = time_ps, .kind = kind, .value = value});
}

/* ---- processes that share processors */

/* What it has done with its processor until now. */
static void stop(clump_virtual_member *m, uint64_t now_ps)
{
    const uint64_t ran_ps = now_ps - m->since_ps;
    const bool computed = m->state == COMPUTES;
    m->parts_ps[computed ? COMPUTE : WAIT] += ran_ps;
    m->clock_ps = now_ps;
    m->timed = false;
    clump_time_sharing_use(m->team->schedule, m->rank, ran_ps, computed ? ran_ps : 0);
}

static void stop_loner(team *t, uint32_t place, uint64_t now_ps)
{
    loner *l = &t->loners[place];
    clump_time_sharing_use(t->schedule, t->count + place, now_ps - l->since_ps,
                           now_ps - l->since_ps);
    l->since_ps = now_ps;
    l->runs = false;
}

static void run_loner(team *t, uint32_t place, uint64_t from_ps)
{
    loner *l = &t->loners[place];
    const uint32_t process = t->count + place;
    *l = (loner){.since_ps = from_ps,
                 .timer_ps = from_ps + clump_time_sharing_left(t->schedule, process),
                 .runs = true};
    add_event(t, l->timer_ps, TIMER, process);
}

static bool may_stop(void *context, uint32_t process)
{
    const team *t = context;
    if (process >= t->count)
        return t->loners[process - t->count].since_ps <= t->calendar.now_ps;
    return t->members[process].state == COMPUTES || t->members[process].state == LOOKS;
}

/* Whoever can run now does. */
static void assign_processors(team *t, uint64_t now_ps)
{
    clump_time_sharing_start start;
    while (clump_time_sharing_next(t->schedule, now_ps, may_stop, t, &start)) {
        if (start.instead < t->count) {
            stop(&t->members[start.instead], now_ps);
            t->members[start.instead].state = READY;
        } else if (start.instead != NOBODY) {
            stop_loner(t, start.instead - t->count, now_ps);
        }
        if (start.process < t->count) {
            t->members[start.process].state = RUNS;
            add_event(t, start.begins_ps, TURN, start.process);
        } else {
            run_loner(t, start.process - t->count, start.begins_ps);
        }
    }
}

/* A message has come. */
static void wake(team *t, clump_virtual_member *m, uint64_t now_ps)
{
    if (m->state == LOOKS) {
        stop(m, now_ps);
        m->state = RUNS;
        add_event(t, now_ps, TURN, m->rank);
    } else if (m->state == SLEEPS) {
        m->state = READY;
        clump_time_sharing_ready(t->schedule, m->rank, true);
        assign_processors(t, now_ps);
    }
}

/* @return whether it is this member's turn */
static bool timer_rings(team *t, const clump_event *e)
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
        assign_processors(t, e->time_ps);
    else
        run_loner(t, place, e->time_ps);
    return false;
}

/* Whatever happens to a message; members wake when it is there. */
static void move_message(team *t, const clump_event *e)
{
    slot *s = &t->slots[e->value];
    const costs *c = costs_between(t, s);
    const uint64_t data_ps = bytes_ps(c, s);
    if (e->kind == DEPART) {
        port *p = port_of(t, s, s->from, true);
        add_event(t, take_port(t, p, true, c, data_ps) + c->latency_ps, ARRIVE, e->value);
    } else if (e->kind == ARRIVE) {
        port *p = port_of(t, s, s->to, false);
        add_event(t, take_port(t, p, false, c, data_ps) + data_ps, DELIVER, e->value);
    } else {
        clump_virtual_member *to = &t->members[s->to];
        const int protocol = t->members[s->from].node == to->node ? MEMORY : NETWORK;
        append(t, s->reply ? &to->replies[protocol] : &to->requests[protocol], e->value);
        t->under_way--;
        if (to->idle) {
            to->idle = false;
            t->busy++;
        }
        if (to->state == WAITS) {
            to->state = RUNS;
            add_event(t, e->time_ps, TURN, to->rank);
        } else if (t->schedule != NULL) {
            wake(t, to, e->time_ps);
        }
    }
}

/* ---- turns */

/* Let happen what comes next, until it is the turn of `m` again. */
static void give_way(clump_virtual_member *m)
{
    team *t = m->team;
    clump_event e;
    while (clump_calendar_take(&t->calendar, &e)) {
        if (++t->events % WATCH_EVERY == 0 && t->options->watch != NULL &&
            t->options->watch(t->options->context))
            fail(m, CLUMP_PROTOCOL_TIMED_OUT, "stopped");
        if (t->calendar.failed)
            fail(m, CLUMP_PROTOCOL_FAILED, "no memory for events");
        if (e.kind == TIMER) {
            if (t->busy == 0 && t->under_way == 0)
                break; /* timers ring for ever */
            if (!timer_rings(t, &e))
                continue;
        } else if (e.kind != TURN) {
            move_message(t, &e);
            continue;
        }
        clump_virtual_member *next = &t->members[e.value];
        if (next->clock_ps < e.time_ps) {
            next->parts_ps[WAIT] += e.time_ps - next->clock_ps;
            next->clock_ps = e.time_ps;
        }
        if (next != m)
            clump_fiber_switch(m->fiber, next->fiber);
        return;
    }
    fail(m, CLUMP_PROTOCOL_FAILED,
         "all processes wait for messages, and none is under way: the program never ends");
}

/* Everything that happens before this member's time, or at it, has happened. */
static void catch_up(clump_virtual_member *m)
{
    const clump_calendar *calendar = &m->team->calendar;
    if (calendar->count == 0 || calendar->heap[0].time_ps > m->clock_ps)
        return;
    add_event(m->team, m->clock_ps, TURN, m->rank);
    give_way(m);
}

static bool has_message(const clump_virtual_member *m, int protocol)
{
    return m->replies[protocol].first != NOBODY || m->requests[protocol].first != NOBODY;
}

/* Until something has arrived. */
static void sleep_until_message(clump_virtual_member *m)
{
    if (has_message(m, MEMORY) || has_message(m, NETWORK))
        return;
    m->state = WAITS;
    give_way(m);
}

static void spend(clump_virtual_member *m, int part, uint64_t time_ps)
{
    m->clock_ps += time_ps;
    m->parts_ps[part] += time_ps;
    m->used_ps += time_ps;
}

/* ---- what those that share processors do */

/* What it has spent on messages counts; if its slice is used up and somebody waits it is without a
 * processor for a while. */
static void check_slice(clump_virtual_member *m)
{
    team *t = m->team;
    clump_time_sharing_use(t->schedule, m->rank, m->used_ps, 0);
    m->used_ps = 0;
    if (!clump_time_sharing_expired(t->schedule, m->rank, m->clock_ps))
        return;
    m->state = READY;
    assign_processors(t, m->clock_ps);
    give_way(m);
}

/* In this state for so long, or until something happens; or until the end of its slice. */
static void stay(clump_virtual_member *m, int state, uint64_t longest_ps)
{
    const uint64_t left_ps = clump_time_sharing_left(m->team->schedule, m->rank);
    m->state = state;
    m->since_ps = m->clock_ps;
    m->timer_ps = m->clock_ps + (longest_ps < left_ps ? longest_ps : left_ps);
    m->timed = true;
    add_event(m->team, m->timer_ps, TIMER, m->rank);
    give_way(m);
}

static void compute_sharing(clump_virtual_member *m, uint64_t left_ps)
{
    while (left_ps > 0) {
        catch_up(m);
        check_slice(m);
        const uint64_t before_ps = m->parts_ps[COMPUTE];
        stay(m, COMPUTES, left_ps);
        left_ps -= m->parts_ps[COMPUTE] - before_ps;
    }
}

/* Look for a message until it is time to sleep. */
static void wait_sharing(clump_virtual_member *m)
{
    team *t = m->team;
    uint64_t looked_ps = 0;
    catch_up(m);
    m->idle = !has_message(m, MEMORY);
    t->busy -= m->idle;
    while (!has_message(m, MEMORY)) {
        check_slice(m);
        if (has_message(m, MEMORY))
            return;
        if (t->yield_ps > 0 && looked_ps >= t->yield_ps) {
            m->state = SLEEPS;
            clump_time_sharing_leave(t->schedule, m->rank, m->clock_ps);
            assign_processors(t, m->clock_ps);
            give_way(m);
            looked_ps = 0;
        } else {
            const uint64_t before_ps = m->parts_ps[WAIT];
            stay(m, LOOKS, t->yield_ps > 0 ? t->yield_ps - looked_ps : UINT64_MAX / 4);
            looked_ps += m->parts_ps[WAIT] - before_ps;
        }
    }
}

/* ---- messages */

/* What it takes that another processor has used the tail of this queue, if one has. */
static uint64_t moved_ps(const clump_virtual_member *m, uint32_t to, bool reply)
{
    uint32_t *last = &m->team->members[to].senders[reply];
    const bool moved = *last != NOBODY && *last != m->rank;
    *last = m->rank;
    return moved ? m->team->moved_ps : 0;
}

static void send(clump_virtual_member *m, uint32_t to, bool reply, unsigned handler,
                 const uint32_t *arguments, unsigned count, const void *data, size_t size)
{
    team *t = m->team;
    const uint32_t place = take_slot(t);
    unsigned char *copy = size > 0 && place != NOBODY ? malloc(size) : NULL;
    if (place == NOBODY || (size > 0 && copy == NULL))
        fail(m, CLUMP_PROTOCOL_FAILED, "no memory for messages");
    slot *s = &t->slots[place];
    *s = (slot){.from = m->rank,
                .to = to,
                .count = (uint8_t)count,
                .handler = (uint8_t)handler,
                .reply = reply,
                .size = size,
                .data = copy};
    if (count > 0)
        memcpy(s->arguments, arguments, count * sizeof *arguments);
    if (size > 0)
        memcpy(copy, data, size);
    const costs *c = costs_between(t, s);
    spend(m, SEND, c->send_ps + (c == &t->memory ? moved_ps(m, to, reply) : 0));
    t->under_way++;
    add_event(t, m->clock_ps, DEPART, place);
}

/* Handle the message in this place. */
static void take_message(clump_virtual_member *m, uint32_t place)
{
    team *t = m->team;
    const slot s = t->slots[place]; /* others may move while it is handled */
    spend(m, RECEIVE, costs_between(t, &s)->receive_ps);
    if (s.reply)
        m->outstanding[s.from]--;
    const clump_virtual_arrival arrival = {.message = {.arguments = s.arguments,
                                                       .count = s.count,
                                                       .data = s.data,
                                                       .size = s.size,
                                                       .handler = s.handler},
                                           .from = s.from - m->first,
                                           .reply = s.reply};
    m->answering = s.reply ? NOBODY : s.from;
    t->options->handle(m, &arrival, t->options->context);
    m->answering = NOBODY;
    free_slot(t, place);
}

/* The next message, replies first. */
static uint32_t next_message(clump_virtual_member *m, int first, int last)
{
    uint32_t place = NOBODY;
    for (int p = first; p <= last && place == NOBODY; p++)
        place = take_first(m->team, &m->replies[p]);
    for (int p = first; p <= last && place == NOBODY; p++)
        place = take_first(m->team, &m->requests[p]);
    return place;
}

static uint32_t take_messages(clump_virtual_member *m, int first, int last, uint32_t most)
{
    uint32_t taken = 0;
    for (uint32_t place; taken < most && (place = next_message(m, first, last)) != NOBODY; taken++)
        take_message(m, place);
    return taken;
}

/* ---- polls by a strategy */

/* One poll: shared memory, which costs `poll_ps`, and the network if it is time. @return messages */
static unsigned poll_by_strategy(clump_virtual_member *m, int part, uint64_t poll_ps)
{
    const team *t = m->team;
    spend(m, part, poll_ps);
    catch_up(m);
    const uint32_t most = clump_polling_begin(&m->polling),
                   local = take_messages(m, MEMORY, MEMORY, m->polling.acceptance);
    uint32_t remote = 0;
    if (most > 0) {
        spend(m, part, t->network_poll_ps); /* it sees what was there when it began */
        remote = take_messages(m, NETWORK, NETWORK, most);
    }
    clump_polling_end(&m->polling, local, remote);
    return local + remote;
}

/* A message has arrived now. Since `since_ps` polls have found nothing: all whose look at shared
 * memory ended before. The clock goes to the beginning of the next one, which may be a moment ago. */
static void catch_up_polls(clump_virtual_member *m, uint64_t since_ps)
{
    const team *t = m->team;
    uint64_t clock_ps = since_ps;
    while (clock_ps + t->memory_poll_ps < m->clock_ps) {
        clock_ps += t->memory_poll_ps;
        if (clump_polling_begin(&m->polling) > 0)
            clock_ps += t->network_poll_ps;
        clump_polling_end(&m->polling, 0, 0);
    }
    m->parts_ps[WAIT] += clock_ps - m->clock_ps; /* modulo 2^64: it may be less */
    m->clock_ps = clock_ps;
}

static void wait_by_strategy(clump_virtual_member *m)
{
    catch_up(m);
    for (;;) {
        const uint64_t since_ps = m->clock_ps;
        sleep_until_message(m);
        catch_up_polls(m, since_ps);
        if (poll_by_strategy(m, WAIT, m->team->memory_poll_ps) > 0)
            return;
    }
}

/* ---- what members do with messages */

unsigned clump_virtual_member_poll(clump_virtual_member *m, unsigned most)
{
    if (m->team->options->polling != NULL)
        return poll_by_strategy(m, RECEIVE, m->team->memory_poll_ps);
    catch_up(m);
    return take_messages(m, MEMORY, NETWORK, most);
}

void clump_virtual_member_wait(clump_virtual_member *m)
{
    if (m->team->options->polling != NULL) {
        wait_by_strategy(m);
        return;
    }
    if (m->team->schedule != NULL) {
        wait_sharing(m);
    } else {
        catch_up(m);
        sleep_until_message(m);
    }
    take_messages(m, MEMORY, NETWORK, 1);
}

void clump_virtual_member_request(clump_virtual_member *m, uint32_t to, unsigned handler,
                                  const uint32_t *arguments, unsigned count, const void *data,
                                  size_t size)
{
    enum { ACCEPTED = 4 }; /* by the poll of a request, as in table 4.1 */
    const team *t = m->team;
    to += m->first;
    const bool local = t->members[to].node == m->node;
    const uint32_t credits = local ? t->options->memory_credits : t->options->network_credits;
    const uint32_t most = credits > 0 ? credits : local ? MEMORY_CREDITS : NETWORK_CREDITS;
    if (t->options->polling != NULL)
        poll_by_strategy(m, SEND, 0); /* that of shared memory is part of o_s */
    else
        clump_virtual_member_poll(m, ACCEPTED);
    while (m->outstanding[to] >= most)
        clump_virtual_member_wait(m);
    m->outstanding[to]++;
    send(m, to, false, handler, arguments, count, data, size);
}

void clump_virtual_member_reply(clump_virtual_member *m, unsigned handler,
                                const uint32_t *arguments, unsigned count, const void *data,
                                size_t size)
{
    const uint32_t to = m->answering;
    if (to == NOBODY)
        clump_virtual_member_fail(m, "an answer to what is no request, or a second one");
    m->answering = NOBODY;
    send(m, to, true, handler, arguments, count, data, size);
}

/* ---- what else members do */

uint32_t clump_virtual_member_rank(const clump_virtual_member *m)
{
    return m->rank - m->first;
}

uint32_t clump_virtual_member_job(const clump_virtual_member *m)
{
    return m->first / (m->team->options->nodes * m->team->options->processors);
}

uint64_t clump_virtual_member_now_ps(const clump_virtual_member *m)
{
    return m->clock_ps;
}

clump_time_parts clump_virtual_member_parts(const clump_virtual_member *m)
{
    return (clump_time_parts){.compute_us = (double)m->parts_ps[COMPUTE] / 1e6,
                              .send_us = (double)m->parts_ps[SEND] / 1e6,
                              .receive_us = (double)m->parts_ps[RECEIVE] / 1e6,
                              .wait_us = (double)m->parts_ps[WAIT] / 1e6};
}

void clump_virtual_member_work(clump_virtual_member *m, double us)
{
    if (m->team->schedule != NULL)
        compute_sharing(m, ps(us));
    else
        spend(m, COMPUTE, ps(us));
}

static void be_member(void *context)
{
    clump_virtual_member *m = context;
    team *t = m->team;
    t->options->work(m, t->options->context);
    if (t->schedule != NULL) {
        catch_up(m);
        t->busy--;
        clump_time_sharing_leave(t->schedule, m->rank, m->clock_ps);
    }
    m->state = DONE;
    if ((double)m->clock_ps / 1e6 > t->result->time_us)
        t->result->time_us = (double)m->clock_ps / 1e6;
    if (--t->left == 0)
        leave(m);
    if (t->schedule != NULL)
        assign_processors(t, m->clock_ps);
    give_way(m);
    leave(m); /* nobody gives a turn to one that is done */
}

/* ---- the team */

static bool costs_of(const clump_message_costs *given, costs *c)
{
    double latency = given->latency_us, receive = given->receive_us, send = given->send_us;
    const bool usable = isfinite(latency) && isfinite(receive) && isfinite(send) &&
                        isfinite(given->gap_us) && isfinite(given->gap_us_per_byte) &&
                        receive >= 0 && send >= 0 && given->gap_us >= 0 &&
                        given->gap_us_per_byte >= 0 && latency < 1e9 && receive < 1e9 &&
                        send < 1e9 && given->gap_us < 1e9 && given->gap_us_per_byte < 1e6;
    if (latency < 0) { /* the overheads overlap */
        receive += latency;
        latency = 0;
    }
    if (receive < 0) {
        send += receive;
        receive = 0;
    }
    if (!usable || send < 0)
        return false;
    *c = (costs){.latency_ps = ps(latency),
                 .send_ps = ps(send),
                 .receive_ps = ps(receive),
                 .gap_ps = ps(given->gap_us),
                 .byte_ps = given->gap_us_per_byte * 1e6};
    return true;
}

static double at_least_0(double value)
{
    return value > 0 ? value : 0;
}

/* LogGP parameters without what they have of polls: see virtual_team.h. */
static void leave_out_polls(const clump_virtual_team_options *o, clump_message_costs *network,
                            clump_message_costs *memory)
{
    const double look = o->network_poll_us, poll = o->memory_poll_us,
                 least = o->measured.minimum_skip, most = o->measured.maximum_skip;
    network->send_us = at_least_0(network->send_us - look / least);
    memory->send_us = at_least_0(memory->send_us - look / most);
    network->receive_us = at_least_0(network->receive_us - look);
    memory->receive_us = at_least_0(memory->receive_us - poll);
    network->latency_us = at_least_0(network->latency_us - (least * poll + look) / 2);
}

static bool find_costs(team *t)
{
    const clump_virtual_team_options *o = t->options;
    clump_message_costs network = o->network, memory = o->memory;
    if (o->polling != NULL)
        leave_out_polls(o, &network, &memory);
    t->memory_poll_ps = o->polling != NULL ? ps(o->memory_poll_us) : 0;
    t->network_poll_ps = o->polling != NULL ? ps(o->network_poll_us) : 0;
    t->moved_ps = ps(o->moved_us);
    return (o->nodes == 1 || costs_of(&network, &t->network)) &&
           (o->processors == 1 || costs_of(&memory, &t->memory));
}

static bool usable_polls(const clump_virtual_team_options *o)
{
    return o->polling == NULL ||
           (clump_polling_check(o->polling) == NULL && clump_polling_check(&o->measured) == NULL &&
            o->memory_poll_us >= 1e-3 && o->memory_poll_us < 1e6 && o->network_poll_us >= 0 &&
            o->network_poll_us < 1e6);
}

static bool is_time(double us)
{
    return us >= 0 && us < 1e9;
}

static bool usable_sharing(const clump_virtual_team_options *o)
{
    enum { MOST = 64 };
    const clump_virtual_sharing *s = o->sharing;
    return s == NULL || (o->nodes == 1 && o->polling == NULL && s->jobs >= 1 && s->jobs <= MOST &&
                         s->sequential <= MOST && s->slice_us >= 1 && is_time(s->slice_us) &&
                         is_time(s->yield_us) && is_time(s->switch_us) && is_time(s->cache_us) &&
                         o->processors <= CLUMP_VIRTUAL_TEAM_MOST / s->jobs);
}

static bool check(team *t)
{
    const clump_virtual_team_options *o = t->options;
    const char *wrong =
        o->nodes == 0 || o->processors == 0 || o->nodes > CLUMP_VIRTUAL_TEAM_MOST ||
                o->processors > CLUMP_VIRTUAL_TEAM_MOST / o->nodes
            ? "expected at least one node and processor, and at most 4096 processors in all"
        : o->nodes > 1 && (o->nics == 0 || o->nics > 1024) ? "expected 1 to 1024 NICs a node"
        : o->network_credits > UINT16_MAX || o->memory_credits > UINT16_MAX
            ? "expected at most 65535 credits"
        : !usable_polls(o) ? "expected a strategy of polling as clump_polling_check() wants it, a "
                             "poll of at least "
                             "a nanosecond, and a look at the network of 0 or more"
        : !(o->moved_us >= 0 && o->moved_us < 1e9)
            ? "expected a cost of moved lines that is finite and not negative"
        : !usable_sharing(o)
            ? "expected processes that share the processors of one node, of 1 to 64 jobs (4096 "
              "processors in all) and at most 64 groups besides, without a strategy of polling, "
              "slices of at least a microsecond, and times of 0 or more"
        : !find_costs(t) ? "expected costs of messages that are finite and not negative, but for L"
                         : NULL;
    if (wrong != NULL)
        snprintf(t->result->message, sizeof t->result->message, "%s", wrong);
    return wrong == NULL;
}

static void close_team(team *t)
{
    for (uint32_t r = 0; t->members != NULL && r < t->count; r++) {
        clump_fiber_close(t->members[r].fiber);
        free(t->members[r].outstanding);
    }
    for (uint32_t i = 0; i < t->slot_count; i++)
        free(t->slots[i].data);
    clump_time_sharing_close(t->schedule);
    free(t->loners);
    clump_fiber_close(t->thread);
    clump_calendar_free(&t->calendar);
    free(t->slots);
    free(t->members);
    free(t->nics);
    free(t->ports);
}

/* Everybody wants a processor: those of the first job get theirs. */
static bool open_sharing(team *t)
{
    const clump_virtual_sharing *s = t->options->sharing;
    const uint32_t loners = s->sequential * t->options->processors;
    t->loners = calloc(loners + 1, sizeof *t->loners);
    t->schedule = clump_time_sharing_open(t->options->processors, t->count + loners,
                                          (clump_time_sharing_costs){.slice_ps = ps(s->slice_us),
                                                                     .switch_ps = ps(s->switch_us),
                                                                     .cache_ps = ps(s->cache_us)});
    t->yield_ps = ps(s->yield_us);
    t->busy = t->count;
    for (uint32_t i = 0; t->schedule != NULL && i < t->count + loners; i++)
        clump_time_sharing_ready(t->schedule, i, false);
    if (t->schedule == NULL || t->loners == NULL)
        return false;
    assign_processors(t, 0);
    return true;
}

static bool open_team(team *t)
{
    const clump_virtual_team_options *o = t->options;
    const uint32_t job = o->nodes * o->processors;
    t->count = t->left = job * (o->sharing != NULL ? o->sharing->jobs : 1);
    t->members = calloc(t->count, sizeof *t->members);
    t->ports = calloc(t->count, sizeof *t->ports);
    t->nics = calloc((size_t)o->nodes * (o->nics > 0 ? o->nics : 1), sizeof *t->nics);
    t->thread = clump_fiber_of_thread();
    if (t->members == NULL || t->ports == NULL || t->nics == NULL || t->thread == NULL)
        return false;
    for (uint32_t r = 0; r < t->count; r++) {
        clump_virtual_member *m = &t->members[r];
        *m = (clump_virtual_member){.team = t,
                                    .rank = r,
                                    .node = r % job / o->processors,
                                    .first = r - r % job,
                                    .answering = NOBODY,
                                    .senders = {NOBODY, NOBODY},
                                    .state = o->sharing != NULL ? READY : RUNS,
                                    .replies = {{NOBODY, NOBODY}, {NOBODY, NOBODY}},
                                    .requests = {{NOBODY, NOBODY}, {NOBODY, NOBODY}}};
        if (o->polling != NULL)
            clump_polling_start(&m->polling, o->polling);
        m->outstanding = calloc(t->count, sizeof *m->outstanding);
        m->fiber =
            clump_fiber_open(o->stack_bytes > 0 ? o->stack_bytes : STACK_BYTES, be_member, m);
        if (m->outstanding == NULL || m->fiber == NULL)
            return false;
        if (o->sharing == NULL)
            add_event(t, 0, TURN, r);
    }
    return (o->sharing == NULL || open_sharing(t)) && !t->calendar.failed;
}

static double utilization(const team *t)
{
    const size_t count = (size_t)t->options->nodes * t->options->nics;
    uint64_t sent = 0, received = 0;
    for (size_t i = 0; i < count; i++) {
        sent += t->nics[i].send_busy_ps;
        received += t->nics[i].receive_busy_ps;
    }
    const double busy = (double)(sent > received ? sent : received);
    return t->result->time_us > 0 && count > 0 ? busy / 1e6 / (t->result->time_us * (double)count)
                                               : 0;
}

clump_protocol_status clump_virtual_team_run(const clump_virtual_team_options *options,
                                             clump_virtual_team_result *result,
                                             clump_time_parts *parts)
{
    team t = {.options = options, .result = result, .free_slot = NOBODY};
    *result = (clump_virtual_team_result){.time_us = 0};
    if (!check(&t))
        return CLUMP_PROTOCOL_BAD_INPUT;
    clump_event first;
    if (!open_team(&t) || !clump_calendar_take(&t.calendar, &first)) {
        snprintf(result->message, sizeof result->message, "no memory for %u processors", t.count);
        t.status = CLUMP_PROTOCOL_FAILED;
    } else {
        clump_fiber_switch(t.thread, t.members[first.value].fiber);
        result->events = t.events;
        result->nic_utilization = utilization(&t);
        for (uint32_t r = 0; parts != NULL && r < t.count; r++)
            parts[r] = clump_virtual_member_parts(&t.members[r]);
    }
    close_team(&t);
    return t.status;
}
