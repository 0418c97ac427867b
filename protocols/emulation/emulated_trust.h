/* SPDX-License-Identifier: GPL-3.0-or-later */
/**
 * Whether to believe what ran on emulated nodes, and the slowdown from repetitions: for MPI programs (program_emulation.h) and for
 * the documents' programs (reproductions/runs/application_slowdowns.h).
 */
#ifndef CLUMP_PROTOCOLS_EMULATION_EMULATED_TRUST_H
#define CLUMP_PROTOCOLS_EMULATION_EMULATED_TRUST_H

#include <stdbool.h>
#include <stddef.h>

enum { CLUMP_EMULATED_MOST_RUNS = 100, CLUMP_EMULATED_DOUBT = 256 };

/* From here on a result is doubtful. */
#define CLUMP_EMULATED_MOST_LATE 0.02   /**< share of the time by which computations ended late */
#define CLUMP_EMULATED_MOST_AGAIN 0.001 /**< share of packets that TCP sent again */
#define CLUMP_EMULATED_MOST_USE 0.75    /**< share of the machine's processors that ranks used */

/** How a run went. Times are those of the program. */
typedef struct clump_emulated_outcome {
    double seconds;
    double nic_use, busiest_nic; /**< share of the time in which NICs sent: mean, most */
    double bytes; /**< that NICs sent, of all nodes; those of MPI programs without headers */
    double again; /**< share of packets, or datagrams, that were sent again */
    double
        late; /**< share of the time by which computations ended late, of the process with most */
    double latest;        /**< by which one did, at most; seconds */
    double processor_use; /**< processors of this machine that the processes used, mean */
    double machine_busy,
        machine_taken; /**< share of it in use, by anybody, and taken by its host */
    /* Of the documents' programs. */
    double packets; /**< that NICs sent */
    bool real_time; /**< all workers had that priority */
    /* Of MPI programs, means of the ranks. */
    double work, wait; /**< processor time of computation; asleep inside MPI */
    double calls;
    bool finalized; /**< all came to MPI_Finalize */
} clump_emulated_outcome;

/** Several runs of one machine. */
typedef struct clump_emulated_runs {
    size_t count;
    double seconds[CLUMP_EMULATED_MOST_RUNS];
    double mean;
    /** Of each number of its kind the worst, or the greatest, of all runs; `work`, `wait` and what NICs did: the last run's. */
    clump_emulated_outcome worst;
} clump_emulated_runs;

typedef struct clump_emulated_result {
    unsigned nics; /**< set by the caller */
    clump_emulated_runs clump;
    double slowdown;   /**< mean of the repetitions: time on the Clump over that on the NOW */
    double half_width; /**< of its 95% interval; NAN with one repetition */
    char doubt[CLUMP_EMULATED_DOUBT]; /**< why not to believe it, or "" */
} clump_emulated_result;

/** One more of CLUMP_EMULATED_MOST_RUNS at most. */
void clump_emulated_add(clump_emulated_runs *runs, const clump_emulated_outcome *outcome);

/**
 * Mean of the ratios of `count` (at least 1) pairs of times, and the half width of its 95% interval by
 * Student's t: NAN with one pair.
 */
void clump_emulated_ratio(const double *clump, const double *now, size_t count, double *mean,
                          double *half_width);

/** The first reason to doubt runs, unless `doubt` has one; what explains the others comes first.
 *  @param mpi      ranks, or the documents' workers
 *  @param machine  "Clump", "NOW" */
void clump_emulated_judge(const clump_emulated_outcome *worst, bool mpi, const char *machine,
                          double dilation, char doubt[CLUMP_EMULATED_DOUBT]);

#endif
