/* SPDX-License-Identifier: GPL-3.0-or-later */
/**
 * What shared memory and the network cost each other under one endpoint: `calibrate multi`. Polls,
 * scans of the settings of adaptive polling, and LogGP with what they recommend.
 */
#ifndef CLUMP_PROTOCOLS_CALIBRATION_MULTI_CALIBRATION_H
#define CLUMP_PROTOCOLS_CALIBRATION_MULTI_CALIBRATION_H

#include "protocols/calibration/calibration.h"
#include "protocols/calibration/multi_results.h"

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
    size_t loggp_first;             /**< sample */
    clump_multi_results results;
} clump_multi_question;

extern const clump_calibration_kind clump_calibration_multi;

/** Measure LogGP with this strategy, too; `label` is what tables call it. */
void clump_multi_add_strategy(clump_multi_question *question, const char *label,
                              const clump_polling_parameters *parameters);

/** Whether all scans are complete and one of them can tell at least, so that `tuned` is what is
 *  recommended. */
bool clump_multi_is_tuned(const clump_multi_question *question);

#endif
