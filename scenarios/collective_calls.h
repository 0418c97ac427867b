/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef CLUMP_SCENARIOS_COLLECTIVE_CALLS_H
#define CLUMP_SCENARIOS_COLLECTIVE_CALLS_H

/* Applications that say which collective operations they do: how long these take on a Clump and on its NOW. */

#include "model/prediction.h"
#include "model/workload/collective_time.h"
#include "scenarios/field.h"
#include "scenarios/scenario.h"

/** Who says which algorithm it is. */
typedef enum scenario_algorithm {
    SCENARIO_ALGORITHM_FASTEST, /**< on these nodes */
    SCENARIO_ALGORITHM_OPEN_MPI,
    SCENARIO_ALGORITHM_MPICH,
    SCENARIO_ALGORITHM_NCCL,
    SCENARIO_ALGORITHM_NAMED
} scenario_algorithm;

typedef struct scenario_collective {
    clump_collective_kind kind;
    bool sends; /**< no collective: each rank sends to the next one of its communicator */
    scenario_algorithm chosen;
    clump_collective_algorithm algorithm; /**< if named */
    double bytes;                         /**< of a call, as in clump_collective_operation */
    double count;                         /**< calls, real where it is a mean */
    double size;                          /**< ranks of a communicator; 0: all */
    double stride;
    double overlap; /**< share of its time in which its processors also compute */
} scenario_collective;

typedef struct scenario_collectives {
    const scenario_collective *items;
    size_t count;
    double ranks; /**< of the program; 0: those of the platform's nodes */
} scenario_collectives;

/** collective { ... }: returns an object. */
int scenario_collective_new(lua_State *L);

/** The collectives of an application's table: fields collectives, ranks, overlap. */
scenario_collectives scenario_collectives_read(scenario_table table);

/** us, of a processor. */
typedef struct scenario_collectives_time {
    double us;        /**< in all calls */
    double hidden_us; /**< of these in which it may compute as well */
    double nic_us;    /**< of one NIC, for what leaves a node */
} scenario_collectives_time;

/** Ranks of the program on nodes of so many processors each. */
double scenario_collectives_ranks(const scenario_collectives *all, size_t nodes, size_t processors);

/** The algorithm of one call. Errors and cost: as clump_collective_fastest. */
clump_status scenario_collective_choose(const scenario_collective *c,
                                        const clump_collective_clump *clump, double ranks,
                                        clump_collective_request *request, clump_error *error);

/** The time of the call that was chosen so. Errors and cost: as clump_collective_time. */
clump_status scenario_collective_time(const scenario_collective *c,
                                      const clump_collective_clump *clump,
                                      const clump_collective_request *request,
                                      clump_collective_cost *cost, clump_error *error);

/** A collective of a configuration (scenario.h), on its nodes. */
typedef struct clump_scenario_call {
    const char *application, *platform; /**< may be NULL; belong to the scenario */
    scenario_collective collective;
    double ranks; /**< of the program */
    clump_node node;
    clump_collective_clump clump; /**< its node is the one above: set when it is used */
} clump_scenario_call;

/** Collectives of the applications of a configuration. */
size_t clump_scenario_call_count(const clump_scenario *scenario, size_t configuration);

/** @param index  below that. Errors: as clump_scenario_compute. */
clump_scenario_status clump_scenario_call_of(const clump_scenario *scenario, size_t configuration,
                                             size_t index, clump_scenario_call *call, char *message,
                                             size_t message_size);

/** The time of all of them. Errors: as clump_collective_time; times beyond 1e30 us. Cost: some microseconds a collective. */
clump_status scenario_collectives_time_of(const scenario_collectives *all,
                                          const clump_collective_clump *clump, double ranks,
                                          scenario_collectives_time *time, clump_error *error);

/** Time of a program that has these collectives, and computes for `computation_us`, us: computation hides what it can. */
double scenario_collectives_total_us(const scenario_collectives_time *time, double computation_us);

#endif
