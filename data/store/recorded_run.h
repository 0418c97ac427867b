/* SPDX-License-Identifier: GPL-3.0-or-later */
/**
 * One run of a parallel program, as it was recorded: what predictions start from. It is made from a recording, an OTF2 archive or a
 * GOAL schedule, and kept in the store with the application that it describes, as one value.
 */
#ifndef CLUMP_DATA_STORE_RECORDED_RUN_H
#define CLUMP_DATA_STORE_RECORDED_RUN_H

#include "data/arena.h"
#include "data/store/store.h"

typedef struct clump_recorded_run {
    const char *application; /**< that is described so: its name in the store; NULL: not stored */
    const char *origin;      /**< "recording", "otf2" or "goal" */
    const char *program;     /**< name of the executable; NULL: not known */
    const char *command;     /**< as it was run; NULL: not known */
    const char *library;     /**< of MPI, with its version; NULL: not known */
    const char *started;     /**< UTC, "2026-11-22T14:30:00Z"; NULL: not known */
    const char *sha256;      /**< of the SHA-256 and names of its files; NULL: not known */
    const char *notes; /**< what cannot be known of it: a sentence a line; NULL: there are none */
    int64_t ranks, nodes;
    int64_t mpi_calls; /**< of all ranks; 0: not known */
    double wall;       /**< s, of the rank that took longest; NAN: not known */
    double seconds;    /**< that its calls took: all of it, or a sample; NAN: not known */
    double run;        /**< s between MPI_Init and MPI_Finalize, of which that is; NAN: not known */
    /** What its ranks computed, sent and received: a text of model/simulation/kept_calls.h. NULL: it was imported by a version that
     *  did not keep it. */
    const char *calls;
} clump_recorded_run;

/** With all texts in one block, to be freed with free(); NULL without memory. */
clump_recorded_run *clump_recorded_run_copy(const clump_recorded_run *run);

/** Whether both are of the same files; by their calls where these are not known. */
bool clump_recorded_run_is_same(const clump_recorded_run *a, const clump_recorded_run *b);

/** The run of an application, to be freed with free(); OK and NULL if it has none. */
clump_store_status clump_store_find_run(clump_store *store, const char *application,
                                        clump_recorded_run **run);

/** Keeps the run of run->application, which must be in the user's database and have none yet. Between begin and commit. */
clump_store_status clump_store_add_run(clump_store *store, const clump_recorded_run *run);

/** All applications with a run, in order of name, in the arena; with calls == NULL. */
clump_store_status clump_store_read_runs(clump_store *store, clump_arena *arena,
                                         clump_recorded_run **runs, size_t *count);

#endif
