/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef CLUMP_CLI_PLOT_SCRIPT_H
#define CLUMP_CLI_PLOT_SCRIPT_H

/*
 * Pictures as a gnuplot script (5.4 or later) that holds its data. It names no file: gnuplot writes
 * the picture to its standard output. No text of strangers can become a command: all but letters,
 * digits and a few signs is written as octal escapes, and enhanced text is off.
 */

#include "cli/plot.h"

#include <stdio.h>

typedef enum clump_cli_plot_kind {
    CLUMP_CLI_PLOT_SVG,
    CLUMP_CLI_PLOT_PNG,
    CLUMP_CLI_PLOT_PDF
} clump_cli_plot_kind;

/** Several pictures stand below each other. Failed writes are found by ferror(file). */
void clump_cli_plot_script_print(const clump_cli_plot *plots, size_t count,
                                 clump_cli_plot_kind kind, FILE *file);

#endif
