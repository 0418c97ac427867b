/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef CLUMP_CLI_RECORDING_DATA_RECORDINGS_H
#define CLUMP_CLI_RECORDING_DATA_RECORDINGS_H

#include "cli/command.h"
#include "data/store/store.h"

/** `data list recordings`: applications of which a run was recorded. Returns the exit code. */
int data_recordings_list(const command_invocation *invocation, clump_store *store);

#endif
