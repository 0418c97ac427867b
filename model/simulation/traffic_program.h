/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef CLUMP_MODEL_SIMULATION_TRAFFIC_PROGRAM_H
#define CLUMP_MODEL_SIMULATION_TRAFFIC_PROGRAM_H

/*
 * An application that is described by what a processor sends, as a program of messages.
 *
 * Counts. Messages are counted where they are sent, answers included, as tables 5.6 to 5.8 do.
 * Every bulk message and half of the other short ones are requests, each of which is answered by a
 * short message; without answers all of them are sent for themselves.
 *
 * Computation. If only the time on the NOW is known, processors compute for as long as makes the
 * simulated NOW take that time. Communication overlaps with computation here, so that this is more
 * than what the model subtracts.
 */

#include "model/simulation/messages.h"
#include "model/workload/traffic.h"

/**
 * Set messages, shares and sizes of a program, and which share leaves a node.
 *
 * @param waited_share  of the answered messages, that the sender waits for
 */
void clump_program_set_traffic(clump_program *program, const clump_traffic *remote,
                               const clump_traffic *local, double waited_share, bool answered);

/**
 * Cut a long program to `most` messages a rank.
 *
 * @return the part of it that is left, in (0, 1]; times of the whole are those of the part over it
 */
double clump_program_shorten(clump_program *program, double most);

/**
 * Set the computation with which the program takes `target_us` on `now`, to 0.3%, or at least
 * within the interval of 8 runs where these are few messages.
 *
 * @param options  of the simulation; precision and progress are not used
 * Errors: those of clump_simulate_messages; CLUMP_BAD_ARGUMENT if the messages alone take longer;
 *         CLUMP_NO_CONVERGENCE, also if the events allowed are too few for a single run; only then
 *         computation_us is NAN.
 * Cost: 3 to 12 times 8 runs of the program.
 */
clump_status clump_program_fit_computation(clump_program *program, const clump_cluster *now,
                                           double target_us,
                                           const clump_simulation_options *options,
                                           clump_error *error);

#endif
