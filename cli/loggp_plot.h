/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef CLUMP_CLI_LOGGP_PLOT_H
#define CLUMP_CLI_LOGGP_PLOT_H

/* Measured times over message sizes, and the pieces of lines through them. */

#include "cli/plot_options.h"
#include "fitting/loggp_fit.h"

/** Draw what was asked for; complains itself. @return exit code */
int clump_cli_loggp_draw(const clump_cli_plot_request *request, clump_cli_format format,
                         const clump_loggp_fit *fit, const char *platform);

#endif
