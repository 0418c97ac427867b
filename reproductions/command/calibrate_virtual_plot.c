/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "reproductions/command/calibrate_virtual_plot.h"

#include "cli/output/errors.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 24 }; /* lines of a picture, names, units */

typedef struct picture {
    double *x, *y;           /* of every line of the table, once more for what documents print */
    const char *names[MOST]; /* of quantities */
    plot_series series[MOST + 2];
    size_t name_count, series_count;
    char title[160], label[64];
    plot_picture plot;
} picture;

/* ---- beside what documents print, in microseconds */

static bool is_time(const virtual_line *line)
{
    return isfinite(line->printed) && strcmp(line->unit, "us") == 0;
}

static void compare(picture *p, const virtual_line *lines, size_t count)
{
    double *const x = p->x, *const virtual = p->y, *const right = p->x + count,
                  *const printed = p->y + count;
    for (size_t i = 0; i < count && p->name_count < MOST; i++) {
        const size_t n = p->name_count;
        if (!is_time(&lines[i]))
            continue;
        x[n] = (double)n - 0.08;
        right[n] = (double)n + 0.08;
        virtual[n] = lines[i].value;
        printed[n] = lines[i].printed;
        p->names[p->name_count++] = lines[i].quantity;
    }
    p->series[0] = (plot_series){
        .name = "virtual time", .mark = PLOT_POINTS, .x = x, .y = virtual, .count = p->name_count};
    p->series[1] = (plot_series){.name = "printed in a document",
                                 .mark = PLOT_POINTS,
                                 .measured = true,
                                 .colour = PLOT_BLACK,
                                 .x = right,
                                 .y = printed,
                                 .count = p->name_count};
    p->series_count = p->name_count > 0 ? 2 : 0;
    p->plot.x.label = "Quantity";
    p->plot.categories = p->names;
    p->plot.category_count = p->name_count;
    snprintf(p->label, sizeof p->label, "Time (us)");
}

/* ---- over sizes of messages */

static bool has_sizes(const virtual_line *lines, size_t count, const virtual_line *of)
{
    for (size_t i = 0; i < count; i++)
        if (lines[i].size_bytes > 0 && of->size_bytes > 0 && lines[i].nodes == of->nodes &&
            lines[i].size_bytes != of->size_bytes && strcmp(lines[i].quantity, of->quantity) == 0)
            return true;
    return false;
}

static int compare_sizes(const void *a, const void *b)
{
    const virtual_line *x = *(const virtual_line *const *)a, *y = *(const virtual_line *const *)b;
    return (x->size_bytes > y->size_bytes) - (x->size_bytes < y->size_bytes);
}

/* A line for each quantity of the unit, through the sizes in their order. */
static bool add_sizes(picture *p, const virtual_line *lines, size_t count, const char *unit)
{
    const virtual_line **order = malloc((count + 1) * sizeof *order);
    size_t used = 0;
    if (order == NULL)
        return false;
    for (size_t i = 0; i < count; i++)
        order[i] = &lines[i];
    qsort(order, count, sizeof *order, compare_sizes);
    for (size_t i = 0; i < count && p->series_count < MOST; i++) {
        const virtual_line *first = order[i];
        plot_series *s = &p->series[p->series_count];
        bool known = strcmp(first->unit, unit) != 0 || !has_sizes(lines, count, first);
        for (size_t k = 0; k < p->series_count; k++)
            known = known || strcmp(p->series[k].name, first->quantity) == 0;
        if (known)
            continue;
        *s = (plot_series){.name = first->quantity,
                           .mark = PLOT_LINE_POINTS,
                           .colour = p->series_count++,
                           .x = p->x + used,
                           .y = p->y + used};
        for (size_t k = i; k < count; k++)
            if (strcmp(order[k]->quantity, first->quantity) == 0 && order[k]->size_bytes > 0) {
                p->x[used] = (double)order[k]->size_bytes;
                p->y[used++] = order[k]->value;
                s->count++;
            }
    }
    free(order);
    p->plot.x = (plot_axis){"Message size (bytes)", .logarithmic = true, .whole = true};
    p->plot.y.logarithmic = true;
    snprintf(p->label, sizeof p->label, "%s (%.40s)", strcmp(unit, "us") == 0 ? "Time" : "Rate",
             unit);
    return true;
}

/* ---- all */

/* The picture of a unit, or, without one, of what documents print. */
static bool make(picture *p, const virtual_line *lines, size_t count, const char *unit,
                 const char *machine)
{
    p->x = calloc(4 * count + 1, sizeof *p->x);
    p->y = p->x != NULL ? p->x + 2 * count : NULL;
    if (p->x == NULL || (unit != NULL && !add_sizes(p, lines, count, unit)))
        return false;
    if (unit == NULL)
        compare(p, lines, count);
    snprintf(p->title, sizeof p->title, "%s, %.120s",
             unit == NULL ? "Beside documents" : "Message sizes", machine);
    p->plot.title = p->title;
    p->plot.y.label = p->label;
    p->plot.series = p->series;
    p->plot.series_count = p->series_count;
    return true;
}

int virtual_plot(const plot_request *request, output_format format, const char *machine,
                 const virtual_line *lines, size_t count)
{
    static const char *const units[] = {NULL, "us", "B/us"};
    enum { PICTURES = sizeof units / sizeof *units };
    picture *pictures = calloc(PICTURES, sizeof *pictures);
    plot_picture plots[PICTURES];
    size_t used = 0;
    int status = pictures != NULL ? EXIT_DONE : error_memory(request->command);
    for (size_t i = 0; i < PICTURES && status == EXIT_DONE; i++)
        if (!make(&pictures[i], lines, count, units[i], machine))
            status = error_memory(request->command);
        else if (pictures[i].series_count > 0)
            plots[used++] = pictures[i].plot;
    if (status == EXIT_DONE && used == 0)
        status = error_failed(request->command, "no picture: found nothing over several sizes, "
                                                "and nothing that a document prints");
    if (status == EXIT_DONE)
        status = plot_request_draw(request, plots, used, format);
    for (size_t i = 0; i < PICTURES && pictures != NULL; i++)
        free(pictures[i].x);
    free(pictures);
    return status;
}
