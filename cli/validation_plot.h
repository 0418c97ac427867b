/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef CLUMP_CLI_VALIDATION_PLOT_H
#define CLUMP_CLI_VALIDATION_PLOT_H

/* Predicted against measured times, and slowdowns of each run beside what was measured. */

#include "cli/plot_options.h"
#include "fitting/validation.h"

/**
 * Draw what was asked for; complains itself.
 *
 * @param variants  those whose predictions are drawn, one at least
 * @return exit code
 */
int clump_cli_validation_draw(const clump_cli_plot_request *request, clump_cli_format format,
                              const clump_validation *validation,
                              const bool variants[CLUMP_VALIDATION_VARIANTS]);

#endif
