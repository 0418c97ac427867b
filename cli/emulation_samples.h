/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef CLUMP_CLI_EMULATION_SAMPLES_H
#define CLUMP_CLI_EMULATION_SAMPLES_H

#include "cli/calibration_samples.h"
#include "cli/emulation_run.h"

/** What was measured of a Clump and its NOW, as samples for the store: a batch each. The result
 * must outlive them. False: out of memory. */
bool clump_cli_emulation_add(const clump_cli_emulation_question *question,
                             clump_cli_calibration_samples *to,
                             const clump_cli_emulation_result *result);

#endif
