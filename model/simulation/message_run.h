/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef CLUMP_MODEL_SIMULATION_MESSAGE_RUN_H
#define CLUMP_MODEL_SIMULATION_MESSAGE_RUN_H

/* Internal to model/simulation. One run of a program on a machine. */

#include "model/simulation/cluster_network.h"
#include "model/simulation/event_queue.h"
#include "model/simulation/message_memory.h"
#include "model/simulation/message_setup.h"

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
    struct message_poll *polls;       /* of the ranks; NULL: no adaptive polling */
    simulation_random *common_random; /* of ranks that compute together; NULL: of none */
    double send_overhead[2], receive_overhead[2]; /* local, network; without the poll in them */
    message_memories memory;                      /* nodes NULL: who computes does so alone */
    message_gate *gates; /* of the NICs' receiving sides; NULL: queues without limit */
    uint64_t in_flight, messages, event_count, event_limit;
    size_t waiting_ranks, done_ranks; /* at the barrier; done */
    double end, waiting;
    size_t longest_queue;
} message_run;

bool message_run_make(message_run *run, const message_setup *setup, const clump_cluster *machine);
void message_run_release(message_run *run);

typedef enum message_run_end {
    MESSAGE_RUN_DONE = 0,
    MESSAGE_RUN_CUT,     /**< more than `most_events` */
    MESSAGE_RUN_STOPPED, /**< by who watches over the machine */
    MESSAGE_RUN_NO_MEMORY
} message_run_end;

/** Run once with the random numbers of seed and stream. */
message_run_end message_run_once(message_run *run, uint64_t seed, uint64_t stream,
                                 double most_events);

#endif
