/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef CLUMP_PROTOCOLS_COMMAND_CALIBRATE_MEMORY_PLOT_H
#define CLUMP_PROTOCOLS_COMMAND_CALIBRATE_MEMORY_PLOT_H

#include "cli/pictures/plot_options.h"
#include "protocols/calibration/memory_calibration.h"

/** Bandwidth over processes, and the same in units of one process; complains itself.
 *  @return exit code */
int memory_plot(const plot_request *request, const clump_memory_question *question,
                const char *machine);

#endif
