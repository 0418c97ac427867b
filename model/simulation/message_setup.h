/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef CLUMP_MODEL_SIMULATION_MESSAGE_SETUP_H
#define CLUMP_MODEL_SIMULATION_MESSAGE_SETUP_H

/* Internal to model/simulation. A program that was checked, and who sends to whom in it. */

#include "model/simulation/cluster.h"
#include "model/simulation/message_program.h"
#include "model/simulation/sampler.h"

/** What all runs of a program share. */
typedef struct message_setup {
    const clump_program *program;
    simulation_ziggurat ziggurat;
    simulation_sampler computation, sizes;
    double *cumulative; /* of the rows of the matrix; NULL without */
    size_t ranks;
    size_t node_size;   /* of the program */
    double work_factor; /* of its imbalance, to mean 1 */
    bool random;        /* something in it is random */
} message_setup;

/** Check and prepare; release in any case. */
clump_status message_setup_make(message_setup *setup, const clump_program *program,
                                const clump_cluster *machine, clump_error *error);
void message_setup_release(message_setup *setup);

/** Who gets message number `number` (from 0) of a rank. */
uint32_t message_setup_target(const message_setup *setup, uint32_t rank, uint64_t number,
                              simulation_random *random);

/** What a rank has to do over the mean of all. */
double message_setup_work(const message_setup *setup, uint32_t rank);

/** The first of the ranks that compute for the same times as this one. */
uint32_t message_setup_leader(const message_setup *setup, uint32_t rank);

/** Whether the rank sends anything by itself. */
bool message_setup_sends(const message_setup *setup, uint32_t rank);

#endif
