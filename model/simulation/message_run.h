/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef CLUMP_SIMULATION_MESSAGE_RUN_H
#define CLUMP_SIMULATION_MESSAGE_RUN_H

/* Internal to model/simulation. One run of a program on a machine. */

#include "model/simulation/event_queue.h"
#include "model/simulation/network.h"
#include "model/simulation/sampler.h"

/** What all runs of a program share. */
typedef struct message_setup {
    const clump_program *program;
    simulation_ziggurat ziggurat;
    simulation_sampler computation;
    double *cumulative; /* of the rows of the matrix; NULL without */
    size_t ranks;
    bool random; /* something in it is random */
} message_setup;

/** Check and prepare; release in any case. */
clump_status message_setup_make(message_setup *setup, const clump_program *program,
                                const clump_machine *machine, clump_error *error);
void message_setup_release(message_setup *setup);

/** Who gets message number `number` (from 0) of a rank. */
uint32_t message_setup_target(const message_setup *setup, const clump_machine *machine,
                              uint32_t rank, uint64_t number, simulation_random *random);

/** Whether the rank sends anything by itself. */
bool message_setup_sends(const message_setup *setup, uint32_t rank);

typedef struct message_rank message_rank;
typedef struct message_slot message_slot;
typedef struct message_gate message_gate;

/** Memory of runs that follow each other. */
typedef struct message_run {
    const message_setup *setup;
    network net;
    event_queue events;
    message_rank *ranks;
    message_slot *slots;
    size_t slot_count, slot_room;
    uint32_t free_slot;
    message_gate *gates; /* of the NICs' receiving sides; NULL: queues without limit */
    uint64_t in_flight, messages, event_count;
    size_t waiting_ranks, done_ranks; /* at the barrier; done */
    double end, waiting;
    size_t longest_queue;
} message_run;

bool message_run_make(message_run *run, const message_setup *setup, const clump_machine *machine);
void message_run_release(message_run *run);

/** Run once with the random numbers of seed and stream; false if memory ran out. */
bool message_run_once(message_run *run, uint64_t seed, uint64_t stream);

#endif
