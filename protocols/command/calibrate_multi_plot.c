/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "protocols/command/calibrate_multi_plot.h"

#include "cli/output/errors.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_COLUMNS = 16 };

typedef struct picture {
    double *numbers;                 /* x, y, low and high of each row in turn */
    const char *names[MOST_COLUMNS]; /* of columns */
    plot_series series[PLOT_MOST_SERIES];
    size_t name_count, series_count;
    double least, most;
    plot_picture plot;
} picture;

/* Its place among the names; MOST_COLUMNS: none left. */
static size_t find_column(picture *p, const char *name)
{
    size_t i = 0;
    while (i < p->name_count && strcmp(p->names[i], name) != 0)
        i++;
    if (i == p->name_count && i < MOST_COLUMNS)
        p->names[p->name_count++] = name;
    return i;
}

/* The series of a row, made if there is none yet; NULL: none left. */
static plot_series *find_row(picture *p, const char *name)
{
    for (size_t i = 0; i < p->series_count; i++)
        if (strcmp(p->series[i].name, name) == 0)
            return &p->series[i];
    if (p->series_count == PLOT_MOST_SERIES)
        return NULL;
    double *const numbers = p->numbers + 4 * MOST_COLUMNS * p->series_count;
    plot_series *series = &p->series[p->series_count];
    *series = (plot_series){.name = name,
                            .mark = PLOT_POINTS,
                            .colour = p->series_count++,
                            .x = numbers,
                            .y = numbers + MOST_COLUMNS,
                            .low = numbers + 2 * MOST_COLUMNS,
                            .high = numbers + 3 * MOST_COLUMNS};
    return series;
}

static void add(picture *p, const clump_multi_number *n)
{
    plot_series *row = find_row(p, n->row);
    const size_t column = find_column(p, n->column);
    const double half = isfinite(n->half_width) ? n->half_width : 0;
    if (row == NULL || column == MOST_COLUMNS || row->count == MOST_COLUMNS || !isfinite(n->mean))
        return;
    double *const numbers = p->numbers + 4 * MOST_COLUMNS * (size_t)(row - p->series);
    const size_t i = row->count++;
    numbers[i] = (double)column;
    numbers[MOST_COLUMNS + i] = n->mean;
    numbers[2 * MOST_COLUMNS + i] = n->mean - half;
    numbers[3 * MOST_COLUMNS + i] = n->mean + half;
    p->least = fmin(p->least, n->mean);
    p->most = fmax(p->most, n->mean);
}

/* Points at one name stand beside each other. */
static void spread(picture *p)
{
    const double step = fmin(0.12, 0.8 / (double)(p->series_count + 1));
    for (size_t s = 0; s < p->series_count; s++)
        for (size_t i = 0; i < p->series[s].count; i++)
            p->numbers[4 * MOST_COLUMNS * s + i] +=
                step * ((double)s - (double)(p->series_count - 1) / 2);
}

static bool make(picture *p, const clump_multi_number *numbers, size_t count)
{
    p->numbers = calloc((size_t)4 * MOST_COLUMNS * PLOT_MOST_SERIES, sizeof *p->numbers);
    if (p->numbers == NULL)
        return false;
    p->least = INFINITY;
    for (size_t i = 0; i < count; i++)
        if (numbers[i].unit == CLUMP_MULTI_US)
            add(p, &numbers[i]);
    spread(p);
    p->plot = (plot_picture){
        .title = clump_multi_table_title(numbers->table),
        .x = {.label = "Protocol or setting"},
        .y = {.label = "Time (us)", .logarithmic = p->least > 0 && p->most > 10 * p->least},
        .categories = p->names,
        .category_count = p->name_count,
        .series = p->series,
        .series_count = p->series_count};
    return true;
}

int multi_plot(const plot_request *request, output_format format,
               const clump_multi_results *results)
{
    picture *pictures = calloc(PLOT_MOST_PICTURES, sizeof *pictures);
    plot_picture plots[PLOT_MOST_PICTURES];
    size_t used = 0, made = 0;
    int status = pictures != NULL ? EXIT_DONE : error_memory(request->command);
    for (size_t first = 0, end; first < results->count && made < PLOT_MOST_PICTURES; first = end) {
        const clump_multi_number *n = &results->numbers[first];
        for (end = first + 1; end < results->count && results->numbers[end].table == n->table;)
            end++;
        if (status != EXIT_DONE)
            break;
        if (!make(&pictures[made++], n, end - first))
            status = error_memory(request->command);
        else if (pictures[made - 1].series_count > 0)
            plots[used++] = pictures[made - 1].plot;
    }
    if (status == EXIT_DONE && used == 0)
        status = error_failed(request->command, "no picture: no times were measured");
    if (status == EXIT_DONE)
        status = plot_request_draw(request, plots, used, format);
    for (size_t i = 0; i < made; i++)
        free(pictures[i].numbers);
    free(pictures);
    return status;
}
