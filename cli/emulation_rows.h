/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef EMULATION_ROWS_H
#define EMULATION_ROWS_H

/*
 * Predicted and measured slowdowns of emulated Clumps, printed and drawn.
 */

#include "calibration/emulation_run.h"

typedef struct clump_emulation_results {
    const clump_emulation_question *question;
    const clump_emulation_result *items;
    size_t count;
} clump_emulation_results;

/** Over all rows: mean and worst absolute error, and which the worst is. */
typedef struct clump_emulation_errors {
    double mean, worst;
    size_t count, worst_row;
    size_t within;   /**< rows whose interval contains the prediction */
    size_t doubtful; /**< rows whose NICs were not the bottleneck */
} clump_emulation_errors;

clump_emulation_errors clump_emulation_errors_of(const clump_emulation_results *results);

/** In any format; returns the exit code. */
int emulation_print(output_format format, const clump_emulation_results *results,
                    const output_field *fields, size_t field_count);

/** Predicted against measured; returns the exit code. */
int emulation_draw(output_format format, const clump_emulation_results *results,
                   const char *machine);

#endif
