/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a rank does when nothing is left to handle. */
#include "model/simulation/message_rank.h"

#include <math.h>

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

void message_check_barrier(message_run *run, double now)
{
    if (run->waiting_ranks > 0 && run->waiting_ranks + run->done_ranks == run->net.ranks &&
        run->in_flight == 0)
        leave_barrier(run, now);
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
    message_send(run, now, r, to, bytes,
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
        simulation_random *random = run->paces != NULL ? &run->paces[r] : &rank->random;
        rank->computing = mean > 0 ? mean * run->net.machine->memory_penalty *
                                         simulation_sample(&run->setup->computation, random)
                                   : 0;
    }
    const double piece = p->poll_us > 0 ? fmin(rank->computing, p->poll_us) : rank->computing;
    rank->computing -= piece;
    rank->busy_until = now + piece;
    if (run->polls != NULL) /* before what is sent now, or before the next piece */
        run->polls[r].due = true;
}

static uint64_t end_of_phase(const message_run *run, const message_rank *rank)
{
    const double share = (rank->phase + 1) / run->setup->program->phases;
    return share >= 1 ? rank->total : (uint64_t)((double)rank->total * share);
}

/* Go on with the program; false if there is nothing to do but to wait. */
bool message_go_on(message_run *run, uint32_t r, double now, double *later)
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
        message_check_barrier(run, now);
        return true;
    default:
        return false;
    }
}

void message_program_start(message_run *run, uint32_t r)
{
    const double messages = run->setup->program->messages * message_setup_work(run->setup, r);
    message_rank *rank = &run->ranks[r];
    if (message_setup_sends(run->setup, r))
        rank->total = (uint64_t)messages + draw(&rank->random, messages - floor(messages));
    rank->phase_end = end_of_phase(run, rank);
}
