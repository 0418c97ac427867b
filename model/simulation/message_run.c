/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Events, and what they do:
 *
 *   wake      a rank looks around: it handles one message that has arrived, or goes on with its
 *             program. While it computes it is not woken by messages. A wake that comes too early
 *             does no harm, the rank just waits on.
 *   arrival   the first byte of a message is at the receiving NIC (or port)
 *   credit    the sender learns that a message of its window was handled
 *
 * A rank does one thing at a time, and nothing that lies ahead of the event that it is at: what it
 * sends leaves in the order of events.
 */
#include "model/simulation/message_run.h"

#include <math.h>

/* In the upper bits of an event; the others are a rank or a slot. */
static const uint32_t WAKE = 0, ARRIVAL = UINT32_C(1) << 30, CREDIT = UINT32_C(2) << 30,
                      KIND = UINT32_C(3) << 30;
#define NO_SLOT UINT32_MAX

/* What a rank does next, once nothing is left to handle. */
typedef enum stage { COMPUTE, SEND, LEAVE, BARRIER, DONE } stage;

struct message_rank {
    simulation_random random;
    double busy_until;
    double computing; /* what is left of the computation */
    double waiting_since;
    uint64_t sent, total;            /* messages */
    uint64_t phase_begin, phase_end; /* between two barriers */
    uint32_t inbox, inbox_last;      /* first and last slot, in the order of arrival */
    uint32_t queued;                 /* of the network, in the inbox: limited */
    uint32_t outstanding;            /* of the window */
    uint32_t phase;
    uint32_t answer_to; /* rank that waits for an answer, which is sent next; NO_SLOT: none */
    uint8_t stage;
    bool waits_for_answer, waiting, answer_is_awaited, answer_frees;
};

enum { ANSWER = 1, WANTS_ANSWER = 2, AWAITED = 4, COUNTED = 8 };

struct message_slot {
    double arrived; /* all of it in the queue */
    double bytes;
    uint32_t from, to;
    uint32_t next; /* in the inbox, at a gate, or among the free ones */
    uint8_t flags;
};

/* Messages that wait at a NIC because the queue of the first one's receiver is full. */
struct message_gate {
    uint32_t first, last;
};

