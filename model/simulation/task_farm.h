/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef CLUMP_MODEL_SIMULATION_TASK_FARM_H
#define CLUMP_MODEL_SIMULATION_TASK_FARM_H

/*
 * A master that hands out tasks to whoever is done first. In a schedule every message has its receiver; here a task goes to the worker
 * whose result came first, which depends on the machine.
 *
 * The master gives the first tasks to the workers that they name, one after the other. From then on it takes results in the order in which
 * they come, and answers each with the next task, as long as there are any. A worker does its tasks in the order in which they come, and
 * sends what comes out of each; or it begins by asking for the first one.
 */

#include "model/simulation/schedule.h"

/** What the master sends, and what becomes of it. */
typedef struct clump_farm_task {
    double before_us; /**< that the master computes before it sends it */
    double bytes;     /**< of its message */
    uint32_t worker;  /**< rank that gets it, if it is one of the first ones; that the time is of */
    double us;        /**< that it takes `worker` */
    double result_bytes; /**< < 0: nothing is sent back */
} clump_farm_task;

typedef struct clump_farm_worker {
    double start_us;    /**< that it computes before it gets anything */
    double start_bytes; /**< that it sends then; < 0: nothing */
    double factor;      /**< time of a task over that of others, > 0; of workers only */
} clump_farm_worker;

typedef struct clump_task_farm {
    uint32_t ranks, master;
    clump_farm_task *tasks;     /**< in the order in which the master sends them */
    size_t count, first;        /**< of which so many are given out before anything comes back */
    clump_farm_worker *workers; /**< by rank; the master's is not read */
    bool blocking; /**< a task above rendezvous_above keeps the master until its worker takes it */
} clump_task_farm;

/**
 * Run it, as clump_schedule_run() does a schedule by the conventions of CLUMP_SCHEDULE_QUEUED: a rank is busy for o_s with a message that it
 * sends, for o_r with one that it takes, and its NICs follow the rules. Tasks that nobody asks for are not done.
 *
 * @param rules  conventions and overhead of bytes are not read, and rendezvous is for the tasks of a master that blocks; NULL: the defaults
 * machine->watch is asked now and then, with the share of the tasks that are given out.
 * Errors: CLUMP_BAD_ARGUMENT, also for 2^28 tasks; CLUMP_STOPPED; CLUMP_NO_MEMORY. Cost: three events a message, and one or two a packet.
 */
clump_status clump_task_farm_run(const clump_task_farm *farm, const clump_cluster *machine,
                                 const clump_schedule_rules *rules, clump_schedule_result *result,
                                 clump_error *error);

#endif
