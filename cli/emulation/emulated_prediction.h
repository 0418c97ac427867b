/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef CLUMP_CLI_EMULATION_EMULATED_PREDICTION_H
#define CLUMP_CLI_EMULATION_EMULATED_PREDICTION_H

/* What the model says of an emulated Clump, from the recording of the NOW alone. */

#include "recording/emulation/program_plan.h"

enum { EMULATED_WHY_SIZE = 256 };

/** Slowdowns of the program; NAN: not known. */
typedef struct emulated_prediction {
    /** By its calls, played message by message; where they cannot be, by formulas. */
    double predicted;
    double formulas;
} emulated_prediction;

/**
 * @param folder       recording of the NOW that belongs to the plan
 * @param nics         of each Clump
 * @param predictions  receives `count`
 * @param why          receives why one is not known, or not by its calls, or ""
 */
void emulated_predict(const char *folder, const clump_mpi_emulation_plan *plan,
                      const unsigned *nics, size_t count, emulated_prediction *predictions,
                      char why[EMULATED_WHY_SIZE]);

#endif
