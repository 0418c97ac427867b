/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef CALIBRATION_RESULTS_H
#define CALIBRATION_RESULTS_H

/*
 * What a calibration says in the end: LogGP by the formulae of section 5.3.1, and the means of
 * everything else; beside them the thesis's figures, if they are wanted.
 */

#include "calibration/calibration_samples.h"
#include "calibration/calibration_store.h"
#include "cli/output/output.h"
#include "data/store/store.h"

typedef struct clump_calibration_row {
    const char *table; /**< "LogGP"...: rows of one follow each other */
    const char *variant, *quantity, *unit;
    char setting[48];
    int64_t size_bytes; /**< -1: none */
    unsigned processes; /**< 0: does not matter */
    double mean, half_width, std_dev;
    size_t runs;                      /**< 0: derived from others */
    double thesis, thesis_half_width; /**< NAN: none */
} clump_calibration_row;

typedef struct clump_calibration_results {
    clump_calibration_row *rows;
    size_t count, room;
    bool failed;                             /**< out of memory */
    const char *variant_key, *variant_title; /**< what a variant is; NULL: a queue */
} clump_calibration_results;

/** Rows of all samples. Check `failed`; free in any case. */
void clump_calibration_summarize(const clump_calibration_samples *samples,
                                 clump_calibration_results *results);
void clump_calibration_results_free(clump_calibration_results *results);

/** Fill in the thesis's figures from the reference data. */
clump_store_status clump_calibration_compare(clump_store *store,
                                             clump_calibration_results *results);

/** The derived parameters, for the store; at most `room`. Returns how many. */
size_t clump_calibration_parameters(const clump_calibration_results *results,
                                    clump_calibration_parameter *parameters, size_t room);

/** Print in any format; a table for each kind of result. Returns the exit code. */
int calibration_print(output_format format, const clump_calibration_results *results,
                      const output_field *fields, size_t field_count);

#endif
