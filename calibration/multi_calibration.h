/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef CLUMP_CALIBRATION_MULTI_CALIBRATION_H
#define CLUMP_CALIBRATION_MULTI_CALIBRATION_H

/* The measurements of `calibrate multi`, in order: polls, scans, and LogGP of what they recommend.
 */

#include "calibration/calibration_multi.h"
#include "calibration/calibration_session.h"
#include "calibration/multi_tuning.h"

enum { CLUMP_MULTI_POLLS, CLUMP_MULTI_SCAN, CLUMP_MULTI_LOGGP, CLUMP_MULTI_PARTS };

enum { CLUMP_MULTI_MOST_STRATEGIES = 6 };

struct clump_multi_calibration {
    clump_calibration_session session;
    bool parts[CLUMP_MULTI_PARTS];
    bool few; /**< every second value of the scans */
    clump_tuning_scan scans[CLUMP_MULTI_SCANS];
    unsigned scan_count;
    clump_polling_parameters tuned; /**< by the scans so far */
    clump_multi_strategy strategies[CLUMP_MULTI_MOST_STRATEGIES];
    const char *labels[CLUMP_MULTI_MOST_STRATEGIES];
    unsigned strategy_count;
    size_t loggp_first; /**< sample */
};

/** Measure LogGP with this strategy, too; `label` is what tables call it. */
void clump_multi_add_strategy(struct clump_multi_calibration *calibration, const char *label,
                              const clump_polling_parameters *parameters);

/** All stages of the parts that are wanted, until one fails. Returns the exit code. */
int clump_multi_measure(struct clump_multi_calibration *calibration);

/** Whether all scans are complete, so that `tuned` is what is recommended. */
bool clump_multi_is_tuned(const struct clump_multi_calibration *calibration);

#endif
