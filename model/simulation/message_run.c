/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Events, and what they do:
 *
 *   wake      a rank looks around: it handles one message that has arrived, or goes on with its
 *             program. While it computes it is not woken by messages. A wake that comes too early
 *             does no harm, the rank just waits on.
 *   arrival   the first byte of a message is at the receiving NIC (or port)
 *   credit    the sender learns that a message of its window was handled
 *   computed  a rank that shares its node's memory with others is done with a piece of computation, if
 *             nobody has come or gone since that was expected
 *
 * A rank does one thing at a time, and nothing that lies ahead of the event that it is at: what it
 * sends leaves in the order of events.
 */
#include "model/simulation/message_run.h"

#include "model/simulation/message_poll.h"

#include <math.h>

/* ---- ranks and messages while a program runs */

/* In the upper bits of an event; the others are a rank or a slot. */
#define MESSAGE_WAKE UINT32_C(0)
#define MESSAGE_ARRIVAL (UINT32_C(1) << 30)
#define MESSAGE_CREDIT (UINT32_C(2) << 30)
#define MESSAGE_COMPUTED (UINT32_C(3) << 30)
#define MESSAGE_KIND (UINT32_C(3) << 30)
#define MESSAGE_NO_SLOT UINT32_MAX

/* What a rank does next, once nothing is left to handle. */
typedef enum message_stage { COMPUTE, SEND, LEAVE, BARRIER, DONE } message_stage;

struct message_rank {
    simulation_random random;
    double busy_until;
    double computing; /* what is left of the computation */
    double waiting_since;
    uint64_t sent, total;             /* messages */
    uint64_t phase_begin, phase_end;  /* between two barriers */
    uint32_t inbox[2], inbox_last[2]; /* first and last slot, in the order of arrival */
    uint32_t queued;                  /* of the network, in the inbox: limited */
    uint32_t outstanding;             /* of the window */
    uint32_t phase;
    uint32_t
        answer_to; /* rank that waits for an answer, which is sent next; MESSAGE_NO_SLOT: none */
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

/** Whether all of a message is there. */
static bool is_there(const message_run *run, const message_rank *rank, int queue, double now)
{
    return rank->inbox[queue] != MESSAGE_NO_SLOT && run->slots[rank->inbox[queue]].arrived <= now;
}

/* ---- barriers */

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
        if (run->polls != NULL) { /* the barrier's time has its polls in it */
            run->polls[r].idle = false;
            run->polls[r].due = true;
        }
        event_queue_add(&run->events, t, MESSAGE_WAKE | r);
    }
}

/** Everybody is at the barrier and no message is on its way: all go on. */
static void check_barrier(message_run *run, double now)
{
    if (run->waiting_ranks > 0 && run->waiting_ranks + run->done_ranks == run->net.ranks &&
        run->in_flight == 0)
        leave_barrier(run, now);
}

/* ---- a message from its sender to the queue of the receiver, and out of it */

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

/** Hand a message to the NIC (or port) at `now`; the sender is busy for its overhead. */
static void send_message(message_run *run, double now, uint32_t from, uint32_t to, double bytes,
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
    const size_t nic = m->node.mapping == CLUMP_MAPPING_STATIC
                           ? run->net.nic_of[to % m->node.processors]
                           : to % m->node.nics;
    return &run->gates[to / m->node.processors * m->node.nics + nic];
}

/** Its first byte is there: it is received, or waits at the gate. */
static void arrive(message_run *run, uint32_t i, double now)
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

/** The first message in a queue of a rank is handled; it ends at the rank's busy_until. */
static void handle(message_run *run, uint32_t r, int queue, double now)
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
    check_barrier(run, t);
}

/** Send the answer that the rank owes. */
static void answer(message_run *run, uint32_t r, double now)
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
    send_message(run, now, r, to, 1,
                 (uint8_t)(ANSWER | (rank->answer_is_awaited ? AWAITED : 0) |
                           (rank->answer_frees ? COUNTED : 0)));
}

/* ---- what a rank does when nothing is left to handle */

static bool draw(simulation_random *random, double share)
{
    return share >= 1 || (share > 0 && simulation_random_uniform(random) < share);
}

