/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef CLUMP_CLI_PLOT_SCRIPT_PARTS_H
#define CLUMP_CLI_PLOT_SCRIPT_PARTS_H

/* Internal to plot_script.c: what a script is put together from. */

#include "cli/plot.h"

#include <stdio.h>

/** A string of gnuplot that can be nothing but text; NULL is the empty one. */
void clump_cli_script_text(const char *text, FILE *file);

/** The border of boxes between `index` - 1 and `index`, or, at the ends, as far outside as the
 * inner one is inside. */
double clump_cli_script_border(const double *values, size_t count, size_t index, bool logarithmic);

/** Data blocks $data_PICTURE_SERIES. */
void clump_cli_script_series(const clump_cli_plot *plot, size_t picture, FILE *file);

/** Data block $data_PICTURE_0: boxes with their values. */
void clump_cli_script_grid(const clump_cli_plot *plot, size_t picture, FILE *file);

/** Ticks at 1, 2 and 5 times powers of ten. `name`: "x", "y" or "cb". */
void clump_cli_script_log_ticks(const char *name, clump_cli_plot_range range, FILE *file);

/** Label, scale and ticks. */
void clump_cli_script_axis(const char *name, const clump_cli_plot_axis *axis,
                           clump_cli_plot_range range, FILE *file);

#endif
