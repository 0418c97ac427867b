/* SPDX-License-Identifier: GPL-3.0-or-later */
/**
 * Which settings of adaptive polling suit a machine (section 7.1): one parameter after the other is
 * varied, the most important first, with what was chosen for those before it.
 *
 * A value is judged by the pattern of traffic that it serves worst: by how much longer than with
 * the best value of the scan that pattern takes, medians over runs. Values within 5% of the best
 * one are as good, or within what the medians are uncertain by if that is more; of these the one
 * next to table 4.1's is chosen. Where all are as good for that reason, or a pattern has doubtful
 * runs only, the scan cannot tell, and what was there before stays.
 */
#ifndef CLUMP_PROTOCOLS_CALIBRATION_POLLING_TUNING_H
#define CLUMP_PROTOCOLS_CALIBRATION_POLLING_TUNING_H

#include "protocols/calibration/two_protocols.h"

/** What is varied, in this order. */
typedef enum clump_tuning_parameter {
    CLUMP_TUNING_S_MAX,
    CLUMP_TUNING_S_MIN,
    CLUMP_TUNING_EQUALITY,
    CLUMP_TUNING_DAMPING,
    CLUMP_TUNING_SCANS
} clump_tuning_parameter;

enum { CLUMP_TUNING_VALUES = 16 };

/** A value is as good as the best if its worst pattern takes at most so many times as long. */
extern const double clump_tuning_as_good;

typedef struct clump_tuning_scan {
    const char *symbol; /**< "s_max" */
    const char *name;   /**< "Maximum skip" */
    clump_multi_strategy strategies[CLUMP_TUNING_VALUES];
    uint32_t values[CLUMP_TUNING_VALUES];
    unsigned count;
    double worst[CLUMP_TUNING_VALUES]; /**< 1: the best of this scan for all patterns; NAN: there
                                            are doubtful runs only */
    unsigned best, chosen;             /**< values: the best one, and the one to use */
    unsigned low, high;                /**< those around the best that are as good */
    double uncertainty;                /**< share that a ratio of medians may be off by (95%) */
    bool unsure;                       /**< it cannot tell, and `chosen` is next to table 4.1's */
    uint32_t thesis;                   /**< table 4.1 */
    size_t first, end;                 /**< of its samples; set by whoever measures it */
} clump_tuning_scan;

/** Values for one parameter, with the others as in `tuned`; where a value is
 *  outside of what they allow, d and a grow with it. `few`: every second one. */
void clump_tuning_scan_plan(clump_tuning_parameter which, const clump_polling_parameters *tuned,
                            bool few, clump_tuning_scan *scan);

/** Judge a scan by its samples, and put what is chosen into `tuned`, unless the scan is unsure.
 *  False: out of memory. */
bool clump_tuning_scan_judge(clump_tuning_scan *scan, const clump_calibration_samples *samples,
                             clump_polling_parameters *tuned);

#endif
