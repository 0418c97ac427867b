/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef CLUMP_MODEL_SIMULATION_SCHEDULE_ENGINE_H
#define CLUMP_MODEL_SIMULATION_SCHEDULE_ENGINE_H

/* Internal to model/simulation. A schedule that runs on a machine, by the one convention or the
 * other; and the machine, on which other programs run, too. All times in it are nanoseconds, those of
 * the network's parameters, too: where they are whole numbers every time is exact, and what happens at
 * the same time is known to. */

#include "model/simulation/cluster_network.h"
#include "model/simulation/schedule_match.h"

#define SCHEDULE_NS_PER_US 1e3

/** Nodes for a number of ranks, and what is known of a run on them. */
typedef struct schedule_machine {
    clump_cluster cluster; /* its queues have no limit */
    network net;
    size_t ranks;
    uint32_t *place; /* of the ranks in the machine; NULL: their numbers */
    double *ends;    /* of the ranks */
    uint64_t event_count, messages;
    bool stopped; /* by who watches */
} schedule_machine;

/**
 * @param cluster  as clump_schedule_run takes it: times in us, its number of nodes is not read
 * Errors: CLUMP_BAD_ARGUMENT, CLUMP_NO_MEMORY. Release in any case.
 */
clump_status schedule_machine_make(schedule_machine *machine, const clump_cluster *cluster,
                                   size_t ranks, clump_rank_order order, clump_error *error);
void schedule_machine_release(schedule_machine *machine);

/** What the network knows the rank by. */
static inline uint32_t schedule_machine_place(const schedule_machine *machine, uint32_t rank)
{
    return machine->place == NULL ? rank : machine->place[rank];
}

/** One more event: whether to go on. */
static inline bool schedule_machine_goes_on(schedule_machine *machine, uint64_t done,
                                            uint64_t of_all)
{
    enum { BETWEEN_LOOKS = 65536 }; /* events */
    if (++machine->event_count % BETWEEN_LOOKS == 0)
        machine->stopped =
            clump_watch_stops(machine->cluster.watch, (double)done / (double)of_all) != 0;
    return !machine->stopped;
}

/** In us, by the ends of its ranks and what its NICs have done. */
clump_schedule_result schedule_machine_result(const schedule_machine *machine);

typedef struct schedule_engine {
    const clump_schedule *schedule;
    const clump_schedule_rules *rules;
    schedule_machine machine;
    schedule_match match;
    double overhead_per_byte;
    uint64_t done; /* operations */
} schedule_engine;

/** Run it until nothing happens any more, or until it is stopped; false without memory. */
bool schedule_run_queued(schedule_engine *engine);
bool schedule_run_loggopsim(schedule_engine *engine);

/** What the network knows the rank by. */
static inline uint32_t schedule_engine_place(const schedule_engine *engine, uint32_t rank)
{
    return schedule_machine_place(&engine->machine, rank);
}

/** One more event: whether to go on. */
static inline bool schedule_engine_goes_on(schedule_engine *engine)
{
    return schedule_machine_goes_on(&engine->machine, engine->done, engine->schedule->count);
}

/** Whether the operation is a send that waits for its receive. */
static inline bool schedule_engine_waits(const schedule_engine *engine, uint32_t o)
{
    return engine->rules->rendezvous_above < UINT64_MAX &&
           schedule_size(engine->schedule, o) > engine->rules->rendezvous_above &&
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
