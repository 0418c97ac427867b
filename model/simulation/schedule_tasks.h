/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef CLUMP_MODEL_SIMULATION_SCHEDULE_TASKS_H
#define CLUMP_MODEL_SIMULATION_SCHEDULE_TASKS_H

/*
 * Internal to model/simulation. Masters and workers, by receives that were for anybody (MODEL.md 30, "Masters"): whose result comes first gets the next
 * task, in the order in which the master had handed them out.
 *
 * A task is what a worker did from a receive of a message of the master on, computing only, to the send of a result that the master received from
 * anybody. Results of a master with one tag are one channel, whoever sends them. A task that the master sent in answer to a result goes to
 * whoever sent the result that came in its place; its operations run there.
 */

#include "model/simulation/schedule_match.h"

typedef struct schedule_tasks {
    clump_schedule
        schedule; /**< with the channels of results made one; its arrays but `operations` belong to the original */
    /** Of an operation: the receive with which its task begins, or SCHEDULE_NONE. Of a send of the master: the task that it hands out. */
    uint32_t *task_of;
    /** Of the receive with which a task begins: the master's receive to whose sender it goes, or SCHEDULE_NONE: as recorded. */
    uint32_t *answers;
    uint32_t *actor; /**< of such a receive: the rank that runs the task */
} schedule_tasks;

/** @return 1: found some; 0: none; -1: no memory. Release it in any case. Cost: O(operations). */
int schedule_tasks_find(schedule_tasks *tasks, const clump_schedule *schedule);
void schedule_tasks_release(schedule_tasks *tasks);

/** A send begins; if it hands a task out: to whom. @return the receive with which that begins, if it waits for this alone, or SCHEDULE_NONE */
uint32_t schedule_tasks_hand_out(schedule_tasks *tasks, const schedule_match *match, uint32_t send);

/** The task that an operation of a worker belongs to, or that a send of the master hands out; else SCHEDULE_NONE. */
static inline uint32_t schedule_tasks_of(const schedule_tasks *tasks, uint32_t o, bool worker)
{
    const uint32_t task = tasks->task_of[o];
    const schedule_operation *all = tasks->schedule.operations;
    return task != SCHEDULE_NONE && (all[task].rank == all[o].rank) == worker ? task
                                                                              : SCHEDULE_NONE;
}

/** Who runs the operation. */
static inline uint32_t schedule_tasks_rank(const schedule_tasks *tasks, uint32_t o)
{
    const uint32_t task = schedule_tasks_of(tasks, o, true);
    return task != SCHEDULE_NONE ? tasks->actor[task] : tasks->schedule.operations[o].rank;
}

/** Who receives what the operation sends. */
static inline uint32_t schedule_tasks_peer(const schedule_tasks *tasks, uint32_t o)
{
    const uint32_t task = schedule_tasks_of(tasks, o, false);
    return task != SCHEDULE_NONE ? tasks->actor[task] : tasks->schedule.operations[o].peer;
}

#endif
