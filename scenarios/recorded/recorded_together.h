/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef CLUMP_SCENARIOS_RECORDED_RECORDED_TOGETHER_H
#define CLUMP_SCENARIOS_RECORDED_RECORDED_TOGETHER_H

/*
 * Collective operations of all ranks after which all go on together: barriers, allreduce, allgather, alltoall and reduce-scatter (MODEL.md
 * 28, "All together"). How long one takes follows from the messages of its algorithm, each of which waits for others: of a ring on nodes of P
 * only every P-th message leaves a node, whoever sends it.
 *
 *     facts -> clump_together_find -> calls -> clump_together_play, on any nodes -> time
 */

#include "data/arena.h"
#include "data/store/recorded_facts.h"
#include "model/loggp.h"
#include "model/node.h"
#include "model/simulation/schedule.h"
#include "model/status.h"
#include "model/workload/collective.h"
#include "model/workload/rank_order.h"

#include <stdbool.h>
#include <stddef.h>

/** Calls of about the same size. */
typedef struct clump_together_call {
    clump_collective_kind kind;
    double calls;
    double bytes; /**< of each, as a clump_collective_operation has them */
} clump_together_call;

typedef struct clump_together {
    size_t ranks;
    clump_mpi_library library;
    const clump_together_call *calls;
    size_t count;
} clump_together;

/** Where they are played. */
typedef struct clump_together_machine {
    const clump_node *node;
    const clump_loggp *network;
    const clump_loggp *shared_memory; /**< NULL: not read where every rank has a node */
    bool half_duplex;
    bool in_turn; /**< messages take NICs as those of Open MPI do (clump_schedule_as_open_mpi) */
    clump_rank_order order;
} clump_together_machine;

/** The machine on which messages of so many ranks are played, and its rules. */
clump_cluster clump_together_cluster(const clump_together_machine *machine, size_t ranks,
                                     clump_schedule_rules *rules);

/** Of all calls together. */
typedef struct clump_together_time {
    double us;
    double nic_utilization; /**< share of the NICs' capacity in use meanwhile */
} clump_together_time;

/**
 * @param together  receives NULL where there are none, where ranks do not wait in them (non-blocking ones), and of kinds that other
 *                  communicators call, too, or that would be too many messages: those are left as messages
 * Errors: CLUMP_NO_MEMORY. Cost: O(rows of the facts).
 */
clump_status clump_together_find(const clump_facts *facts, const clump_loggp *network,
                                 clump_arena *arena, const clump_together **together,
                                 clump_error *error);

/** Whether the messages and calls of that name are its. */
bool clump_together_has(const clump_together *together, const char *kind);

/** Each class of calls is played once, message by message: all ranks begin at the same time. Errors: those of clump_schedule_run. Cost: some 3
 *  events a message of one call of each class. */
clump_status clump_together_play(const clump_together *together,
                                 const clump_together_machine *machine, clump_together_time *time,
                                 clump_error *error);

#endif
