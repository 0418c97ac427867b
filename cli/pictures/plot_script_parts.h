/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef PLOT_SCRIPT_PARTS_H
#define PLOT_SCRIPT_PARTS_H

/* Internal to plot_script.c: what a script is put together from. */

#include "cli/pictures/plot.h"

#include <stdio.h>

/** A string of gnuplot that can be nothing but text; NULL is the empty one. */
void script_text(const char *text, FILE *file);

/** The border of boxes between `index` - 1 and `index`, or, at the ends, as far outside as the
 * inner one is inside. */
double script_border(const double *values, size_t count, size_t index, bool logarithmic);

/** Data blocks $data_PICTURE_SERIES. */
void script_series(const plot_picture *plot, size_t picture, FILE *file);

/** Data block $data_PICTURE_0: boxes with their values. */
void script_grid(const plot_picture *plot, size_t picture, FILE *file);

/** Ticks at 1, 2 and 5 times powers of ten. `name`: "x", "y" or "cb". */
void script_log_ticks(const char *name, plot_range range, FILE *file);

/** Label, scale and ticks. */
void script_axis(const char *name, const plot_axis *axis, plot_range range, FILE *file);

#endif
