/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef CLUMP_CLI_PICTURES_PLOT_LAYOUT_H
#define CLUMP_CLI_PICTURES_PLOT_LAYOUT_H

/*
 * Where everything of a picture stands, in pixels from its top left. What the lines mean stands at
 * their right ends, apart enough to be read; what points mean stands in a list beside them, or, where
 * names along the axis need the width, below. The picture becomes higher where the texts need it.
 */

#include "cli/pictures/picture_text.h"
#include "cli/pictures/plot.h"

/** Pixels: width of every picture; of the sample of an entry; from there to its text. */
enum { PLOT_WIDTH = 720, PLOT_SAMPLE = 30, PLOT_GAP = 6 };

/** Series that a picture can have: predictions and what was measured for each. */
enum { PLOT_MOST_ENTRIES = 2 * PLOT_MOST_SERIES + 8 };

/** What a series means. */
typedef struct plot_entry {
    const plot_series *series; /**< NULL: the level */
    text_lines text;
    bool at_end;         /**< of a line, from where a thin line leads to the text */
    double end_x, end_y; /**< in the units of the axes */
    double x, y;         /**< where its sample begins; middle of the text */
} plot_entry;

typedef struct plot_layout {
    double height;
    double left, right, top, bottom; /**< ends of the axes */
    double x_label, y_label;         /**< middle of the labels of the axes */
    double z_left, z_right, z_label; /**< of a heat map: the scale of colours, and its label */
    plot_range x, y;                 /**< which they show; of a heat map nothing */
    text_lines title;
    bool rotated; /**< the names on the x axis, which have no room side by side */
    plot_entry entries[PLOT_MOST_ENTRIES];
    size_t entry_count;
} plot_layout;

void plot_layout_make(const plot_picture *plot, plot_layout *layout);

/** A name on the x axis: its lines, or, if they are rotated, as of text_shorten. */
text_lines plot_category(const plot_layout *layout, const plot_picture *plot, size_t index);

#endif
