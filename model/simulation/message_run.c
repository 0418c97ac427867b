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
        if (rank->answer_to != MESSAGE_NO_SLOT) {
            message_answer(run, r, now);
        } else if (rank->inbox != MESSAGE_NO_SLOT && run->slots[rank->inbox].arrived <= now) {
            message_handle(run, r, now);
        } else if (!message_go_on(run, r, now, &later)) {
            begin_wait(rank, now);
            if (rank->inbox != MESSAGE_NO_SLOT)
                later = fmin(later, run->slots[rank->inbox].arrived);
            if (later < HUGE_VAL)
                event_queue_add(&run->events, later, MESSAGE_WAKE | r);
            return;
        }
        now = rank->busy_until;
        if (event_queue_next(events) <= now) {
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
        *rank =
            (message_rank){.computing = -1, .inbox = MESSAGE_NO_SLOT, .answer_to = MESSAGE_NO_SLOT};
        simulation_random_start(&rank->random, seed, (stream << 24) + r);
        message_program_start(run, r);
        event_queue_add(&run->events, 0, MESSAGE_WAKE | r);
    }
}

bool message_run_once(message_run *run, uint64_t seed, uint64_t stream)
{
    event_entry event;
    uint32_t ahead;
    start(run, seed, stream);
    while (!run->events.failed && event_queue_take(&run->events, &event, &ahead)) {
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
    return !run->events.failed;
}

bool message_run_make(message_run *run, const message_setup *setup, const clump_machine *machine)
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
