/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef CLUMP_CLI_PICTURES_PLOT_BUILDER_H
#define CLUMP_CLI_PICTURES_PLOT_BUILDER_H

/*
 * Series point by point; whether there was memory for all of them is asked at the end:
 *
 *     plot_builder b = plot_builder_start();
 *     plot_builder_series(&b, &(plot_series){.name = "measured", .mark = PLOT_POINTS});
 *     plot_builder_add(&b, x, y);
 *     ...
 *     status = plot_builder_draw(&b, request, &(plot_picture){.series = b.series, .series_count = b.count}, 1);
 */

#include "cli/pictures/plot_options.h"
#include "data/arena.h"

typedef struct plot_builder {
    clump_arena *arena;
    plot_series *series;
    size_t count;
    bool no_memory;
} plot_builder;

plot_builder plot_builder_start(void);

/** Begin a series, without points so far. */
void plot_builder_series(plot_builder *builder, const plot_series *like);

/** One more point of the last series; all of its points with an interval, or none. */
void plot_builder_add(plot_builder *builder, double x, double y);
void plot_builder_add_interval(plot_builder *builder, double x, double y, double low, double high);

/** A text that lives until the picture is drawn. */
__attribute__((format(printf, 2, 3))) const char *plot_builder_text(plot_builder *builder,
                                                                    const char *format, ...);

/** Draw, as plot_request_draw, and release everything. @return exit code */
int plot_builder_draw(plot_builder *builder, const plot_request *request, const plot_picture *plots,
                      size_t count);

#endif