static uint32_t take_slot(message_run *run)
{
    if (run->free_slot == NO_SLOT) {
        if (run->slot_count == run->slot_room) {
            const size_t room = run->slot_room > 0 ? 2 * run->slot_room : 256;
            message_slot *larger =
                room < ARRIVAL ? realloc(run->slots, room * sizeof *larger) : NULL;
            if (larger == NULL) {
                run->events.failed = true;
                return NO_SLOT;
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

static void send(message_run *run, double now, uint32_t from, uint32_t to, double bytes,
                 uint8_t flags)
{
    const uint32_t i = take_slot(run);
    if (i == NO_SLOT)
        return;
    const double ready = now + network_protocol(&run->net, from, to)->send_overhead_us;
    const double first_byte = network_send(&run->net, from, to, bytes, ready);
    run->slots[i] = (message_slot){0, bytes, from, to, NO_SLOT, flags};
    run->ranks[from].busy_until = ready;
    run->in_flight++;
    run->messages++;
    event_queue_add(&run->events, first_byte, ARRIVAL | i);
}

static void begin_wait(message_rank *rank, double now)
{
    if (!rank->waiting)
        rank->waiting_since = now;
    rank->waiting = true;
}

static void end_wait(message_run *run, message_rank *rank, double now)
{
    if (rank->waiting)
        run->waiting += now - rank->waiting_since;
    rank->waiting = false;
}

/* Into the receiver's queue. */
static void deliver(message_run *run, uint32_t i, double now)
{
    message_slot *m = &run->slots[i];
    message_rank *rank = &run->ranks[m->to];
    m->arrived = network_receive(&run->net, m->from, m->to, m->bytes, now);
    m->next = NO_SLOT;
    if (rank->inbox == NO_SLOT)
        rank->inbox = i;
    else
        run->slots[rank->inbox_last].next = i;
    rank->inbox_last = i;
    if (!network_is_local(&run->net, m->from, m->to) && ++rank->queued > run->longest_queue)
        run->longest_queue = rank->queued;
    if (rank->waiting)
        event_queue_add(&run->events, m->arrived, WAKE | m->to);
}

static message_gate *gate_of(const message_run *run, uint32_t to)
{
    const clump_machine *m = run->net.machine;
    const size_t nic =
        m->mapping == CLUMP_MAPPING_STATIC ? run->net.nic_of[to % m->processors] : to % m->nics;
    return &run->gates[to / m->processors * m->nics + nic];
}

static void arrive(message_run *run, uint32_t i, double now)
{
    const message_slot *m = &run->slots[i];
    if (run->gates == NULL || network_is_local(&run->net, m->from, m->to)) {
        deliver(run, i, now);
        return;
    }
    message_gate *gate = gate_of(run, m->to);
    if (gate->first == NO_SLOT && run->ranks[m->to].queued < run->net.machine->receive_queue) {
        deliver(run, i, now);
        return;
    }
    run->slots[i].next = NO_SLOT;
    if (gate->first == NO_SLOT)
        gate->first = i;
    else
        run->slots[gate->last].next = i;
    gate->last = i;
}

/* There is room in a queue again: messages pass the gate, up to the first that has none. */
static void open_gate(message_run *run, uint32_t to, double now)
{
    message_gate *gate = gate_of(run, to);
    while (gate->first != NO_SLOT) {
        const uint32_t i = gate->first;
        if (run->ranks[run->slots[i].to].queued >= run->net.machine->receive_queue)
            break;
        gate->first = run->slots[i].next;
        deliver(run, i, now);
    }
}

static double barrier_time(const message_run *run)
{
    const clump_loggp *p = &run->net.machine->network;
    const double rounds = ceil(log2((double)run->net.ranks));
    return rounds * (p->send_overhead_us + p->latency_us + p->receive_overhead_us);
}

/* The last rank is at the barrier and no message is on its way: everybody goes on. */
static void leave_barrier(message_run *run, double now)
{
    const double t = now + barrier_time(run);
    run->waiting_ranks = 0;
    for (uint32_t r = 0; r < run->net.ranks; r++) {
        message_rank *rank = &run->ranks[r];
        if (rank->stage != BARRIER)
            continue;
        rank->stage = COMPUTE;
        rank->computing = -1;
        rank->busy_until = t;
        event_queue_add(&run->events, t, WAKE | r);
    }
}

static void check_barrier(message_run *run, double now)
{
    if (run->waiting_ranks > 0 && run->waiting_ranks + run->done_ranks == run->net.ranks &&
        run->in_flight == 0)
        leave_barrier(run, now);
}

/* The first message in the queue is handled; it ends at the rank's busy_until. */
static void handle(message_run *run, uint32_t r, double now)
{
    message_rank *rank = &run->ranks[r];
    const uint32_t i = rank->inbox;
    const message_slot m = run->slots[i];
    const clump_loggp *p = network_protocol(&run->net, m.from, m.to);
    const double t = now + p->receive_overhead_us;
    rank->inbox = m.next;
    rank->busy_until = t;
    run->slots[i].next = run->free_slot;
    run->free_slot = i;
    run->in_flight--;
    if (!network_is_local(&run->net, m.from, m.to)) {
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
        event_queue_add(&run->events, t + fmax(p->latency_us, 0), CREDIT | m.from);
    }
    run->end = network_later(run->end, t);
    check_barrier(run, t);
}

static void answer(message_run *run, uint32_t r, double now)
{
    message_rank *rank = &run->ranks[r];
    const uint32_t to = rank->answer_to;
    rank->answer_to = NO_SLOT;
    run->in_flight--;
    send(run, now, r, to, 1,
         (uint8_t)(ANSWER | (rank->answer_is_awaited ? AWAITED : 0) |
                   (rank->answer_frees ? COUNTED : 0)));
}

static bool draw(simulation_random *random, double share)
{
    return share >= 1 || (share > 0 && simulation_random_uniform(random) < share);
}

/* Send the next message of the program; false if the rank has to wait, until `later` at most. */
static bool send_next(message_run *run, uint32_t r, double now, double *later)
{
    const clump_program *p = run->setup->program;
    message_rank *rank = &run->ranks[r];
    const clump_machine *machine = run->net.machine;
    const simulation_random before = rank->random;
    if (p->window > 0 && rank->outstanding >= p->window)
        return false;
    const uint32_t to = message_setup_target(run->setup, machine, r, rank->sent, &rank->random);
    const double may = network_may_send(&run->net, r, to, now);
    if (may > now) { /* the same message is drawn again */
        rank->random = before;
        *later = may;
        return false;
    }
    const bool bulk = draw(&rank->random, p->bulk_share);
    const bool wants = draw(&rank->random, p->reply_share);
    const bool awaited = wants && draw(&rank->random, p->blocking_share);
    rank->waits_for_answer = awaited;
    rank->outstanding += p->window > 0;
    rank->sent++;
    send(run, now, r, to, bulk ? p->bulk_bytes : 1,
         (uint8_t)((wants ? WANTS_ANSWER : 0) | (awaited ? AWAITED : 0) |
                   (p->window > 0 ? COUNTED : 0)));
    return true;
}

/* A piece of computation, up to the next poll. */
static void compute(message_run *run, message_rank *rank, double now)
{
    const clump_program *p = run->setup->program;
    if (rank->computing < 0) {
        const bool within_burst = (rank->sent - rank->phase_begin) % (uint64_t)p->burst != 0;
        double mean = p->messages > 0 ? p->computation_us / p->messages : 0;
        mean *= within_burst ? 0 : fmin(p->burst, (double)(rank->phase_end - rank->sent));
        rank->computing = mean > 0 ? mean * run->net.machine->memory_penalty *
                                         simulation_sample(&run->setup->computation, &rank->random)
                                   : 0;
    }
    const double piece = p->poll_us > 0 ? fmin(rank->computing, p->poll_us) : rank->computing;
    rank->computing -= piece;
    rank->busy_until = now + piece;
}

static uint64_t end_of_phase(const message_run *run, const message_rank *rank)
{
    const double share = (rank->phase + 1) / run->setup->program->phases;
    return share >= 1 ? rank->total : (uint64_t)((double)rank->total * share);
}

/* Go on with the program; false if there is nothing to do but to wait. */
static bool go_on(message_run *run, uint32_t r, double now, double *later)
{
    message_rank *rank = &run->ranks[r];
    switch ((stage)rank->stage) {
    case COMPUTE:
        if (rank->waits_for_answer)
            return false;
        if (rank->sent == rank->phase_end) {
            rank->stage = LEAVE;
            return true;
        }
        compute(run, rank, now);
        if (rank->computing == 0)
            rank->stage = SEND;
        return true;
    case SEND:
        if (!send_next(run, r, now, later))
            return false;
        rank->computing = -1;
        rank->stage = COMPUTE;
        return true;
    case LEAVE:
        rank->phase++;
        rank->stage = rank->sent == rank->total ? DONE : BARRIER;
        rank->phase_begin = rank->phase_end;
        rank->phase_end = end_of_phase(run, rank);
        run->end = network_later(run->end, now);
        if (rank->stage == DONE)
            run->done_ranks++;
        else
            run->waiting_ranks++;
        check_barrier(run, now);
        return true;
    default:
        return false;
    }
}

/* A rank does what it can before the next event of anybody. */
static void wake(message_run *run, uint32_t r, double now)
{
    message_rank *rank = &run->ranks[r];
    const event_queue *events = &run->events;
    if (now < rank->busy_until)
        return;
    end_wait(run, rank, now);
    for (;;) {
        double later = HUGE_VAL;
        rank->busy_until = now;
        if (rank->answer_to != NO_SLOT) {
            answer(run, r, now);
        } else if (rank->inbox != NO_SLOT && run->slots[rank->inbox].arrived <= now) {
            handle(run, r, now);
        } else if (!go_on(run, r, now, &later)) {
            begin_wait(rank, now);
            if (rank->inbox != NO_SLOT)
                later = fmin(later, run->slots[rank->inbox].arrived);
            if (later < HUGE_VAL)
                event_queue_add(&run->events, later, WAKE | r);
            return;
        }
        now = rank->busy_until;
        if (events->heap.count > 0 && events->heap.times[0] <= now) {
            event_queue_add(&run->events, now, WAKE | r);
            return;
        }
        run->event_count++;
    }
}

static void credit(message_run *run, uint32_t r, double now)
{
    run->ranks[r].outstanding--;
    wake(run, r, now);
}

static void start(message_run *run, uint64_t seed, uint64_t stream)
{
    const double messages = run->setup->program->messages;
    network_reset(&run->net);
    run->slot_count = 0;
    run->free_slot = NO_SLOT;
    run->in_flight = run->messages = run->event_count = 0;
    run->waiting_ranks = run->done_ranks = run->longest_queue = 0;
    run->end = run->waiting = 0;
    run->events.heap.count = 0;
    for (size_t i = 0; run->gates != NULL && i < run->net.nic_count; i++)
        run->gates[i].first = NO_SLOT;
    for (uint32_t r = 0; r < run->net.ranks; r++) {
        message_rank *rank = &run->ranks[r];
        *rank = (message_rank){.computing = -1, .inbox = NO_SLOT, .answer_to = NO_SLOT};
        simulation_random_start(&rank->random, seed, (stream << 24) + r);
        if (message_setup_sends(run->setup, r))
            rank->total = (uint64_t)messages + draw(&rank->random, messages - floor(messages));
        rank->phase_end = end_of_phase(run, rank);
        event_queue_add(&run->events, 0, WAKE | r);
    }
}

bool message_run_once(message_run *run, uint64_t seed, uint64_t stream)
{
    run->events.failed = false;
    start(run, seed, stream);
    event_queue *events = &run->events;
    while (events->heap.count > 0 && !events->failed) {
        const double now = events->heap.times[0];
        const uint32_t id = events->heap.ids[0];
        simulation_heap_drop(&events->heap, true);
        run->event_count++;
        if ((id & KIND) == WAKE)
            wake(run, id, now);
        else if ((id & KIND) == ARRIVAL)
            arrive(run, id & ~KIND, now);
        else
            credit(run, id & ~KIND, now);
    }
    for (uint32_t r = 0; r < run->net.ranks; r++)
        end_wait(run, &run->ranks[r], fmax(run->end, run->ranks[r].waiting_since));
    return !events->failed;
}

bool message_run_make(message_run *run, const message_setup *setup, const clump_machine *machine)
{
    *run = (message_run){.setup = setup};
    bool made = network_make(&run->net, machine);
    run->ranks = malloc(run->net.ranks * sizeof *run->ranks);
    made = made && run->ranks != NULL && event_queue_grow(&run->events);
    if (made && machine->receive_queue > 0) {
        run->gates = malloc(run->net.nic_count * sizeof *run->gates);
        made = run->gates != NULL;
    }
    return made;
}

void message_run_release(message_run *run)
{
    network_release(&run->net);
    event_queue_release(&run->events);
    free(run->ranks);
    free(run->slots);
    free(run->gates);
}
