/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef CLUMP_CLI_RECORDING_RECORDING_OPEN_H
#define CLUMP_CLI_RECORDING_RECORDING_OPEN_H

/* Recordings, archives and schedules as runs. Those of MPI programs are read by clumpmodel-record, which is started for it. */

#include "cli/recording/run_stream.h"

/** "recording", "otf2", "goal". */
bool recording_format_is_known(const char *format);

/** Whether the path is a folder, as recordings are. */
bool recording_is_folder(const char *path);

/**
 * The run of a folder or file.
 * @param format   one that is known
 * @param choices  for `goal` only `digest`
 * @param run      to be freed with free()
 * Complains itself and returns the exit code.
 */
int recording_read_run(const char *command, const char *format, const char *path,
                       const run_choices *choices, clump_recorded_run **run);

/** A line for each of its notes. */
void recording_tell_notes(const char *command, const char *path, const clump_recorded_run *run);

#endif
