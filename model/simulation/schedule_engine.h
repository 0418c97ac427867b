/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef CLUMP_MODEL_SIMULATION_SCHEDULE_ENGINE_H
#define CLUMP_MODEL_SIMULATION_SCHEDULE_ENGINE_H

/* Internal to model/simulation. A schedule that runs on a machine, by the one convention or the
 * other. All times in it are nanoseconds, those of the network's parameters, too: where they are
 * whole numbers every time is exact, and what happens at the same time is known to. */

#include "model/simulation/cluster_network.h"
#include "model/simulation/schedule_tasks.h"

#define SCHEDULE_NS_PER_US 1e3

typedef struct schedule_engine {
    const clump_schedule *schedule;
    const clump_schedule_rules *rules;
    clump_cluster cluster; /* nodes for all ranks; its queues have no limit */
    network net;
    uint32_t *place; /* of the ranks in the machine; NULL: their numbers */
    double *ends;    /* of the ranks */
    schedule_match match;
    schedule_tasks *tasks; /* that masters hand out; NULL: none */
    double overhead_per_byte;
    uint64_t done; /* operations */
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

/** The parameters by which the message that an operation sends goes. */
static inline const clump_loggp *schedule_engine_protocol(const schedule_engine *engine,
                                                          const schedule_operation *send)
{
    return network_protocol(&engine->net, schedule_engine_place(engine, send->rank),
                            schedule_engine_place(engine, send->peer));
}

/** One more event: whether to go on. */
static inline bool schedule_engine_goes_on(schedule_engine *engine)
{
    enum { BETWEEN_LOOKS = 65536 }; /* events */
    if (++engine->event_count % BETWEEN_LOOKS == 0)
        engine->stopped =
            clump_watch_stops(engine->cluster.node.watch,
                              (double)engine->done / (double)engine->schedule->count) != 0;
    return !engine->stopped;
}

/** A rank does something until then. */
static inline void schedule_engine_ends(schedule_engine *engine, uint32_t rank, double when)
{
    engine->ends[rank] = network_later(engine->ends[rank], when);
}

/** Whether the operation is a send that waits for its receive. */
static inline bool schedule_engine_waits(const schedule_engine *engine, uint32_t o)
{
    const schedule_operation *operation = &engine->schedule->operations[o];
    return operation->size > engine->rules->rendezvous_above && operation->kind == SCHEDULE_SEND;
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
