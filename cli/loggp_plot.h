/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef LOGGP_PLOT_H
#define LOGGP_PLOT_H

/* Measured times over message sizes, and the pieces of lines through them. */

#include "cli/pictures/plot_options.h"
#include "fitting/loggp/loggp_fit.h"

/** Draw what was asked for; complains itself. @return exit code */
int loggp_draw(const plot_request *request, output_format format, const clump_loggp_fit *fit,
               const char *platform);

#endif
