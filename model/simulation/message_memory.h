/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef CLUMP_MODEL_SIMULATION_MESSAGE_MEMORY_H
#define CLUMP_MODEL_SIMULATION_MESSAGE_MEMORY_H

/*
 * Internal to model/simulation. Ranks of a node that compute at the same time share its memory (memory.h): k
 * of them go on at nu(k)/k each. As in sharing.h the work that one has done who computes from the beginning,
 * v, grows by nu(k)/k, and who comes at v with the work w is done at v + w.
 */

#include "model/simulation/cluster.h"
#include "model/simulation/event_heap.h"

typedef struct message_memory {
    simulation_heap computing; /* ranks, by v */
    double v, time;
    double expected; /* when the next one is done; HUGE_VAL: nobody computes */
} message_memory;

/** All nodes of a machine. */
typedef struct message_memories {
    double *nu;
    message_memory *nodes;
    size_t count;
} message_memories;

/** 0 if there is no memory left. The machine is checked, and its memory a station. */
bool message_memories_make(message_memories *m, const clump_cluster *machine);
void message_memories_release(message_memories *m);

/** Nobody computes. */
void message_memories_reset(message_memories *m);

/** A rank begins to compute. @return when the next one of the node is done */
double message_memory_join(message_memories *m, size_t node, uint32_t rank, double work,
                           double now);

/** Whether somebody is done now: false if others have come or gone since this was expected. */
bool message_memory_is_due(const message_memories *m, size_t node, double now);

/** The rank that is done now, as long as there is one. */
bool message_memory_take(message_memories *m, size_t node, double now, uint32_t *rank);

/** When the next one is done, as far as one can tell; HUGE_VAL: nobody computes. */
double message_memory_next(message_memories *m, size_t node);

#endif
