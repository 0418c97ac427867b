/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef CLUMP_CLI_RECORDING_IMPORT_RECORDING_H
#define CLUMP_CLI_RECORDING_IMPORT_RECORDING_H

#include "cli/command.h"
#include "data/import/import.h"

#include <stdbool.h>

/* `import` of what a run of a program was recorded to do: not samples, but the calls of an application. */

#define IMPORT_RECORDING_NAMES "recording, otf2, goal"

/** Lines of the help. */
#define IMPORT_RECORDING_LINES                                                                     \
    "  recording     what 'clumpmodel record' made: a folder (no --platform)\n"                    \
    "  otf2          an OTF2 archive, such as those of Score-P\n"                                  \
    "  goal          a GOAL schedule of LogGOPSim\n"

bool import_is_recording(const char *format);

/** The files after the format, in one transaction. @param name  of the application; NULL: its program's. Returns the exit code. */
int import_recordings(const command_invocation *invocation, const clump_import_options *options,
                      const char *name);

#endif
