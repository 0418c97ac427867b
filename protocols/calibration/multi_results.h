/* SPDX-License-Identifier: GPL-3.0-or-later */
/**
 * What `calibrate multi` measures and says in the end. Every number has a table, a row and a column, as in the
 * thesis; JSON and CSV have them one by one.
 */
#ifndef CLUMP_PROTOCOLS_CALIBRATION_MULTI_RESULTS_H
#define CLUMP_PROTOCOLS_CALIBRATION_MULTI_RESULTS_H

#include "protocols/calibration/polling_tuning.h"

/* ---- what it says */

/** In the order in which they are shown. */
typedef enum clump_multi_table {
    CLUMP_MULTI_TABLE_POLLS, /**< table 7.1 */
    CLUMP_MULTI_TABLE_SCANS, /**< tables 7.2 to 7.5: one for each scan, from here on */
    CLUMP_MULTI_TABLE_SETTINGS = CLUMP_MULTI_TABLE_SCANS + CLUMP_TUNING_SCANS,
    CLUMP_MULTI_TABLE_MEMORY,  /**< table 7.6 */
    CLUMP_MULTI_TABLE_NETWORK, /**< table 7.6 */
    CLUMP_MULTI_TABLE_RATIOS,
    CLUMP_MULTI_TABLE_PREDICTED, /**< by the model, beside what was measured */
    CLUMP_MULTI_TABLES
} clump_multi_table;

/** "Cost of a poll (table 7.1)". */
const char *clump_multi_table_title(clump_multi_table table);

typedef enum clump_multi_unit {
    CLUMP_MULTI_US,
    CLUMP_MULTI_COUNT,
    CLUMP_MULTI_RATIO,
    CLUMP_MULTI_ERROR /**< predicted / measured - 1 */
} clump_multi_unit;

/** "us", "count", "ratio" or "error". */
const char *clump_multi_unit_name(clump_multi_unit unit);

typedef struct clump_multi_number {
    clump_multi_table table; /**< numbers of one table follow each other */
    char row[CLUMP_POLLING_TEXT];
    const char *column;
    clump_multi_unit unit;
    double mean, half_width, std_dev; /**< NAN: none */
    size_t runs;                      /**< 0: derived from others */
} clump_multi_number;

typedef struct clump_multi_results {
    clump_multi_number *numbers;
    size_t count, room;
    bool failed; /**< out of memory */
} clump_multi_results;

/* ---- what it measures */

enum { CLUMP_MULTI_POLLS, CLUMP_MULTI_SCAN, CLUMP_MULTI_LOGGP, CLUMP_MULTI_PARTS };

enum { CLUMP_MULTI_MOST_STRATEGIES = 6 };

/** `own` of the calibration; processes, runs and effort are in its plan. */
typedef struct clump_multi_question {
    bool parts[CLUMP_MULTI_PARTS];
    bool few; /**< every second value of the scans */
    /** With which LogGP is measured; scans and polls add what they recommend. */
    clump_multi_strategy strategies[CLUMP_MULTI_MOST_STRATEGIES];
    const char *labels[CLUMP_MULTI_MOST_STRATEGIES];
    unsigned strategy_count;

    /* What came of it. */
    clump_tuning_scan scans[CLUMP_TUNING_SCANS];
    unsigned scan_count;            /**< complete */
    clump_polling_parameters tuned; /**< by the scans so far */
    const clump_calibration_samples *samples;
    size_t loggp_first; /**< where those of LogGP begin */
    clump_multi_results results;
} clump_multi_question;

/** What the samples say, into `results`; check its `failed`, and free it in any case. */
void clump_multi_summarize(clump_multi_question *question);
void clump_multi_results_free(clump_multi_results *results);

#endif
