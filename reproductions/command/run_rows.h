/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef CLUMP_REPRODUCTIONS_COMMAND_RUN_ROWS_H
#define CLUMP_REPRODUCTIONS_COMMAND_RUN_ROWS_H

/* What came of a run, in rows: beside it what a document has of the same. */

#include "cli/command.h"
#include "data/store/store.h"
#include "reproductions/command/run_machine.h"
#include "reproductions/command/run_model.h"
#include "reproductions/runs/application_run.h"

typedef struct run_circumstances {
    const char *protocol; /* NULL: the default, if it is a cluster with one */
    const char *layer;    /**< whose LogGP parameters were asked for; NULL: not */
    const char *platform; /**< NULL: live */
    const run_machine *machine;
    bool checked;           /**< the result was that of a sequential run */
    bool usual;             /**< the input is that of the document */
    const run_model *model; /**< what the model says; NULL: it was not asked */
} run_circumstances;

/** @param operation_us  what an operation cost, in virtual time
 *  @return the exit code */
int run_rows_show(const command_invocation *invocation, clump_store *store,
                  const clump_application_run *run, const run_circumstances *circumstances,
                  double operation_us);

/** Whether it ran on the platform as the database has it: no other nodes, processors, NICs or mapping. */
bool run_rows_on_platform(clump_store *store, const clump_application_run *run,
                          const run_circumstances *circumstances);

/** The document's time of this run, in seconds; NaN: it has none. @return the exit code */
int run_rows_documents_time(const char *command, clump_store *store,
                            const clump_application_run *run,
                            const run_circumstances *circumstances, double *seconds);

#endif
