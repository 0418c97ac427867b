/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef CALIBRATION_PLOT_H
#define CALIBRATION_PLOT_H

/* Pictures of a calibration: a picture for each of its tables, over message sizes or names. */

#include "calibration/calibration_results.h"
#include "cli/pictures/plot_options.h"

/**
 * Draw what was asked for; complains itself. Of each table those rows are drawn whose unit is that
 * of its first row; the thesis's figures, where the results have them, stand beside.
 *
 * @param machine  for the titles
 * @return exit code
 */
int calibration_draw(const plot_request *request, output_format format,
                     const clump_calibration_results *results, const char *machine);

#endif
