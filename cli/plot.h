/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef CLUMP_CLI_PLOT_H
#define CLUMP_CLI_PLOT_H

/*
 * Pictures as data: what a command wants to show, whoever draws it. The same description becomes
 * a gnuplot script (plot_script.h), an SVG, PNG or PDF file (plot_file.h), characters in a terminal
 * (plot_terminal.h) and a picture in a page (plot_json.h).
 *
 * Texts may come from strangers: the drawers escape them. Whatever is not finite is a gap.
 * Pictures own nothing; what they point to must outlive the drawing.
 */

#include <stdbool.h>
#include <stddef.h>

typedef enum clump_cli_plot_mark {
    CLUMP_CLI_PLOT_LINE = 0,   /**< what was computed */
    CLUMP_CLI_PLOT_POINTS,     /**< what was measured, or computed for names and not numbers */
    CLUMP_CLI_PLOT_LINE_POINTS /**< a line through few values */
} clump_cli_plot_mark;

typedef struct clump_cli_plot_series {
    const char *name; /**< for the legend; NULL: not in it */
    clump_cli_plot_mark mark;
    bool measured; /**< large open circles for points, whatever the colour */
    size_t colour; /**< series with the same number look alike; 0 is the first of the palette;
                        CLUMP_CLI_PLOT_BLACK stands apart */
    const double *x, *y;
    const double *low, *high; /**< ends of intervals around y, or NULL: a bar at points, a band
                                   around lines */
    size_t count;             /**< 0: in the legend only, to explain others that have no name */
} clump_cli_plot_series;

typedef struct clump_cli_plot_axis {
    const char *label; /**< with its unit: "Message size (bytes)" */
    bool logarithmic;  /**< values that are not above 0 are gaps */
    bool whole;        /**< numbers of things: no ticks between */
} clump_cli_plot_axis;

/** Heat map: `z` of every x and y, x changing fastest; both ascending. */
typedef struct clump_cli_plot_grid {
    const double *x, *y, *z;
    size_t x_count, y_count;
    const char *label; /**< of z */
    double centre;     /**< above 0: where the two colours meet, z being a ratio; 0: one colour */
} clump_cli_plot_grid;

typedef struct clump_cli_plot {
    const char *title; /**< or NULL */
    clump_cli_plot_axis x, y;
    /** Not NULL: x is a position, from 0, in this list of names. */
    const char *const *categories;
    size_t category_count;
    double level;           /**< horizontal line at this y; 0: none */
    const char *level_name; /**< what stands at it, or NULL */
    bool diagonal;          /**< line y = x: predicted against measured */
    bool ordered;           /**< colours are steps of one quantity, not kinds */
    const clump_cli_plot_series *series;
    size_t series_count;
    const clump_cli_plot_grid *grid; /**< not NULL: a heat map, without series */
} clump_cli_plot;

/** A colour: for what the others are held against. */
#define CLUMP_CLI_PLOT_BLACK ((size_t)1000)

/** The most that can be told apart, or be worth drawing. */
enum {
    CLUMP_CLI_PLOT_MOST_SERIES = 40,
    CLUMP_CLI_PLOT_MOST_PICTURES = 12,
    CLUMP_CLI_PLOT_MOST_POINTS = 200000
};

/** 0xRRGGBB of a series: seven colours that colour-blind readers can tell apart (Okabe and Ito,
 *  2008, grey for yellow), or, if `ordered`, steps from dark to light (viridis). */
unsigned clump_cli_plot_colour(const clump_cli_plot *plot, size_t colour);

/** Colours in use: greatest `colour` of a series but black, plus 1. */
size_t clump_cli_plot_colour_count(const clump_cli_plot *plot);

/** Colour of a share from 0 (below the centre) to 1 (above it): blue, white, orange. */
unsigned clump_cli_plot_heat(double share);

/** Where z lies between the extremes of the grid, 0 to 1; 0.5 at its centre. NAN if z is none. */
double clump_cli_plot_heat_share(const clump_cli_plot_grid *grid, double z);

typedef struct clump_cli_plot_range {
    double least, most;
} clump_cli_plot_range;

/** Range of z of a grid, which includes its centre. */
clump_cli_plot_range clump_cli_plot_grid_range(const clump_cli_plot_grid *grid);

/** What the axes must show: all values, intervals, the level; never empty. */
clump_cli_plot_range clump_cli_plot_x_range(const clump_cli_plot *plot);
clump_cli_plot_range clump_cli_plot_y_range(const clump_cli_plot *plot);

#endif
