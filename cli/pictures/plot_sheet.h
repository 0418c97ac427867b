/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef CLUMP_CLI_PICTURES_PLOT_SHEET_H
#define CLUMP_CLI_PICTURES_PLOT_SHEET_H

/*
 * Pictures in the making: each gets its series, and each series its points, one after the other.
 *
 *     plot_sheet sheet = plot_sheet_new();
 *     plot_sheet_picture(&sheet, (plot_picture){.x = {.label = "Pairs"}, .y = {.label = "GB/s"}});
 *     plot_sheet_series(&sheet, (plot_series){.name = "fitted", .mark = PLOT_LINE});
 *     for (...)
 *         plot_sheet_point(&sheet, x, y);
 *     return plot_sheet_draw(&sheet, request);
 *
 * Where memory runs out the rest does nothing, and plot_sheet_draw complains.
 */

#include "cli/pictures/plot_options.h"

typedef struct plot_sheet {
    struct clump_arena *memory;
    plot_picture pictures[PLOT_MOST_PICTURES];
    plot_series *series; /**< of the last picture */
    size_t count;
    bool failed; /**< out of memory */
} plot_sheet;

plot_sheet plot_sheet_new(void);

/** A text that lasts as long as the sheet; "" if there is no memory. */
__attribute__((format(printf, 2, 3))) const char *plot_sheet_text(plot_sheet *sheet,
                                                                  const char *format, ...);

/** Begin a picture, without series and categories; PLOT_MOST_PICTURES at most. */
void plot_sheet_picture(plot_sheet *sheet, plot_picture picture);

/** One more name on the x axis of the last picture: that of x = 0, 1, ... */
void plot_sheet_category(plot_sheet *sheet, const char *name);

/** A colour: that of no series before in the picture, if all have this. */
#define PLOT_NEXT ((size_t)1001)

/** Begin a series of the last picture, without points; one that gets none is left out. */
void plot_sheet_series(plot_sheet *sheet, plot_series series);

/** One more point of the last series; all of a series have an interval, or none. */
void plot_sheet_point(plot_sheet *sheet, double x, double y);

/** The same with an interval, whose ends are y where they are not known; of PLOT_SPANS from x to `high`. */
void plot_sheet_between(plot_sheet *sheet, double x, double y, double low, double high);

/** Points in all pictures. */
size_t plot_sheet_points(const plot_sheet *sheet);

/** Without drawing. */
void plot_sheet_free(plot_sheet *sheet);

/** Draw all pictures, and free the sheet. Complains itself. @return exit code */
int plot_sheet_draw(plot_sheet *sheet, const plot_request *request);

#endif