/* Send the next message of the program; false if the rank has to wait, until `later` at most. */
static bool send_next(message_run *run, uint32_t r, double now, double *later)
{
    const clump_program *p = run->setup->program;
    message_rank *rank = &run->ranks[r];
    const simulation_random before = rank->random;
    if (p->window > 0 && rank->outstanding >= p->window)
        return false;
    const uint32_t to = message_setup_target(run->setup, r, rank->sent, &rank->random);
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
    double bytes = bulk ? p->bulk_bytes : 1;
    if (p->sizes_vary && bytes > 1)
        bytes = 1 + (bytes - 1) * simulation_sample(&run->setup->sizes, &rank->random);
    send_message(run, now, r, to, bytes,
                 (uint8_t)((wants ? WANTS_ANSWER : 0) | (awaited ? AWAITED : 0) |
                           (p->window > 0 ? COUNTED : 0)));
    return true;
}

/* A piece of computation, up to the next poll. */
static void compute(message_run *run, uint32_t r, double now)
{
    message_rank *rank = &run->ranks[r];
    const clump_program *p = run->setup->program;
    if (rank->computing < 0) {
        const bool within_burst = (rank->sent - rank->phase_begin) % (uint64_t)p->burst != 0;
        double mean = p->messages > 0 ? p->computation_us / p->messages : 0;
        mean *= within_burst ? 0 : fmin(p->burst, (double)(rank->phase_end - rank->sent));
        simulation_random *random =
            run->common_random != NULL ? &run->common_random[r] : &rank->random;
        rank->computing = mean > 0 ? mean * run->net.machine->memory_penalty *
                                         simulation_sample(&run->setup->computation, random)
                                   : 0;
    }
    const double piece = p->poll_us > 0 ? fmin(rank->computing, p->poll_us) : rank->computing;
    rank->computing -= piece;
    rank->busy_until = now + piece;
    if (run->memory.nodes != NULL && piece > 0) { /* nobody knows until when */
        const size_t node = r / run->net.machine->node.processors;
        const double next = message_memory_join(&run->memory, node, r, piece, now);
        rank->busy_until = HUGE_VAL;
        event_queue_add(&run->events, next, MESSAGE_COMPUTED | (uint32_t)node);
    }
    if (run->polls != NULL) /* before what is sent now, or before the next piece */
        run->polls[r].due = true;
}

static uint64_t end_of_phase(const message_run *run, const message_rank *rank)
{
    const double share = (rank->phase + 1) / run->setup->program->phases;
    return share >= 1 ? rank->total : (uint64_t)((double)rank->total * share);
}

/**
 * Go on with the program; false if there is nothing to do but to wait.
 * @param later  set to when something can be done, if that is known
 */
