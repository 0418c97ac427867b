/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "reproductions/virtual/virtual_team_private.h"

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

/* ---- queues and slots */

static void append(virtual_team *t, virtual_message_queue *q, uint32_t place)
{
    t->slots[place].next = NOBODY;
    if (q->first == NOBODY)
        q->first = place;
    else
        t->slots[q->last].next = place;
    q->last = place;
}

static uint32_t take_first(virtual_team *t, virtual_message_queue *q)
{
    const uint32_t place = q->first;
    if (place != NOBODY)
        q->first = t->slots[place].next;
    return place;
}

/* A free place; NOBODY: no memory. Pointers to slots do not outlive this. */
static uint32_t take_slot(virtual_team *t)
{
    const uint32_t place = t->free_slot;
    if (place != NOBODY) {
        t->free_slot = t->slots[place].next;
        return place;
    }
    if (t->slot_count == t->slot_room) {
        const uint32_t room = t->slot_room > 0 ? 2 * t->slot_room : 1024;
        virtual_message *larger =
            room > t->slot_room ? realloc(t->slots, room * sizeof *larger) : NULL;
        if (larger == NULL)
            return NOBODY;
        t->slots = larger;
        t->slot_room = room;
    }
    return t->slot_count++;
}

static void free_slot(virtual_team *t, uint32_t place)
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

/* Whatever happens to a message; members wake when it is there. */
static void move_message(virtual_team *t, const clump_event *e)
{
    const virtual_message *s = &t->slots[e->value];
    if (e->kind == DEPART) {
        virtual_team_add_event(t, virtual_team_depart(t, s), ARRIVE, e->value);
    } else if (e->kind == ARRIVE) {
        virtual_team_add_event(t, virtual_team_arrive(t, s), DELIVER, e->value);
    } else {
        clump_virtual_member *to = &t->members[s->to];
        const int protocol = t->members[s->from].node == to->node ? MEMORY : NETWORK;
        append(t, s->reply ? &to->replies[protocol] : &to->requests[protocol], e->value);
        if (s->size > 0 && t->options->misses.miss_us > 0)
            virtual_team_take_bank(t, to->node, (double)s->size, e->time_ps);
        if (++to->queued > to->most_queued)
            to->most_queued = to->queued;
        t->under_way--;
        if (to->idle) {
            to->idle = false;
            t->busy++;
        }
        if (to->state == WAITS) {
            to->state = RUNS;
            virtual_team_add_event(t, e->time_ps, TURN, to->rank);
        } else if (t->schedule != NULL) {
            virtual_sharing_wake(t, to, e->time_ps);
        }
    }
}

/* A place for the request of `m`, if it still waits for one. */
static void give_room(virtual_team *t, clump_virtual_member *m, uint64_t now_ps)
{
    m->room = true;
    t->under_way--;
    if (m->idle) {
        m->idle = false;
        t->busy++;
    }
    if (m->state == WAITS) {
        m->state = RUNS;
        virtual_team_add_event(t, now_ps, TURN, m->rank);
    } else if (t->schedule != NULL) {
        virtual_sharing_wake(t, m, now_ps);
    }
}

/* ---- turns */

