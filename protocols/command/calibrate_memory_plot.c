/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "protocols/command/calibrate_memory_plot.h"

#include "cli/output/errors.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct picture {
    plot_series series[CLUMP_MEMORY_KERNELS];
    size_t series_count;
    double *numbers; /* x, y, low and high of all rows */
} picture;

/* Rows of one kernel follow each other. False: out of memory. */
static bool fill(picture *p, const clump_memory_question *q, bool ratio)
{
    const size_t n = q->row_count;
    double *x = malloc(4 * n * sizeof *x);
    *p = (picture){.numbers = x};
    if (x == NULL)
        return false;
    double *y = x + n, *low = y + n, *high = low + n;
    for (size_t i = 0, used = 0; i < n; i++) {
        const clump_memory_row *row = &q->rows[i];
        const bool fresh = i == 0 || strcmp(row->kernel, row[-1].kernel) != 0;
        if (fresh && p->series_count == CLUMP_MEMORY_KERNELS)
            break;
        if (fresh) {
            p->series[p->series_count] = (plot_series){.name = row->kernel,
                                                       .mark = PLOT_POINTS,
                                                       .colour = p->series_count,
                                                       .x = x + used,
                                                       .y = y + used,
                                                       .low = low + used,
                                                       .high = high + used};
            p->series_count++;
        }
        const double mean = ratio ? row->ratio : row->total / 1000,
                     half = ratio ? row->ratio_half_width : row->total_half_width / 1000;
        if (!isfinite(mean))
            continue;
        x[used] = row->processes;
        y[used] = mean;
        low[used] = isfinite(half) ? mean - half : mean;
        high[used] = isfinite(half) ? mean + half : mean;
        used++;
        p->series[p->series_count - 1].count++;
    }
    return true;
}

static bool is_empty(const picture *p)
{
    for (size_t i = 0; i < p->series_count; i++)
        if (p->series[i].count > 0)
            return false;
    return true;
}

int memory_plot(const plot_request *request, output_format format, const clump_memory_question *q,
                const char *machine)
{
    char titles[2][200];
    picture bandwidth, ratio;
    snprintf(titles[0], sizeof *titles, "Memory bandwidth of %.150s", machine);
    snprintf(titles[1], sizeof *titles, "What the memory of %.150s feeds", machine);
    const bool made = fill(&bandwidth, q, false), also = fill(&ratio, q, true);
    int status = made && also ? EXIT_DONE : error_memory(request->command);
    if (status == EXIT_DONE && (is_empty(&bandwidth) || is_empty(&ratio)))
        status = error_failed(request->command, "no picture: all runs are doubtful");
    if (status == EXIT_DONE) {
        const plot_picture plots[2] = {{.title = titles[0],
                                        .x = {.label = "Processes", .whole = true},
                                        .y = {.label = "All together (GB/s)"},
                                        .series = bandwidth.series,
                                        .series_count = bandwidth.series_count},
                                       {.title = titles[1],
                                        .x = {.label = "Processes", .whole = true},
                                        .y = {.label = "Bandwidth over that of one process"},
                                        .diagonal = true,
                                        .series = ratio.series,
                                        .series_count = ratio.series_count}};
        status = plot_request_draw(request, plots, 2, format);
    }
    free(bandwidth.numbers);
    free(ratio.numbers);
    return status;
}
