/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef CLUMP_CLI_PICTURES_PLOT_TERMINAL_H
#define CLUMP_CLI_PICTURES_PLOT_TERMINAL_H

/*
 * Pictures in characters: dots of Braille in colours where the terminal has both, else a sign for
 * each series. Needs no other program.
 */

#include "cli/pictures/plot.h"

#include <stdio.h>

/** Complains itself. @return exit code */
int plot_terminal_print(const char *command, const plot_picture *plots, size_t count, FILE *file);

#endif
