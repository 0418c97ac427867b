/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef CLUMP_CALIBRATION_MULTI_TUNING_H
#define CLUMP_CALIBRATION_MULTI_TUNING_H

/*
 * Which settings of adaptive polling suit a machine (section 7.1): one parameter after the other is
 * varied, the most important first, with what was chosen for those before it.
 *
 * A value is judged by the pattern of traffic that it serves worst: by how much longer than with
 * the best value of the scan that pattern takes, medians over runs. Values within 5% of the best
 * one are as good. Table 4.1's value is kept where it is within 2%.
 */

#include "calibration/calibration_multi.h"
#include "calibration/calibration_samples.h"

enum { CLUMP_MULTI_SCANS = 4, CLUMP_MULTI_VALUES = 16 };

typedef struct clump_tuning_scan {
    const char *symbol; /**< "s_max" */
    const char *name;   /**< "Maximum skip" */
    const char *like;   /**< "table 7.3" */
    clump_multi_strategy strategies[CLUMP_MULTI_VALUES];
    uint32_t values[CLUMP_MULTI_VALUES];
    unsigned count;
    double worst[CLUMP_MULTI_VALUES]; /**< 1: the best of this scan for all patterns */
    unsigned best, chosen;            /**< values: the best one, and the one to use */
    unsigned low, high;               /**< those around the best that are within 5% of it */
    uint32_t thesis;                  /**< table 4.1 */
    size_t first, end;                /**< of its samples; set by whoever measures it */
} clump_tuning_scan;

/** Values for parameter number `which` (0 to 3), with the others as in `tuned`; where a value is
 *  outside of what they allow, d and a grow with it. `few`: every second one. */
void clump_tuning_scan_plan(unsigned which, const clump_polling_parameters *tuned, bool few,
                            clump_tuning_scan *scan);

/** Judge a scan by its samples, and put what is chosen into `tuned`. False: out of memory. */
bool clump_tuning_scan_judge(clump_tuning_scan *scan, const clump_calibration_samples *samples,
                             clump_polling_parameters *tuned);

#endif
