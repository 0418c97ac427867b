/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef CLUMP_MODEL_SIMULATION_SCHEDULE_H
#define CLUMP_MODEL_SIMULATION_SCHEDULE_H

/*
 * Schedules in GOAL, the text format of LogGOPSim (Hoefler, Schneider, Lumsdaine, "LogGOPSim", HPDC
 * 2010; Hoefler, Siebert, Lumsdaine, "Group Operation Assembly Language", ICPP 2009): what each
 * rank computes, sends and receives, and what has to wait for what.
 *
 *     clump_schedule_parse -> clump_schedule_run -> ... -> clump_schedule_free
 *
 *   file       num_ranks N, then rank blocks in any order, none twice
 *   rank R {   one statement a line, up to }
 *   [LABEL:] send SIZEb to RANK [tag T] [cpu C] [nic N]
 *   [LABEL:] recv SIZEb from RANK [tag T] [cpu C] [nic N]     RANK and T may be -1: any
 *   [LABEL:] calc TIME [cpu C]                                in nanoseconds
 *   LABEL requires LABEL                                      the first after the end of the other
 *   LABEL irequires LABEL                                     the first after its start
 *
 * with // and slash-star comments. Absent tags and CPUs are 0. Labels hold within a rank.
 */

#include "model/simulation/cluster.h"

typedef struct clump_schedule clump_schedule;

/** At most 2^30 operations, 2^22 ranks, 64 CPUs a rank. */
#define CLUMP_SCHEDULE_MOST_RANKS ((size_t)1 << 22)

/**
 * @param text      need not end with a NUL; is not needed afterwards
 * @param schedule  to be freed
 * Errors: CLUMP_BAD_ARGUMENT with line, found and expected. Cost: O(n log n).
 * Memory: 56 bytes an operation, 4 a dependency.
 */
clump_status clump_schedule_parse(const char *text, size_t size, clump_schedule **schedule,
                                  clump_error *error);
void clump_schedule_free(clump_schedule *schedule);

size_t clump_schedule_ranks(const clump_schedule *schedule);
size_t clump_schedule_operations(const clump_schedule *schedule);

typedef struct clump_schedule_result {
    double time_us;     /**< end of the last operation */
    double mean_end_us; /**< mean of the ends of the ranks */
    double nic_utilization, receive_utilization;
    double messages, events;
} clump_schedule_result;

/**
 * Run it. Operations of one CPU that are ready are done in the order in which they became ready. A
 * send keeps its CPU busy for o_s, a receive for o_r once its message is there. Messages match
 * receives by source and tag, first come, first served. `nic` is read and not used: the machine
 * says which NIC a rank has. Queues have no limit here.
 *
 * @param machine  nodes are as many as the ranks need; machine->nodes is not read
 * Errors: CLUMP_BAD_ARGUMENT also if operations are left that can never run: the message names one.
 * Memory: 24 bytes a message or receive without counterpart, some 40 a rank, besides the
 * schedule's. Cost: three events a message.
 */
clump_status clump_schedule_run(const clump_schedule *schedule, const clump_cluster *machine,
                                clump_schedule_result *result, clump_error *error);

#endif
