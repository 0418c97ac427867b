/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef PLOT_GNUPLOT_H
#define PLOT_GNUPLOT_H

/*
 * gnuplot as a child process, without a shell and without its user's settings.
 */

#include "cli/pictures/plot_script.h"

/**
 * Draw the pictures into a file that is open for writing. Complains itself, also when gnuplot is
 * not installed.
 *
 * @param command  for messages
 * @return exit code
 */
int plot_gnuplot_run(const char *command, const plot_picture *plots, size_t count, plot_kind kind,
                     int descriptor);

#endif
