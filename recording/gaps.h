/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef CLUMP_RECORDING_GAPS_H
#define CLUMP_RECORDING_GAPS_H

/** What stands between two calls. */
typedef enum clump_recorded_gaps {
    CLUMP_GAPS_PROCESSOR, /**< processor time: what a processor of one's own would have taken */
    CLUMP_GAPS_WALL /**< the whole time: also what waited outside of MPI, for a disk or another rank's use of the processor */
} clump_recorded_gaps;

#endif
