/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef VALIDATION_PLOT_H
#define VALIDATION_PLOT_H

/* Predicted against measured times, and slowdowns of each run beside what was measured. */

#include "cli/pictures/plot_options.h"
#include "fitting/validation/validation.h"

/**
 * Draw what was asked for; complains itself.
 *
 * @param variants  those whose predictions are drawn, one at least
 * @return exit code
 */
int validation_draw(const plot_request *request, output_format format,
                    const clump_validation *validation,
                    const bool variants[CLUMP_VALIDATION_VARIANTS]);

#endif
