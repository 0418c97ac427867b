/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef CLUMP_RECORDING_COMMAND_RECORD_EXPORT_H
#define CLUMP_RECORDING_COMMAND_RECORD_EXPORT_H

#include "cli/command.h"
#include "cli/recording/schedule_source.h"

/** Values of --export. */
enum { RECORD_EXPORT_GOAL = 1, RECORD_EXPORT_PERFETTO };

/**
 * Write a recording for another program; complains itself and returns the exit code.
 * @param format  one of the above
 * @param output  file, or NULL: standard output
 */
int record_export(const command_invocation *invocation, int format, const char *folder,
                  const char *output, const recorded_choices *choices);

#endif
