/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef CLUMP_CLI_PLOT_GNUPLOT_H
#define CLUMP_CLI_PLOT_GNUPLOT_H

/*
 * gnuplot as a child process, without a shell and without its user's settings.
 */

#include "cli/plot_script.h"

/**
 * Draw the pictures into a file that is open for writing. Complains itself, also when gnuplot is
 * not installed.
 *
 * @param command  for messages
 * @return exit code
 */
int clump_cli_plot_gnuplot_run(const char *command, const clump_cli_plot *plots, size_t count,
                               clump_cli_plot_kind kind, int descriptor);

#endif
