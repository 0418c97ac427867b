/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "protocols/command/calibrate_memory_plot.h"

#include "cli/output/errors.h"
#include "cli/pictures/plot_builder.h"

#include <math.h>
#include <string.h>

/* Rows of one kernel follow each other. @return points */
static size_t add_rows(plot_builder *b, const clump_memory_question *q, bool ratio)
{
    const size_t first = b->count;
    size_t points = 0;
    for (size_t i = 0; i < q->row_count; i++) {
        const clump_memory_row *row = &q->rows[i];
        const double mean = ratio ? row->ratio : row->total / 1000,
                     width = ratio ? row->ratio_half_width : row->total_half_width / 1000,
                     half = isfinite(width) ? width : 0;
        if (i == 0 || strcmp(row->kernel, row[-1].kernel) != 0)
            plot_builder_series(b, &(plot_series){.name = row->kernel,
                                                  .mark = PLOT_POINTS,
                                                  .colour = b->count - first});
        if (!isfinite(mean))
            continue;
        plot_builder_add_interval(b, row->processes, mean, mean - half, mean + half);
        points++;
    }
    return points;
}

int memory_plot(const plot_request *request, const clump_memory_question *q, const char *machine)
{
    plot_builder b = plot_builder_start();
    const size_t rates = add_rows(&b, q, false), kernels = b.count, ratios = add_rows(&b, q, true);
    const plot_picture plots[] = {
        {.title = plot_builder_text(&b, "Memory bandwidth of %.150s", machine),
         .x = {.label = "Processes", .whole = true},
         .y = {.label = "All together (GB/s)"},
         .series = b.series,
         .series_count = kernels},
        {.title = plot_builder_text(&b, "What the memory of %.150s feeds", machine),
         .x = {.label = "Processes", .whole = true},
         .y = {.label = "Bandwidth over that of one process"},
         .diagonal = true,
         .series = b.series + kernels,
         .series_count = b.count - kernels}};
    if (b.no_memory || (rates > 0 && ratios > 0))
        return plot_builder_draw(&b, request, plots, 2);
    clump_arena_free(b.arena);
    return error_failed(request->command, "no picture: all runs are doubtful");
}
