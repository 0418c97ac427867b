/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef CLUMP_CLI_RECORDING_RECORDING_OPEN_H
#define CLUMP_CLI_RECORDING_RECORDING_OPEN_H

#include "cli/command.h"
#include "data/store/recorded_facts.h"

#include <stdbool.h>

/** "recording", "otf2", "goal". */
bool recording_format_is_known(const char *format);

/**
 * The facts of a folder or file; complains itself and returns the exit code. Free them with clump_facts_free().
 * @param digests  with the SHA-256 of its files
 */
int recording_read(const char *command, const char *format, const char *path, bool digests,
                   clump_facts **facts);

/** The facts of a folder that was recorded (or an OTF2 anchor file) or, if there is no such file, of an application in the store. */
int recording_find(const command_invocation *invocation, const char *name, clump_facts **facts);

#endif
