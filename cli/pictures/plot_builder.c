/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/pictures/plot_builder.h"

#include "cli/output/errors.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

plot_builder plot_builder_start(void)
{
    clump_arena *arena = clump_arena_new();
    return (plot_builder){.arena = arena, .no_memory = arena == NULL};
}

void plot_builder_series(plot_builder *b, const plot_series *like)
{
    plot_series *series =
        b->no_memory ? NULL : clump_arena_more(b->arena, b->series, b->count, sizeof *series);
    b->no_memory = series == NULL;
    if (series == NULL)
        return;
    b->series = series;
    series[b->count++] = *like;
}

/* Pictures only read what is built here. */
static void append(plot_builder *b, const double **numbers, double number)
{
    const size_t count = b->series[b->count - 1].count;
    double *all = clump_arena_more(b->arena, (void *)(uintptr_t)*numbers, count, sizeof *all);
    b->no_memory = b->no_memory || all == NULL;
    if (b->no_memory)
        return;
    all[count] = number;
    *numbers = all;
}

void plot_builder_add(plot_builder *b, double x, double y)
{
    if (b->no_memory)
        return;
    plot_series *last = &b->series[b->count - 1];
    append(b, &last->x, x);
    append(b, &last->y, y);
    last->count++;
}

void plot_builder_add_interval(plot_builder *b, double x, double y, double low, double high)
{
    if (b->no_memory)
        return;
    plot_series *last = &b->series[b->count - 1];
    append(b, &last->low, low);
    append(b, &last->high, high);
    plot_builder_add(b, x, y);
}

const char *plot_builder_text(plot_builder *b, const char *format, ...)
{
    char text[1000];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    char *copy = b->no_memory ? NULL : clump_arena_take(b->arena, strlen(text) + 1);
    b->no_memory = copy == NULL;
    return copy != NULL ? strcpy(copy, text) : "";
}

int plot_builder_draw(plot_builder *b, const plot_request *request, const plot_picture *plots,
                      size_t count)
{
    const int status =
        b->no_memory ? error_memory(request->command) : plot_request_draw(request, plots, count);
    clump_arena_free(b->arena);
    *b = (plot_builder){.arena = NULL};
    return status;
}
