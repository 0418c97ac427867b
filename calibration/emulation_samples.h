/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef EMULATION_SAMPLES_H
#define EMULATION_SAMPLES_H

#include "calibration/calibration_samples.h"
#include "calibration/emulation_run.h"

/** What was measured of a Clump and its NOW, as samples for the store: a batch each. The result
 * must outlive them. False: out of memory. */
bool clump_emulation_add(const clump_emulation_question *question, clump_calibration_samples *to,
                         const clump_emulation_result *result);

#endif
