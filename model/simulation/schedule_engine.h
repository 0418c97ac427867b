/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef CLUMP_MODEL_SIMULATION_SCHEDULE_ENGINE_H
#define CLUMP_MODEL_SIMULATION_SCHEDULE_ENGINE_H

/* Internal to model/simulation. A schedule that runs on a machine, by the one convention or the
 * other. All times in it are nanoseconds, those of the network's parameters, too: where they are
 * whole numbers every time is exact, and what happens at the same time is known to. */

#include "model/simulation/cluster_network.h"
#include "model/simulation/nic_turns.h"
#include "model/simulation/schedule_match.h"

typedef struct schedule_engine {
    const clump_schedule *schedule;
    network net;
    nic_turns turns;
    schedule_match match;
    double overhead_per_byte;
    double window_bytes; /* of a connection; 0: messages go as a whole */
    uint64_t longest;    /* message */
    uint64_t rendezvous_above;
    uint32_t *place; /* of the ranks in the machine; NULL: their numbers */
    double *ends;    /* of the ranks */
    uint64_t done;   /* operations */
    uint64_t event_count, messages;
    bool stopped; /* by who watches */
} schedule_engine;

/** Run it until nothing happens any more, or until it is stopped; false without memory. */
bool schedule_run_queued(schedule_engine *engine);
bool schedule_run_loggopsim(schedule_engine *engine);

/** What the network knows the rank by. */
static inline uint32_t schedule_engine_place(const schedule_engine *engine, uint32_t rank)
{
    return engine->place == NULL ? rank : engine->place[rank];
}

/** One more event: whether to go on. */
static inline bool schedule_engine_goes_on(schedule_engine *engine)
{
    enum { BETWEEN_LOOKS = 65536 }; /* events */
    if (++engine->event_count % BETWEEN_LOOKS == 0)
        engine->stopped =
            clump_watch_stops(engine->net.machine->watch,
                              (double)engine->done / (double)engine->schedule->count) != 0;
    return !engine->stopped;
}

/** Whether the operation is a send that waits for its receive. */
static inline bool schedule_engine_waits(const schedule_engine *engine, uint32_t o)
{
    return engine->rendezvous_above < UINT64_MAX &&
           schedule_size(engine->schedule, o) > engine->rendezvous_above &&
           schedule_kind_of(engine->schedule, o) == SCHEDULE_SEND;
}

/** One of the two things that end such a send has happened: its CPU is done with it, or its message
 * has met its receive. @return whether it was the second; false for all other operations */
static inline bool schedule_engine_meets(schedule_engine *engine, uint32_t o)
{
    if (!schedule_engine_waits(engine, o))
        return false;
    const bool second = (engine->match.state[o] & SCHEDULE_END) != 0;
    engine->match.state[o] |= SCHEDULE_END;
    return second;
}

#endif
