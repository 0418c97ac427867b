/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef CLUMP_PROTOCOLS_COMMAND_CALIBRATE_TABLES_H
#define CLUMP_PROTOCOLS_COMMAND_CALIBRATE_TABLES_H

/* Tables of calibrations that give LogGP of one protocol. */

#include "cli/output/output.h"
#include "protocols/calibration/loggp_results.h"

/** How variants are called. */
typedef struct calibrate_variant {
    const char *key, *title;
} calibrate_variant;

/** Print in any format; a table for each kind of result. Returns the exit code. */
int calibrate_print(output_format format, const clump_calibration_results *results,
                    calibrate_variant variant, const output_field *fields, size_t field_count);

#endif
