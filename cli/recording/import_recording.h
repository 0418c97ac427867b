/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef CLUMP_CLI_RECORDING_IMPORT_RECORDING_H
#define CLUMP_CLI_RECORDING_IMPORT_RECORDING_H

#include "cli/command.h"
#include "data/budget.h"
#include "data/import/import.h"

#include <stdbool.h>

/* `import` of what a run of a program was recorded to do: not samples, but the calls of an application. */

#define IMPORT_RECORDING_NAMES "recording, otf2, goal"

/** Lines of the help. */
#define IMPORT_RECORDING_LINES                                                                     \
    "  recording     what 'clumpmodel record' made: a folder (no --platform)\n"                    \
    "  otf2          an OTF2 archive, such as those of Score-P\n"                                  \
    "  goal          a GOAL schedule of LogGOPSim\n"

/** Which of these a file or folder is; NULL: none. */
const char *import_recording_format(const char *path);

/** Those of a command; zeroed ones are none. */
typedef struct imported_runs {
    struct imported_run *items;
    size_t count, refused;
    int code; /**< exit code of the first that was refused */
} imported_runs;

/**
 * Read one more; if it is refused, complain.
 * @param name  of the application; NULL: its program's
 * @return exit code; not EXIT_DONE also if it was refused
 */
int imported_runs_read(imported_runs *runs, const char *command, const char *format,
                       const char *path, const char *name, const clump_budget *budget);

/** Store them in the transaction of the caller. One whose name is taken is refused, with a complaint; and so are all, if it is all
 *  or nothing. @return exit code; not EXIT_DONE: roll back */
int imported_runs_store(imported_runs *runs, const command_invocation *invocation,
                        clump_store *store, const clump_import_options *options);

/** A row for each, under `key`. */
table_rows imported_runs_rows(const imported_runs *runs, const char *key);

/** Print notes about those that were not refused. */
void imported_runs_tell(const imported_runs *runs, const char *command);

void imported_runs_free(imported_runs *runs);

#endif
