/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef CLUMP_FITTING_CLUSTERS_TRAINING_H
#define CLUMP_FITTING_CLUSTERS_TRAINING_H

/*
 * A program of equal steps, at whose end all processes add up what each has found (training with data in
 * parallel), on more nodes, from its time on one node and a benchmark of allreduce:
 *
 *     T(n) = T(1)/n + steps(n) sum over reductions (t_n(size) - t_1(size)),   steps(n) = steps(1)/n
 *
 * (MODEL.md, "Training on more nodes"). Needs of the program on one node its execution_time and its steps
 * (phase_calls, variant "step"), of the program whatever the platform its reductions in a step
 * (reduction_count, a sample for each size), and operation_time of an allreduce benchmark with
 * as many processes.
 */

#include "fitting/clusters/cluster_samples.h"

/** Predict each program on each number of processes that the benchmark was run with. */
clump_status clump_cluster_training(clump_cluster_work *work);

#endif
