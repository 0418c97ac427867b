/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef CLUMP_RECORDING_OVERLAP_FACTS_H
#define CLUMP_RECORDING_OVERLAP_FACTS_H

#include "data/store/recorded_facts.h"
#include "model/workload/overlap.h"

/** Names of clump_facts_overlap.doing. */
#define CLUMP_OVERLAP_IN_MPI "in MPI"
#define CLUMP_OVERLAP_TRANSFERRING "transferring"

/** Windows into which a recording is cut. */
enum { CLUMP_OVERLAP_WINDOWS = 128 };

/**
 * Append rows of CLUMP_FACTS_OVERLAP for nodes of 2 to 16 processors, of powers of two beyond, of all ranks, and of as many as the
 * largest node had: facts->ranks and facts->nodes must be there.
 *
 * @param doing      one of the names above
 * @param overlap    when each rank did so, all clocks alike, of facts->rank_count ranks
 * @param begin, end what all ranks were recorded in, s from the recording's beginning
 * Errors: those of clump_overlap_count; CLUMP_NO_MEMORY. Nothing is appended where there is one rank only.
 * Cost: O(n) for each number of processors.
 */
clump_status clump_overlap_facts_add(clump_facts *facts, const char *doing,
                                     const clump_overlap *overlap, double begin, double end,
                                     clump_error *error);

#endif
