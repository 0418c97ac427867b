/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A message from its sender to the queue of the receiver, and out of it. */
#include "model/simulation/message_rank.h"

#include <math.h>

static uint32_t take_slot(message_run *run)
{
    if (run->free_slot == MESSAGE_NO_SLOT) {
        if (run->slot_count == run->slot_room) {
            const size_t room = run->slot_room > 0 ? 2 * run->slot_room : 256;
            message_slot *larger =
                room < MESSAGE_ARRIVAL ? realloc(run->slots, room * sizeof *larger) : NULL;
            if (larger == NULL) {
                run->events.failed = true;
                return MESSAGE_NO_SLOT;
            }
            run->slots = larger;
            run->slot_room = room;
        }
        return (uint32_t)run->slot_count++;
    }
    const uint32_t slot = run->free_slot;
    run->free_slot = run->slots[slot].next;
    return slot;
}

void message_send(message_run *run, double now, uint32_t from, uint32_t to, double bytes,
                  uint8_t flags)
{
    const uint32_t i = take_slot(run);
    if (i == MESSAGE_NO_SLOT)
        return;
    const double ready = now + run->send_overhead[!network_is_local(&run->net, from, to)];
    const double first_byte = network_send(&run->net, from, to, bytes, ready);
    run->slots[i] = (message_slot){0, bytes, from, to, MESSAGE_NO_SLOT, flags};
    run->ranks[from].busy_until = ready;
    run->in_flight++;
    run->messages++;
    event_queue_add(&run->events, first_byte, MESSAGE_ARRIVAL | i);
}

/* Into the receiver's queue. */
static void deliver(message_run *run, uint32_t i, double now)
{
    message_slot *m = &run->slots[i];
    message_rank *rank = &run->ranks[m->to];
    m->arrived = network_receive(&run->net, m->from, m->to, m->bytes, now);
    m->next = MESSAGE_NO_SLOT;
    const bool remote = !network_is_local(&run->net, m->from, m->to);
    const int queue = run->polls != NULL && remote ? MESSAGE_REMOTE : MESSAGE_LOCAL;
    if (rank->inbox[queue] == MESSAGE_NO_SLOT)
        rank->inbox[queue] = i;
    else
        run->slots[rank->inbox_last[queue]].next = i;
    rank->inbox_last[queue] = i;
    if (remote && ++rank->queued > run->longest_queue)
        run->longest_queue = rank->queued;
    if (rank->waiting)
        event_queue_add(&run->events, m->arrived, MESSAGE_WAKE | m->to);
}

static message_gate *gate_of(const message_run *run, uint32_t to)
{
    const clump_cluster *m = run->net.machine;
    const size_t nic =
        m->mapping == CLUMP_MAPPING_STATIC ? run->net.nic_of[to % m->processors] : to % m->nics;
    return &run->gates[to / m->processors * m->nics + nic];
}

void message_arrive(message_run *run, uint32_t i, double now)
{
    const message_slot *m = &run->slots[i];
    if (run->gates == NULL || network_is_local(&run->net, m->from, m->to)) {
        deliver(run, i, now);
        return;
    }
    message_gate *gate = gate_of(run, m->to);
    if (gate->first == MESSAGE_NO_SLOT &&
        run->ranks[m->to].queued < run->net.machine->receive_queue) {
        deliver(run, i, now);
        return;
    }
    run->slots[i].next = MESSAGE_NO_SLOT;
    if (gate->first == MESSAGE_NO_SLOT)
        gate->first = i;
    else
        run->slots[gate->last].next = i;
    gate->last = i;
}

/* There is room in a queue again: messages pass the gate, up to the first that has none. */
static void open_gate(message_run *run, uint32_t to, double now)
{
    message_gate *gate = gate_of(run, to);
    while (gate->first != MESSAGE_NO_SLOT) {
        const uint32_t i = gate->first;
        if (run->ranks[run->slots[i].to].queued >= run->net.machine->receive_queue)
            break;
        gate->first = run->slots[i].next;
        deliver(run, i, now);
    }
}

void message_handle(message_run *run, uint32_t r, int queue, double now)
{
    message_rank *rank = &run->ranks[r];
    const uint32_t i = rank->inbox[queue];
    const message_slot m = run->slots[i];
    const bool remote = !network_is_local(&run->net, m.from, m.to);
    const double t = now + run->receive_overhead[remote];
    rank->inbox[queue] = m.next;
    rank->busy_until = t;
    run->slots[i].next = run->free_slot;
    run->free_slot = i;
    run->in_flight--;
    if (remote) {
        rank->queued--;
        if (run->gates != NULL)
            open_gate(run, r, now);
    }
    if (m.flags & ANSWER) {
        rank->outstanding -= (m.flags & COUNTED) != 0;
        if (m.flags & AWAITED)
            rank->waits_for_answer = false;
    } else if (m.flags & WANTS_ANSWER) {
        rank->answer_to = m.from;
        rank->answer_is_awaited = (m.flags & AWAITED) != 0;
        rank->answer_frees = (m.flags & COUNTED) != 0;
        run->in_flight++; /* the answer: no barrier before it is handled */
    } else if (m.flags & COUNTED) {
        const double latency = network_protocol(&run->net, m.from, m.to)->latency_us;
        event_queue_add(&run->events, t + fmax(latency, 0), MESSAGE_CREDIT | m.from);
    }
    run->end = network_later(run->end, t);
    message_check_barrier(run, t);
}

void message_answer(message_run *run, uint32_t r, double now)
{
    message_rank *rank = &run->ranks[r];
    const uint32_t to = rank->answer_to;
    rank->answer_to = MESSAGE_NO_SLOT;
    run->in_flight--;
    if (run->polls != NULL) { /* a poll comes before an answer as well, and goes on after it */
        message_poll *poll = &run->polls[r];
        if (poll->open)
            message_poll_close(poll, &run->net.machine->polling);
        now += message_poll_open(poll, &run->net.machine->polling);
    }
    message_send(run, now, r, to, 1,
                 (uint8_t)(ANSWER | (rank->answer_is_awaited ? AWAITED : 0) |
                           (rank->answer_frees ? COUNTED : 0)));
}
