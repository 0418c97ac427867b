/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef CLUMP_CLI_PICTURES_PLOT_H
#define CLUMP_CLI_PICTURES_PLOT_H

/*
 * Pictures as data: what a command wants to show, whoever draws it. The same description becomes
 * a gnuplot script (plot_script.h), of which plot_options.h makes SVG, PNG or PDF, and a picture in a
 * page (page.h).
 *
 * Texts may come from strangers: the drawers escape them. Whatever is not finite is a gap.
 * Pictures own nothing; what they point to must outlive the drawing.
 */

#include <stdbool.h>
#include <stddef.h>

typedef enum plot_mark {
    PLOT_LINE = 0,    /**< what was computed */
    PLOT_POINTS,      /**< what was measured, or computed for names and not numbers */
    PLOT_LINE_POINTS, /**< a line through few values */
    PLOT_SPANS /**< stretches of a row: from x to `high`, along the axis of x, around y; `low` is not read */
} plot_mark;

typedef struct plot_series {
    const char *name; /**< for the legend; NULL: not in it */
    plot_mark mark;
    bool measured; /**< large open circles for points, whatever the colour */
    size_t colour; /**< series with the same number look alike; 0 is the first of the palette;
                        PLOT_BLACK stands apart */
    const double *x, *y;
    const double *low, *high; /**< ends of intervals around y, or NULL: a bar at points, a band
                                   around lines */
    size_t count;             /**< 0: in the legend only, to explain others that have no name */
} plot_series;

typedef struct plot_axis {
    const char *label; /**< with its unit: "Message size (bytes)" */
    bool logarithmic;  /**< values that are not above 0 are gaps */
    bool whole;        /**< numbers of things: no ticks between */
} plot_axis;

/** Heat map: `z` of every x and y, x changing fastest; both ascending. */
typedef struct plot_grid {
    const double *x, *y, *z;
    size_t x_count, y_count;
    const char *label; /**< of z */
    double centre;     /**< above 0: where the two colours meet, z being a ratio; 0: one colour */
} plot_grid;

typedef struct plot_picture {
    const char *title; /**< or NULL */
    plot_axis x, y;
    /** Not NULL: x is a position, from 0, in this list of names. */
    const char *const *categories;
    size_t category_count;
    double level;           /**< horizontal line at this y; 0: none */
    const char *level_name; /**< what stands at it, or NULL */
    bool diagonal;          /**< line y = x: predicted against measured */
    bool ordered;           /**< colours are steps of one quantity, not kinds */
    const plot_series *series;
    size_t series_count;
    const plot_grid *grid; /**< not NULL: a heat map, without series */
} plot_picture;

/** A colour: for what the others are held against. */
#define PLOT_BLACK ((size_t)1000)

/** The most that can be told apart, or be worth drawing. */
enum { PLOT_MOST_SERIES = 40, PLOT_MOST_PICTURES = 12, PLOT_MOST_POINTS = 200000 };

/** 0xRRGGBB of a series: seven colours that colour-blind readers can tell apart (Okabe and Ito,
 *  2008, grey for yellow), or, if `ordered`, steps from dark to light (viridis). */
unsigned plot_colour(const plot_picture *plot, size_t colour);

/** Colour of a share from 0 (below the centre) to 1 (above it): blue, white, orange. */
unsigned plot_heat(double share);

typedef struct plot_range {
    double least, most;
} plot_range;

/** Range of z of a grid, which includes its centre. */
plot_range plot_grid_range(const plot_grid *grid);

#endif
