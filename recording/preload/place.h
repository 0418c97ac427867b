/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef CLUMP_RECORDING_PRELOAD_PLACE_H
#define CLUMP_RECORDING_PRELOAD_PLACE_H

/*
 * Where a rank is and where it writes: found at MPI_Init, when all ranks can talk to each other. The folder is that of
 * CLUMPMODEL_RECORD, or clumpmodel-recording; if it has files of ranks already, or another program is about to write some, the first of
 * FOLDER-2, FOLDER-3, ... that has none.
 */

#include "recording/format.h"
#include "recording/preload/library.h"
#include "recording/preload/shared_count.h"

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>

enum { CLUMP_PLACE_CLAIM = PATH_MAX + 16 };

typedef struct clump_rank_place {
    clump_rank_header header; /**< all but pid, times and thread level; texts belong to the place */
    char *path;               /**< file of the rank */
    char claim
        [CLUMP_PLACE_CLAIM]; /**< of rank 0: the file that keeps others out of the folder; else "" */
    bool counted;            /**< `count` works */
    clump_node_count count;
} clump_rank_place;

/** Agree with all ranks, those of `all`, which has the order of MPI_COMM_WORLD: collective. False: nothing is to be recorded. */
bool clump_place_find(clump_rank_place *place, MPI_Comm all);
/** When the file of the rank is there, or nothing is recorded: the folder is not claimed any more. */
void clump_place_free(clump_rank_place *place);

/** Bytes of traced calls (CLUMPMODEL_RECORD_TRACE), 64 MiB if that does not say. */
uint64_t clump_place_trace_limit(void);
/** ns between flushes (CLUMPMODEL_RECORD_FLUSH, s), 1 s if that does not say. */
int64_t clump_place_flush_ns(void);
/** How many times slower the program's time passes than its processors': emulated nodes; else 1. */
double clump_place_dilation(void);

/** One line on standard error: this file cannot be written, and the program goes on without. */
void clump_place_complain(const char *path, int reason);

#endif