static bool go_on(message_run *run, uint32_t r, double now, double *later)
{
    message_rank *rank = &run->ranks[r];
    switch ((message_stage)rank->stage) {
    case COMPUTE:
        if (rank->waits_for_answer)
            return false;
        if (rank->sent == rank->phase_end) {
            rank->stage = LEAVE;
            return true;
        }
        compute(run, r, now);
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

/** Begin: how many messages a rank sends in all, and up to its first barrier. */
static void start_program(message_run *run, uint32_t r)
{
    const double messages = run->setup->program->messages * message_setup_work(run->setup, r);
    message_rank *rank = &run->ranks[r];
    if (message_setup_sends(run->setup, r))
        rank->total = (uint64_t)messages + draw(&rank->random, messages - floor(messages));
    rank->phase_end = end_of_phase(run, rank);
}

/* ---- events, and a rank that looks around */

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

/* The next step of a rank with adaptive polling that has to do with polls; false if there is none.
 */
static bool poll_step(message_run *run, uint32_t r, double now)
{
    message_poll *poll = &run->polls[r];
    const clump_message_polling *rule = &run->net.machine->polling;
    for (int queue = MESSAGE_LOCAL; poll->open && queue <= MESSAGE_REMOTE; queue++)
        if (poll->got[queue] < poll->may[queue] && is_there(run, &run->ranks[r], queue, now)) {
            poll->got[queue]++;
            end_wait(run, &run->ranks[r], now);
            handle(run, r, queue, now);
            return true;
        }
    if (poll->open)
        message_poll_close(poll, rule);
    if (!poll->due)
        return false;
    run->ranks[r].busy_until = now + message_poll_open(poll, rule);
    return true;
}

/* Handle a message or poll; false if it is the program's turn. */
static bool look(message_run *run, uint32_t r, double now)
{
    message_rank *rank = &run->ranks[r];
    if (rank->answer_to != MESSAGE_NO_SLOT) {
        end_wait(run, rank, now);
        answer(run, r, now);
        return true;
    }
    if (run->polls != NULL)
        return poll_step(run, r, now);
    if (!is_there(run, rank, MESSAGE_LOCAL, now))
        return false;
    end_wait(run, rank, now);
    handle(run, r, MESSAGE_LOCAL, now);
    return true;
}

/* Nothing to do until something arrives, or until `later`. */
static void rest(message_run *run, uint32_t r, double now, double later)
{
    message_rank *rank = &run->ranks[r];
    begin_wait(rank, now);
    for (int queue = MESSAGE_LOCAL; queue <= MESSAGE_REMOTE; queue++)
        if (rank->inbox[queue] != MESSAGE_NO_SLOT)
            later = fmin(later, run->slots[rank->inbox[queue]].arrived);
    if (run->polls != NULL) {
        run->polls[r].idle = run->polls[r].due = true;
        run->polls[r].idle_since = now;
    }
    if (later < HUGE_VAL)
        event_queue_add(&run->events, fmax(later, now), MESSAGE_WAKE | r);
}

/* A rank that waits polls over and over: what it is woken for it finds when the poll under way
 * ends.
 */
static bool is_polling(message_run *run, uint32_t r, double now)
{
    if (run->polls == NULL || !run->polls[r].idle)
        return false;
    const double end =
        message_poll_idle(&run->polls[r], &run->net.machine->polling, now, &run->event_count);
    run->ranks[r].busy_until = end;
    event_queue_add(&run->events, end, MESSAGE_WAKE | r);
    return true;
}

/* A rank does what it can before the next event of anybody. */
static void wake(message_run *run, uint32_t r, double now)
{
    message_rank *rank = &run->ranks[r];
    const event_queue *events = &run->events;
    if (now < rank->busy_until || is_polling(run, r, now))
        return;
    for (;;) {
        double later = HUGE_VAL;
        rank->busy_until = now;
        if (!look(run, r, now)) {
            if (!go_on(run, r, now, &later)) {
                rest(run, r, now, later);
                return;
            }
            end_wait(run, rank, now);
        }
        now = rank->busy_until;
        if (now == HUGE_VAL) /* it computes until it is woken */
            return;
        const bool ended = run->event_count >= run->event_limit;
        if (ended || event_queue_next(events) <= now) {
            event_queue_add(&run->events, now, MESSAGE_WAKE | r);
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

/* Those who are done with a piece of computation go on. */
static void computed(message_run *run, uint32_t node, double now)
{
    uint32_t rank;
    if (!message_memory_is_due(&run->memory, node, now))
        return;
    while (message_memory_take(&run->memory, node, now, &rank)) {
        run->ranks[rank].busy_until = now;
        event_queue_add(&run->events, now, MESSAGE_WAKE | rank);
    }
    const double next = message_memory_next(&run->memory, node);
    if (next < HUGE_VAL)
        event_queue_add(&run->events, next, MESSAGE_COMPUTED | node);
}

static void start(message_run *run, uint64_t seed, uint64_t stream)
{
    message_memories_reset(&run->memory);
    network_reset(&run->net);
    run->slot_count = 0;
    run->free_slot = MESSAGE_NO_SLOT;
    run->in_flight = run->messages = run->event_count = 0;
    run->waiting_ranks = run->done_ranks = run->longest_queue = 0;
    run->end = run->waiting = 0;
    event_queue_clear(&run->events);
    for (size_t i = 0; run->gates != NULL && i < run->net.nic_count; i++)
        run->gates[i].first = MESSAGE_NO_SLOT;
    for (uint32_t r = 0; r < run->net.ranks; r++) {
        message_rank *rank = &run->ranks[r];
        *rank = (message_rank){.computing = -1,
                               .inbox = {MESSAGE_NO_SLOT, MESSAGE_NO_SLOT},
                               .answer_to = MESSAGE_NO_SLOT};
        simulation_random_start(&rank->random, seed, (stream << 24) + r);
        if (run->common_random != NULL)
            simulation_random_start(&run->common_random[r], ~seed,
                                    (stream << 24) + message_setup_leader(run->setup, r));
        if (run->polls != NULL)
            message_poll_start(&run->polls[r]);
        start_program(run, r);
        event_queue_add(&run->events, 0, MESSAGE_WAKE | r);
    }
}

enum { BETWEEN_LOOKS = 65536 }; /* events */

message_run_end message_run_once(message_run *run, uint64_t seed, uint64_t stream,
                                 double most_events)
{
    event_entry event;
    start(run, seed, stream);
    run->event_limit = most_events < 0x1p63 ? (uint64_t)most_events : UINT64_MAX;
    while (!run->events.failed && run->event_count < run->event_limit &&
           event_queue_take(&run->events, &event)) {
        const uint32_t id = event.id;
        const double now = event.time;
        run->event_count++;
        if (run->event_count % BETWEEN_LOOKS == 0 &&
            clump_watch_stops(run->net.machine->node.watch, NAN))
            return MESSAGE_RUN_STOPPED;
        if ((id & MESSAGE_KIND) == MESSAGE_WAKE)
            wake(run, id, now);
        else if ((id & MESSAGE_KIND) == MESSAGE_ARRIVAL)
            arrive(run, id & ~MESSAGE_KIND, now);
        else if ((id & MESSAGE_KIND) == MESSAGE_CREDIT)
            credit(run, id & ~MESSAGE_KIND, now);
        else
            computed(run, id & ~MESSAGE_KIND, now);
    }
    for (uint32_t r = 0; r < run->net.ranks; r++)
        end_wait(run, &run->ranks[r], fmax(run->end, run->ranks[r].waiting_since));
    if (run->events.failed)
        return MESSAGE_RUN_NO_MEMORY;
    return event_queue_next(&run->events) < HUGE_VAL ? MESSAGE_RUN_CUT : MESSAGE_RUN_DONE;
}

/* With adaptive polling the polls that happen are paid for, instead of the one in each overhead. */
static void set_overheads(message_run *run)
{
    const clump_cluster *m = run->net.machine;
    const clump_loggp *protocols[] = {&m->shared_memory, &m->network};
    const double polls[] = {m->polling.costs.local_us, m->polling.costs.network_us};
    for (int i = 0; i < 2; i++) {
        const double within = run->polls != NULL ? polls[i] : 0;
        run->send_overhead[i] = fmax(protocols[i]->send_overhead_us - within, 0);
        run->receive_overhead[i] = fmax(protocols[i]->receive_overhead_us - within, 0);
    }
}

bool message_run_make(message_run *run, const message_setup *setup, const clump_cluster *machine)
{
    *run = (message_run){.setup = setup};
    event_queue_make(&run->events);
    bool made = network_make(&run->net, machine);
    run->ranks = malloc(run->net.ranks * sizeof *run->ranks);
    made = made && run->ranks != NULL;
    if (made && machine->receive_queue > 0) {
        run->gates = malloc(run->net.nic_count * sizeof *run->gates);
        made = run->gates != NULL;
    }
    if (made && machine->polling.acceptance > 0) {
        run->polls = malloc(run->net.ranks * sizeof *run->polls);
        made = run->polls != NULL;
    }
    if (made && setup->program->together > 1) {
        run->common_random = malloc(run->net.ranks * sizeof *run->common_random);
        made = run->common_random != NULL;
    }
    if (made && clump_memory_is_station(&machine->node.memory))
        made = message_memories_make(&run->memory, machine);
    set_overheads(run);
    return made;
}

void message_run_release(message_run *run)
{
    network_release(&run->net);
    event_queue_release(&run->events);
    free(run->ranks);
    free(run->slots);
    free(run->gates);
    free(run->polls);
    free(run->common_random);
    message_memories_release(&run->memory);
}
