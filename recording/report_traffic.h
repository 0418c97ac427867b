/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef CLUMP_RECORDING_REPORT_TRAFFIC_H
#define CLUMP_RECORDING_REPORT_TRAFFIC_H

/* What ranks of a recording sent, from their accounts. */

#include "data/arena.h"
#include "recording/recording.h"

/** Messages of point-to-point calls, or of a collective taken apart. */
typedef struct clump_report_traffic {
    const char *kind;  /**< "point-to-point", "put" and so on, or the collective */
    const char *where; /**< "itself", "the same node" or "another node" */
    double messages, bytes;
    double size, share; /**< mean, and of all bytes; NAN: none */
} clump_report_traffic;

/**
 * @param library   of MPI, whose algorithms collectives use; NULL: not known
 * @param rows      receives them, by bytes, in the arena
 * @param left_out  receives calls of collectives, of ranks, that are not taken apart
 * @return false without memory
 */
bool clump_report_traffic_make(const clump_recording *recording, const char *library,
                               clump_arena *arena, clump_report_traffic **rows, size_t *count,
                               double *left_out);

#endif
