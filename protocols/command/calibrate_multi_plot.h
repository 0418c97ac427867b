/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef CLUMP_PROTOCOLS_COMMAND_CALIBRATE_MULTI_PLOT_H
#define CLUMP_PROTOCOLS_COMMAND_CALIBRATE_MULTI_PLOT_H

/* Pictures of `calibrate multi`: a picture for each table of times, its columns as names on the axis
 * and its rows as points. */

#include "protocols/calibration/multi_results.h"
#include "cli/pictures/plot_options.h"

/** Complains itself. @return exit code */
int multi_plot(const plot_request *request, output_format format,
               const clump_multi_results *results);

#endif
