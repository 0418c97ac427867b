/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef CLUMP_REPRODUCTIONS_COMMAND_RUN_STORE_H
#define CLUMP_REPRODUCTIONS_COMMAND_RUN_STORE_H

/* A run as an application of the database, as scenarios, recommend and explore take it: its time and its
 * traffic on a platform, and how it waits. */

#include "cli/command.h"
#include "data/store/store.h"
#include "reproductions/runs/application_run.h"

/** One run that is stored, on one platform. */
typedef struct run_stored {
    const char *platform; /* its name in the database */
    const clump_application_run *run;
} run_stored;

/**
 * Store runs of one program with one input under this name, all or none. Runs of the same program, input and seed
 * on other platforms may be there already under that name; the same run is stored once. Complains itself.
 * @param store  open for writing
 * @return the exit code
 */
int run_store(const command_invocation *invocation, clump_store *store, const char *name,
              double operation_us, const run_stored *runs, size_t count);

#endif
