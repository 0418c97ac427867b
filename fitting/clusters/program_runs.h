/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef CLUMP_FITTING_CLUSTERS_PROGRAM_RUNS_H
#define CLUMP_FITTING_CLUSTERS_PROGRAM_RUNS_H

/* Runs of programs that account for their time themselves, as their logs were imported. */

#include "fitting/clusters/cluster_samples.h"

/** Samples of one application on one platform from one source. Several times of as many processes are one
 *  run, with their mean; those of other numbers of processes, as in a table, are a run each. */
typedef struct clump_program_run {
    const clump_cluster_sample *samples; /**< of its source */
    size_t count;
    /** Its samples are those of this number of processes; 0: all, also those of parts of its
     *  processes. */
    int64_t only;
    const char *platform, *application, *transport, *program; /**< "mdrun", "CP2K" */
    int64_t nodes;
    double processes; /**< of all nodes */
    double time_s;
    const char *quantity; /**< what its time is: execution_time, or step_time */
} clump_program_run;

typedef struct clump_program_runs {
    clump_cluster_samples samples;
    clump_program_run *items;
    size_t count;
} clump_program_runs;

/** All runs with a time, sorted by platform, application and processes. */
void clump_program_runs_load(clump_cluster_work *work, clump_program_runs *runs);

/** Mean of the samples of a quantity; NAN: there are none, or doubtful ones only.
 *  @param variant, statistic  NULL: any */
double clump_program_value(const clump_program_run *run, const char *quantity, const char *variant,
                           const char *statistic);

/** Processes of which such samples are; 0: there are none. */
double clump_program_processes(const clump_program_run *run, const char *quantity,
                               const char *variant);

#endif
