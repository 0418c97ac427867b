/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef CLUMP_RECORDING_COMMAND_RECORD_PLOT_H
#define CLUMP_RECORDING_COMMAND_RECORD_PLOT_H

#include "cli/command.h"
#include "cli/pictures/plot_options.h"
#include "recording/report.h"

/**
 * The picture of a recording: the timeline of its ranks. Complains itself. @return exit code
 * @param folder  where the recording is; no folder: there is nothing to draw
 */
int record_plot(const command_invocation *invocation, const plot_request *request,
                const char *folder, const clump_report *report);

#endif
