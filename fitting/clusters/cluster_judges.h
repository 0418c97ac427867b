/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef CLUMP_FITTING_CLUSTERS_CLUSTER_JUDGES_H
#define CLUMP_FITTING_CLUSTERS_CLUSTER_JUDGES_H

/*
 * Internal to fitting/clusters/. All kinds of predictions are of one shape: samples are read once, and then what was
 * measured on a platform is predicted from another one, or from other samples of the same.
 */

#include "fitting/clusters/collective_samples.h"
#include "fitting/clusters/program_runs.h"

/** What predictions are made from; each kind reads what it needs. */
typedef struct clump_cluster_sources {
    clump_cluster_samples pairs;
    clump_program_runs runs;
    clump_collective_samples collectives;
    clump_cluster_samples descriptions; /**< of platforms: what their NICs and processors are */
    clump_cluster_samples reductions;   /**< of programs; value: how many in a step */
    clump_cluster_samples allreduces;   /**< us, of benchmarks */
} clump_cluster_sources;

typedef struct clump_cluster_judge {
    void (*load)(clump_cluster_work *work, clump_cluster_sources *from);
    /** The platform of a place, NULL behind the last; those of a platform follow each other. */
    const char *(*platform)(const clump_cluster_sources *from, size_t place);
    /** Add rows for what was measured on the platform `after`, from `before`; the same unless `across`. */
    void (*predict)(clump_cluster_work *work, const clump_cluster_sources *from, const char *before,
                    const char *after);
    bool across;         /**< from each platform to each other one */
    const char *nothing; /**< what is missing if no row was added */
} clump_cluster_judge;

/** The platform of an operation, and of a run, as a judge says it. */
const char *clump_collective_platform(const clump_cluster_sources *from, size_t place);
const char *clump_program_platform(const clump_cluster_sources *from, size_t place);

/** Read the samples of collective operations. */
void clump_collective_load(clump_cluster_work *work, clump_cluster_sources *from);

extern const clump_cluster_judge clump_judge_pairs, clump_judge_nics, clump_judge_training,
    clump_judge_steps, clump_judge_collectives, clump_judge_collectives_other_nics;

#endif
