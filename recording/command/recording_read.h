/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef CLUMP_RECORDING_COMMAND_RECORDING_READ_H
#define CLUMP_RECORDING_COMMAND_RECORDING_READ_H

#include "cli/recording/run_stream.h"
#include "data/budget.h"
#include "recording/report.h"

/** Open a folder that was recorded; complains itself and returns the exit code. Close it in any case. */
int recording_open_folder(const char *command, const char *folder, clump_recording **recording);

/** The exit code of what came of reading it; complains itself. */
int recording_told(const char *command, const clump_recording *recording,
                   clump_recording_status status);

/** The report of a folder that was recorded, or of an OTF2 anchor file; complains itself and returns the exit code. Release it in any
 *  case. */
int recording_read_report(const char *command, const char *path, const clump_budget *budget,
                          clump_report *report);

/** The answer to `give-run` on standard output (cli/recording/run_stream.h). Returns the exit code. */
int recording_give_run(char *const words[RUN_STREAM_WORDS]);

#endif
