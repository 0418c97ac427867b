/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef CLUMP_CLI_PLOT_CANVAS_H
#define CLUMP_CLI_PLOT_CANVAS_H

/* Internal to plot_terminal.c: a picture as dots in character cells. */

#include "cli/plot.h"

#include <stdio.h>

enum {
    CLUMP_CLI_CANVAS_ROWS = 20,      /**< of characters */
    CLUMP_CLI_CANVAS_NOBODY = -1,    /**< cells that belong to no series */
    CLUMP_CLI_CANVAS_EVERYBODY = -2, /**< lines across the picture */
};

typedef struct clump_cli_canvas {
    const clump_cli_plot *plot;
    FILE *file;
    bool colours, braille; /**< that `file` shows */
    int columns;
    clump_cli_plot_range x, y;
    unsigned char *dots; /**< of each cell, as Braille numbers them: 2 by 4 */
    int *owners;         /**< of each cell: index of a series, or one of the above */
} clump_cli_canvas;

/** Line across the picture, then all series, later ones on top. */
void clump_cli_canvas_draw(clump_cli_canvas *canvas);

#endif
