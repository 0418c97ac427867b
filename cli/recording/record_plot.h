/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef CLUMP_CLI_RECORDING_RECORD_PLOT_H
#define CLUMP_CLI_RECORDING_RECORD_PLOT_H

#include "cli/command.h"
#include "cli/pictures/plot_options.h"
#include "data/store/recorded_facts.h"

/**
 * The pictures of a recording: the timeline of its ranks, from its folder, and the histogram of q beside the model's. Complains
 * itself. @return exit code
 * @param folder  where the recording is; NULL or no folder: without a timeline
 */
int record_plot(const command_invocation *invocation, const plot_request *request,
                const char *folder, const clump_facts *facts);

#endif
