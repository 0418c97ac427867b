/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef PLOT_CANVAS_H
#define PLOT_CANVAS_H

/* Internal to plot_terminal.c: a picture as dots in character cells. */

#include "cli/pictures/plot.h"

#include <stdio.h>

enum {
    CANVAS_ROWS = 20,      /**< of characters */
    CANVAS_NOBODY = -1,    /**< cells that belong to no series */
    CANVAS_EVERYBODY = -2, /**< lines across the picture */
};

typedef struct plot_canvas {
    const plot_picture *plot;
    FILE *file;
    bool colours, braille; /**< that `file` shows */
    int columns;
    plot_range x, y;
    unsigned char *dots; /**< of each cell, as Braille numbers them: 2 by 4 */
    int *owners;         /**< of each cell: index of a series, or one of the above */
} plot_canvas;

/** Line across the picture, then all series, later ones on top. */
void plot_canvas_draw(plot_canvas *canvas);

#endif
