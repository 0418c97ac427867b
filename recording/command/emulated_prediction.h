/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef CLUMP_RECORDING_COMMAND_EMULATED_PREDICTION_H
#define CLUMP_RECORDING_COMMAND_EMULATED_PREDICTION_H

/* What the model says of an emulated Clump, from the recording of the NOW alone. */

#include "recording/emulation/program_plan.h"

enum { EMULATED_WHY_SIZE = 256 };

/**
 * By the recorded calls, played message by message.
 * @param folder     recording of the NOW that belongs to the plan
 * @param nics       of each Clump
 * @param predicted  receives `count` slowdowns; NAN: not known
 * @param why        receives why they are not known, or ""
 */
void emulated_predict(const char *folder, const clump_mpi_emulation_plan *plan,
                      const unsigned *nics, size_t count, double *predicted,
                      char why[EMULATED_WHY_SIZE]);

#endif
