/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef CLUMP_CLI_CALIBRATION_PLOT_H
#define CLUMP_CLI_CALIBRATION_PLOT_H

/* Pictures of a calibration: a picture for each of its tables, over message sizes or names. */

#include "cli/calibration_results.h"
#include "cli/plot_options.h"

/**
 * Draw what was asked for; complains itself. Of each table those rows are drawn whose unit is that
 * of its first row; the thesis's figures, where the results have them, stand beside.
 *
 * @param machine  for the titles
 * @return exit code
 */
int clump_cli_calibration_draw(const clump_cli_plot_request *request, clump_cli_format format,
                               const clump_cli_calibration_results *results, const char *machine);

#endif
