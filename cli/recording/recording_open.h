/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef CLUMP_CLI_RECORDING_RECORDING_OPEN_H
#define CLUMP_CLI_RECORDING_RECORDING_OPEN_H

#include "data/store/recorded_run.h"
#include "recording/report.h"

#include <stdbool.h>

/** "recording", "otf2", "goal". */
bool recording_format_is_known(const char *format);

/** The run of a folder or file, to be freed with free(); complains itself and returns the exit code. */
int recording_read_run(const char *command, const char *format, const char *path,
                       clump_recorded_run **run);

/** The report of a folder that was recorded, or of an OTF2 anchor file; complains itself and returns the exit code. Release it in any
 *  case. */
int recording_read_report(const char *command, const char *path, clump_report *report);

#endif
