/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef CLUMP_CLI_RECORDING_GOAL_RUN_H
#define CLUMP_CLI_RECORDING_GOAL_RUN_H

#include "cli/recording/run_stream.h"

/** The run of a GOAL schedule, whose text is kept; to be freed with free(). */
run_status goal_run_read(const char *path, bool digest, clump_recorded_run **run,
                         char message[RUN_MESSAGE]);

#endif
