/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef CLUMP_PROTOCOLS_COMMAND_CALIBRATE_TABLES_H
#define CLUMP_PROTOCOLS_COMMAND_CALIBRATE_TABLES_H

/* Tables and pictures of calibrations that give LogGP of one protocol. */

#include "protocols/calibration/loggp_results.h"
#include "cli/pictures/plot_options.h"

/** How variants are called. */
typedef struct calibrate_variant {
    const char *key, *title;
} calibrate_variant;

/** Print in any format; a table for each kind of result. Returns the exit code. */
int calibrate_print(output_format format, const clump_calibration_results *results,
                    calibrate_variant variant, const output_field *fields, size_t field_count);

/**
 * Draw what was asked for, if anything; complains itself. Of each table those rows are drawn whose
 * unit is that of its first row; the thesis's figures, where the results have them, stand beside.
 *
 * @param machine  for the titles
 * @return exit code
 */
int calibrate_draw(const plot_request *request, output_format format,
                   const clump_calibration_results *results, const char *machine);

#endif
