/* SPDX-License-Identifier: GPL-3.0-or-later */
/**
 * What shared memory and the network cost each other under one endpoint: `calibrate multi`. Polls,
 * scans of the settings of adaptive polling, and LogGP with what they recommend.
 */
#ifndef CLUMP_PROTOCOLS_CALIBRATION_MULTI_CALIBRATION_H
#define CLUMP_PROTOCOLS_CALIBRATION_MULTI_CALIBRATION_H

#include "protocols/calibration/calibration.h"
#include "protocols/calibration/multi_results.h"

extern const clump_calibration_kind clump_calibration_multi;

/** Measure LogGP with this strategy, too; `label` is what tables call it. */
void clump_multi_add_strategy(clump_multi_question *question, const char *label,
                              const clump_polling_parameters *parameters);

/** Whether all scans are complete and one of them can tell at least, so that `tuned` is what is
 *  recommended. */
bool clump_multi_is_tuned(const clump_multi_question *question);

#endif
