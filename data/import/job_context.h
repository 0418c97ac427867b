/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef CLUMP_DATA_IMPORT_JOB_CONTEXT_H
#define CLUMP_DATA_IMPORT_JOB_CONTEXT_H

/* What the job that wrote a log says of itself, in its script beside the log. Internal to data/. */

#include <stdint.h>

typedef struct clump_job_context {
    int64_t nodes, each, processes; /**< 0: not said */
    char script[256];               /**< its name; "": there is none */
} clump_job_context;

/**
 * Looks for the script of a log: `job.sh` of a log `job.sh.123.out`, ReFrame's `rfm_FOLDER_job.sh`, or `job.sh`, in its folder;
 * and in it for what Slurm, Grid Engine (rt_F, and NPPN in the script) and LSF are told, and -n or -np of mpirun and srun.
 */
clump_job_context clump_job_context_find(const char *log_path);

/** The same of a script's text, whose lines are cut out of it. */
void clump_job_context_read(char *script, clump_job_context *job);

#endif
