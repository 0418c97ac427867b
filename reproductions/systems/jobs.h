/* SPDX-License-Identifier: GPL-3.0-or-later */
/**
 * Jobs that go one way, as Multigame has them (cluster-protocols.txt, section 6.2): small pieces of
 * work of equal size, each of which has an owner that does it, and of which nothing comes back. A
 * job may make others. Jobs for the same owner are put together, up to `combine` of them, before
 * they are sent; whoever has nothing else to do sends what there is.
 *
 * Each job is done once, by its owner. A worker does the jobs that it has last come first, so that
 * a search goes down before it spreads, and looks at what has arrived between two of them.
 *
 * The end: nobody has a job, and no packet with jobs is under way. Worker 0 asks all, by multicast,
 * how many such packets they have sent and received; each answers, up a binary tree, once it has
 * nothing to do. If as many were received by the first question as were sent by the second, no packet was under
 * way in between, and nobody can have got anything to do since (Mattern's method of four counters).
 */
#ifndef CLUMP_REPRODUCTIONS_SYSTEMS_JOBS_H
#define CLUMP_REPRODUCTIONS_SYSTEMS_JOBS_H

#include "reproductions/systems/worker.h"

typedef struct clump_jobs clump_jobs;

/** One job is done: `job` may not be 8-byte aligned. It may push others. */
typedef void clump_jobs_function(clump_jobs *jobs, const void *job, void *context);

/**
 * All workers begin with this, with the same numbers. Freed with the worker.
 * @param bytes    of a job, 1 to 512
 * @param combine  1 to 4096 jobs that are sent together at most; as many as fit go in a packet
 */
clump_jobs *clump_jobs_open(clump_worker *worker, uint32_t bytes, uint32_t combine,
                            clump_jobs_function *function, void *context);

/** A job for a worker, this one or another. Copied. Before a run, or from a job. */
void clump_jobs_push(clump_jobs *jobs, uint32_t owner, const void *job);

/** Do jobs until none is left anywhere: all workers leave it together, and may push again for the
 *  next run. */
void clump_jobs_run(clump_jobs *jobs);

typedef struct clump_jobs_counters {
    uint64_t done, sent, received; /**< jobs */
    uint64_t packets;              /**< with jobs, sent */
    uint64_t rounds;               /**< questions whether all is done */
    uint64_t most;                 /**< jobs that waited here at once */
} clump_jobs_counters;
/** Since the beginning. */
clump_jobs_counters clump_jobs_count(const clump_jobs *jobs);

#endif
