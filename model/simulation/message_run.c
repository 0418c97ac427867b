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
#include "model/simulation/message_rank.h"

#include <math.h>

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
        if (poll->got[queue] < poll->may[queue] &&
            message_is_there(run, &run->ranks[r], queue, now)) {
            poll->got[queue]++;
            end_wait(run, &run->ranks[r], now);
            message_handle(run, r, queue, now);
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
        message_answer(run, r, now);
        return true;
    }
    if (run->polls != NULL)
        return poll_step(run, r, now);
    if (!message_is_there(run, rank, MESSAGE_LOCAL, now))
        return false;
    end_wait(run, rank, now);
    message_handle(run, r, MESSAGE_LOCAL, now);
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
            if (!message_go_on(run, r, now, &later)) {
                rest(run, r, now, later);
                return;
            }
            end_wait(run, rank, now);
        }
        now = rank->busy_until;
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

static void start(message_run *run, uint64_t seed, uint64_t stream)
{
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
        if (run->paces != NULL)
            simulation_random_start(&run->paces[r], ~seed,
                                    (stream << 24) + message_setup_leader(run->setup, r));
        if (run->polls != NULL)
            message_poll_start(&run->polls[r]);
        message_program_start(run, r);
        event_queue_add(&run->events, 0, MESSAGE_WAKE | r);
    }
}

message_run_end message_run_once(message_run *run, uint64_t seed, uint64_t stream,
                                 double most_events)
{
    event_entry event;
    uint32_t ahead;
    start(run, seed, stream);
    run->event_limit = most_events < 0x1p63 ? (uint64_t)most_events : UINT64_MAX;
    while (!run->events.failed && run->event_count < run->event_limit &&
           event_queue_take(&run->events, &event, &ahead)) {
        const uint32_t id = event.id;
        const double now = event.time;
        run->event_count++;
        if ((id & MESSAGE_KIND) == MESSAGE_WAKE)
            wake(run, id, now);
        else if ((id & MESSAGE_KIND) == MESSAGE_ARRIVAL)
            message_arrive(run, id & ~MESSAGE_KIND, now);
        else
            credit(run, id & ~MESSAGE_KIND, now);
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
        run->paces = malloc(run->net.ranks * sizeof *run->paces);
        made = run->paces != NULL;
    }
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
    free(run->paces);
}