/* Let happen what comes next, until it is the turn of `m` again. */
static void give_way(clump_virtual_member *m)
{
    virtual_team *t = m->team;
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
            if (!virtual_sharing_ring(t, &e))
                continue;
        } else if (e.kind == ROOM) {
            give_room(t, &t->members[e.value], e.time_ps);
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
    if (clump_calendar_next_ps(&m->team->calendar) > m->clock_ps)
        return;
    virtual_team_add_event(m->team, m->clock_ps, TURN, m->rank);
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

/* If its slice is used up and somebody waits it is without a processor for a while. */
static void check_slice(clump_virtual_member *m)
{
    if (virtual_sharing_is_over(m))
        give_way(m);
}

static void compute_sharing(clump_virtual_member *m, uint64_t left_ps)
{
    while (left_ps > 0) {
        catch_up(m);
        check_slice(m);
        const uint64_t before_ps = m->done_ps;
        virtual_sharing_stay(m, COMPUTES, virtual_sharing_stretch(m, left_ps));
        give_way(m);
        left_ps -= m->done_ps - before_ps;
    }
}

static bool may_go_on(const clump_virtual_member *m)
{
    return has_message(m, MEMORY) || m->room;
}

/* Look for a message, or for room, until it is time to sleep. */
static void wait_sharing(clump_virtual_member *m)
{
    virtual_team *t = m->team;
    uint64_t looked_ps = 0;
    catch_up(m);
    m->idle = !may_go_on(m);
    t->busy -= m->idle;
    while (!may_go_on(m)) {
        check_slice(m);
        if (may_go_on(m))
            return;
        if (t->yield_ps > 0 && looked_ps >= t->yield_ps) {
            virtual_sharing_sleep(m);
            give_way(m);
            looked_ps = 0;
        } else {
            const uint64_t before_ps = m->parts_ps[WAIT];
            virtual_sharing_stay(m, LOOKS,
                                 t->yield_ps > 0 ? t->yield_ps - looked_ps : UINT64_MAX / 4);
            give_way(m);
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
    virtual_team *t = m->team;
    const uint32_t place = take_slot(t);
    unsigned char *copy = size > 0 && place != NOBODY ? malloc(size) : NULL;
    if (place == NOBODY || (size > 0 && copy == NULL))
        fail(m, CLUMP_PROTOCOL_FAILED, "no memory for messages");
    virtual_message *s = &t->slots[place];
    *s = (virtual_message){.from = m->rank,
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
    const virtual_costs *c = virtual_team_costs_of(t, s);
    spend(m, SEND, c->send_ps + (c == &t->memory ? moved_ps(m, to, reply) : 0));
    t->under_way++;
    virtual_team_add_event(t, m->clock_ps, DEPART, place);
}

/* One request less in its queue: whoever waits first may send. */
static void leave_queue(clump_virtual_member *m)
{
    virtual_team *t = m->team;
    const uint32_t first = m->first_waiter;
    m->claimed--;
    if (first == NOBODY)
        return;
    m->first_waiter = t->members[first].next_waiter;
    t->under_way++;
    virtual_team_add_event(t, m->clock_ps, ROOM, first);
}

/* Handle the message in this place. */
static void take_message(clump_virtual_member *m, uint32_t place)
{
    virtual_team *t = m->team;
    const virtual_message s = t->slots[place]; /* others may move while it is handled */
    m->queued--;
    if (!s.reply && t->members[s.from].node == m->node)
        leave_queue(m);
    spend(m, RECEIVE, virtual_team_costs_of(t, &s)->receive_ps);
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
    const virtual_team *t = m->team;
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
    const virtual_team *t = m->team;
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

/* Until the other one's queue may have room. */
static void wait_for_room(clump_virtual_member *m, clump_virtual_member *to)
{
    virtual_team *t = m->team;
    m->room = false;
    m->next_waiter = NOBODY;
    if (to->first_waiter == NOBODY)
        to->first_waiter = m->rank;
    else
        t->members[to->last_waiter].next_waiter = m->rank;
    to->last_waiter = m->rank;
    while (!m->room) {
        if (t->schedule != NULL) {
            wait_sharing(m);
        } else {
            catch_up(m);
            if (!m->room)
                sleep_until_message(m);
        }
        take_messages(m, MEMORY, NETWORK, 1);
    }
    m->room = false;
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
    const virtual_team *t = m->team;
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
    while (local && t->options->queue_length > 0 &&
           t->members[to].claimed >= t->options->queue_length)
        wait_for_room(m, &m->team->members[to]);
    m->team->members[to].claimed += local;
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

uint32_t clump_virtual_member_longest_queue(const clump_virtual_member *m)
{
    return m->most_queued;
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
        compute_sharing(m, virtual_ps(us));
    else
        spend(m, COMPUTE, virtual_ps(us));
}

/* Wait for what is loaded; what is written back goes on by itself. */
static void load(clump_virtual_member *m, double loaded_bytes, double written_bytes)
{
    const clump_virtual_misses *misses = &m->team->options->misses;
    const uint64_t own_ps =
        virtual_ps(loaded_bytes / misses->line_bytes * (misses->miss_us - misses->shared_us));
    catch_up(m);
    const uint64_t there_ps = virtual_team_take_bank(m->team, m->node, loaded_bytes, m->clock_ps);
    virtual_team_take_bank(m->team, m->node, written_bytes, m->clock_ps);
    if (loaded_bytes > 0)
        spend(m, COMPUTE, own_ps + (there_ps > m->clock_ps ? there_ps - m->clock_ps : 0));
}

void clump_virtual_member_walk(clump_virtual_member *m, double us, double loaded_bytes,
                               double written_bytes)
{
    enum { STEP_BYTES = 4096 };
    const double bytes = loaded_bytes + written_bytes;
    if (!(m->team->options->misses.miss_us > 0) || !(bytes > 0)) {
        clump_virtual_member_work(m, us);
        return;
    }
    const double steps = ceil(bytes / STEP_BYTES);
    for (double i = 0; i < steps; i++) {
        spend(m, COMPUTE, virtual_ps(us / steps));
        load(m, loaded_bytes / steps, written_bytes / steps);
    }
}

static void be_member(void *context)
{
    clump_virtual_member *m = context;
    virtual_team *t = m->team;
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
        virtual_sharing_assign(t, m->clock_ps);
    give_way(m);
    leave(m); /* nobody gives a turn to one that is done */
}

/* ---- the team */

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

static bool usable_misses(const clump_virtual_team_options *o)
{
    const clump_virtual_misses *m = &o->misses;
    return m->miss_us == 0 ||
           (is_time(m->miss_us) && is_time(m->shared_us) && m->shared_us <= m->miss_us &&
            m->line_bytes >= 1 && m->line_bytes <= 1e6 && o->sharing == NULL);
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

static bool check(virtual_team *t)
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
        : o->queue_length > 0 && o->polling != NULL
            ? "expected queues without an end with a strategy of polling"
        : !(o->moved_us >= 0 && o->moved_us < 1e9)
            ? "expected a cost of moved lines that is finite and not negative"
        : !usable_sharing(o)
            ? "expected processes that share the processors of one node, of 1 to 64 jobs (4096 "
              "processors in all) and at most 64 groups besides, without a strategy of polling, "
              "slices of at least a microsecond, and times of 0 or more"
        : !usable_misses(o)
            ? "expected cache misses with lines of 1 to 10^6 bytes and times of 0 or more, the "
              "shared part within the whole, and processes that have their processors"
        : !virtual_team_find_costs(t)
            ? "expected costs of messages that are finite and not negative, but for L"
            : NULL;
    if (wrong != NULL)
        snprintf(t->result->message, sizeof t->result->message, "%s", wrong);
    return wrong == NULL;
}

static void close_team(virtual_team *t)
{
    for (uint32_t r = 0; t->members != NULL && r < t->count; r++) {
        clump_fiber_close(t->members[r].fiber);
        free(t->members[r].outstanding);
    }
    for (uint32_t i = 0; i < t->slot_count; i++)
        free(t->slots[i].data);
    virtual_sharing_close(t);
    clump_fiber_close(t->thread);
    clump_calendar_free(&t->calendar);
    free(t->slots);
    free(t->members);
    free(t->nics);
    free(t->ports);
    free(t->banks);
}

static bool open_team(virtual_team *t)
{
    const clump_virtual_team_options *o = t->options;
    const uint32_t job = o->nodes * o->processors;
    t->count = t->left = job * (o->sharing != NULL ? o->sharing->jobs : 1);
    t->members = calloc(t->count, sizeof *t->members);
    t->ports = calloc(t->count, sizeof *t->ports);
    t->nics = calloc((size_t)o->nodes * (o->nics > 0 ? o->nics : 1), sizeof *t->nics);
    t->banks = calloc(o->nodes, sizeof *t->banks);
    t->thread = clump_fiber_of_thread();
    if (t->members == NULL || t->ports == NULL || t->nics == NULL || t->banks == NULL ||
        t->thread == NULL)
        return false;
    for (uint32_t n = 0; n < o->nodes; n++)
        t->banks[n].state = n;
    for (uint32_t r = 0; r < t->count; r++) {
        clump_virtual_member *m = &t->members[r];
        *m = (clump_virtual_member){.team = t,
                                    .rank = r,
                                    .node = r % job / o->processors,
                                    .first = r - r % job,
                                    .answering = NOBODY,
                                    .first_waiter = NOBODY,
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
            virtual_team_add_event(t, 0, TURN, r);
    }
    return (o->sharing == NULL || virtual_sharing_open(t)) && !t->calendar.failed;
}

clump_protocol_status clump_virtual_team_run(const clump_virtual_team_options *options,
                                             clump_virtual_team_result *result,
                                             clump_time_parts *parts)
{
    virtual_team t = {.options = options, .result = result, .free_slot = NOBODY};
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
        result->nic_utilization = virtual_team_nic_utilization(&t);
        for (uint32_t r = 0; parts != NULL && r < t.count; r++)
            parts[r] = clump_virtual_member_parts(&t.members[r]);
    }
    close_team(&t);
    return t.status;
}
