/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef CLUMP_MODEL_SIMULATION_SCHEDULE_PACK_H
#define CLUMP_MODEL_SIMULATION_SCHEDULE_PACK_H

/*
 * A schedule as short texts, one a rank, to be kept: some 8 bytes an operation, without blanks, quotes or commas.
 *
 *     cNS                computes, in nanoseconds
 *     sBYTES.RANK[tTAG]  sends to a rank
 *     rBYTES.RANK[tTAG]  receives from one
 *
 * one after the other, each followed by [pCPU] and, unless it waits for the end of the operation before it, wBACK[.BACK...]: it waits
 * for the ends of those so many operations before it; w0: of none. The first one waits for none.
 */

#include "model/simulation/schedule.h"

/**
 * @param text  receives a text that ends with a NUL, to be freed; "" for a rank that does nothing
 * Errors: CLUMP_BAD_ARGUMENT for schedules with wildcards, `irequires`, or several blocks of a rank; CLUMP_NO_MEMORY. Cost: O(operations of the rank).
 */
clump_status clump_schedule_pack(const clump_schedule *schedule, uint32_t rank, char **text,
                                 clump_error *error);

/**
 * The schedule of these texts, without what can never be run.
 * @param texts  of `ranks` ranks
 * @param most   operations; more are refused
 * Errors: CLUMP_BAD_ARGUMENT with rank, place in its text, found and expected; CLUMP_NO_MEMORY. Cost: that of clump_schedule_builder_finish.
 */
clump_status clump_schedule_unpack(const char *const *texts, size_t ranks, size_t most,
                                   clump_schedule **schedule, clump_error *error);

#endif
