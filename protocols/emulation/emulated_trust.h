/* SPDX-License-Identifier: GPL-3.0-or-later */
/**
 * Whether to believe what ran on emulated nodes, and the slowdown from repetitions: for MPI programs (program_emulation.h) and for
 * the documents' programs (reproductions/runs/application_slowdowns.h).
 */
#ifndef CLUMP_PROTOCOLS_EMULATION_EMULATED_TRUST_H
#define CLUMP_PROTOCOLS_EMULATION_EMULATED_TRUST_H

#include <stddef.h>

enum { CLUMP_EMULATED_MOST_RUNS = 100, CLUMP_EMULATED_DOUBT = 256 };

/* From here on a result is doubtful. */
#define CLUMP_EMULATED_MOST_LATE 0.02   /**< share of the time by which computations ended late */
#define CLUMP_EMULATED_MOST_AGAIN 0.001 /**< share of packets that TCP sent again */
#define CLUMP_EMULATED_MOST_USE 0.75    /**< share of the machine's processors that ranks used */

/**
 * Mean of the ratios of `count` (at least 1) pairs of times, and the half width of its 95% interval by
 * Student's t: NAN with one pair.
 */
void clump_emulated_ratio(const double *clump, const double *now, size_t count, double *mean,
                          double *half_width);

/** What tells whether to believe runs of one machine: of each the worst of all. */
typedef struct clump_emulated_trust {
    const char *processes;              /**< what they are called: "ranks" */
    const char *pieces;                 /**< in which they send: "packets" */
    double late;                        /**< share of the time by which computations ended late */
    double again;                       /**< share of the pieces that were sent again */
    double processor_use;               /**< processors of this machine that they used */
    double machine_busy, machine_taken; /**< share of it in use, and taken by its host */
} clump_emulated_trust;

/** The first reason to doubt, "" if there is none; what explains the others comes first. `machine`: "Clump", "NOW". */
void clump_emulated_judge(const clump_emulated_trust *trust, const char *machine, double dilation,
                          char doubt[CLUMP_EMULATED_DOUBT]);

#endif
