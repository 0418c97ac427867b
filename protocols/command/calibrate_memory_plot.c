/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "protocols/command/calibrate_memory_plot.h"

#include "cli/output/errors.h"
#include "cli/pictures/plot_sheet.h"

#include <math.h>
#include <string.h>

/* Rows of one kernel follow each other. */
static void add_rows(plot_sheet *sheet, const clump_memory_question *q, bool ratio)
{
    for (size_t i = 0; i < q->row_count; i++) {
        const clump_memory_row *row = &q->rows[i];
        const double mean = ratio ? row->ratio : row->total / 1000,
                     half = ratio ? row->ratio_half_width : row->total_half_width / 1000;
        if (i == 0 || strcmp(row->kernel, row[-1].kernel) != 0)
            plot_sheet_series(
                sheet,
                (plot_series){.name = row->kernel, .mark = PLOT_POINTS, .colour = PLOT_NEXT});
        if (isfinite(mean))
            plot_sheet_between(sheet, row->processes, mean, mean - half, mean + half);
    }
}

int memory_plot(const plot_request *request, const clump_memory_question *q, const char *machine)
{
    plot_sheet sheet = plot_sheet_new();
    plot_sheet_picture(
        &sheet,
        (plot_picture){.title = plot_sheet_text(&sheet, "Memory bandwidth of %.150s", machine),
                       .x = {.label = "Processes", .whole = true},
                       .y = {.label = "All together (GB/s)"}});
    add_rows(&sheet, q, false);
    const size_t rates = plot_sheet_points(&sheet);
    plot_sheet_picture(&sheet, (plot_picture){.title = plot_sheet_text(
                                                  &sheet, "What the memory of %.150s feeds", machine),
                                              .x = {.label = "Processes", .whole = true},
                                              .y = {.label = "Bandwidth over that of one process"},
                                              .diagonal = true});
    add_rows(&sheet, q, true);
    if (sheet.failed || (rates > 0 && plot_sheet_points(&sheet) > rates))
        return plot_sheet_draw(&sheet, request);
    plot_sheet_free(&sheet);
    return error_failed(request->command, "no picture: all runs are doubtful");
}
