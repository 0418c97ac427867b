/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef CLUMP_CALIBRATION_MULTI_RESULTS_H
#define CLUMP_CALIBRATION_MULTI_RESULTS_H

/*
 * What `calibrate multi` says in the end. Every number has a table, a row and a column, as in the
 * thesis; JSON and CSV have them one by one.
 */

#include "calibration/multi_tuning.h"
#include "cli/output/output.h"

typedef struct clump_multi_number {
    const char *table; /**< numbers of one table follow each other */
    char row[CLUMP_POLLING_TEXT];
    const char *column;
    const char *unit;                 /**< "us", "count", "ratio" */
    double mean, half_width, std_dev; /**< NAN: none */
    size_t runs;                      /**< 0: derived from others */
} clump_multi_number;

typedef struct clump_multi_results {
    clump_multi_number *numbers;
    size_t count, room;
    bool failed; /**< out of memory */
} clump_multi_results;

/** Everything that was measured. */
typedef struct clump_multi_measured {
    const clump_calibration_samples *samples;
    const clump_tuning_scan *scans;
    unsigned scan_count;
    const clump_multi_strategy *strategies; /**< in the order of the columns */
    const char *const *labels;              /**< what tables call them */
    unsigned strategy_count;
    double patience_us; /**< of the endpoints */
    size_t loggp_first; /**< where the samples of LogGP begin */
} clump_multi_measured;

/** Check `failed`; free in any case. */
void clump_multi_summarize(const clump_multi_measured *measured, clump_multi_results *results);
void clump_multi_results_free(clump_multi_results *results);

/** One more number; NULL if it is NAN or there is no memory. */
clump_multi_number *clump_multi_add(clump_multi_results *results, const char *table,
                                    const char *row, const char *column, const char *unit,
                                    double mean, double half_width);

/** The mean of that kind; NULL: none. */
const clump_calibration_mean *clump_multi_find(const clump_calibration_mean *means, size_t count,
                                               const char *variant, const char *transport,
                                               const char *benchmark, const char *quantity);

/** The model's o_s and o_r (model/polling.h) beside those that were measured, medians of all. */
void clump_multi_predict(const clump_multi_measured *measured, clump_multi_results *results);

/** Tables as the thesis has them, or every number by itself. Returns the exit code. */
int multi_print(output_format format, const clump_multi_results *results,
                const output_field *fields, size_t field_count);

#endif
