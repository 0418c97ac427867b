/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/pictures/plot_sheet.h"

#include "cli/output/errors.h"
#include "data/arena.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>

plot_sheet plot_sheet_new(void)
{
    plot_sheet sheet = {.memory = clump_arena_new()};
    sheet.failed = sheet.memory == NULL;
    return sheet;
}

const char *plot_sheet_text(plot_sheet *s, const char *format, ...)
{
    enum { SIZE = 240 };
    char *text = s->failed ? NULL : clump_arena_take(s->memory, SIZE);
    va_list values;
    s->failed = text == NULL;
    if (text == NULL)
        return "";
    va_start(values, format);
    vsnprintf(text, SIZE, format, values);
    va_end(values);
    return text;
}

/* `rows` with room for one more behind `count` of them. They are the sheet's own. */
static void *more(plot_sheet *s, const void *rows, size_t count, size_t size)
{
    void *larger =
        s->failed ? NULL : clump_arena_more(s->memory, (void *)(uintptr_t)rows, count, size);
    s->failed = larger == NULL;
    return larger;
}

static plot_picture *last_picture(plot_sheet *s)
{
    return &s->pictures[s->count - 1];
}

/* The last series, if it has no points. */
static void drop_empty(plot_sheet *s)
{
    plot_picture *p = s->count > 0 ? last_picture(s) : NULL;
    if (p != NULL && p->series_count > 0 && s->series[p->series_count - 1].count == 0)
        p->series_count--;
}

void plot_sheet_picture(plot_sheet *s, plot_picture picture)
{
    drop_empty(s);
    picture.series = s->series = NULL;
    picture.series_count = picture.category_count = 0;
    picture.categories = NULL;
    s->pictures[s->count++] = picture;
}

void plot_sheet_category(plot_sheet *s, const char *name)
{
    plot_picture *p = last_picture(s);
    const char **names = more(s, p->categories, p->category_count, sizeof *names);
    if (names == NULL)
        return;
    names[p->category_count++] = name;
    p->categories = names;
}

void plot_sheet_series(plot_sheet *s, plot_series series)
{
    plot_picture *p = last_picture(s);
    drop_empty(s);
    plot_series *all = more(s, s->series, p->series_count, sizeof *all);
    if (all == NULL)
        return;
    series.x = series.y = series.low = series.high = NULL;
    series.count = 0;
    if (series.colour == PLOT_NEXT)
        series.colour = p->series_count;
    all[p->series_count++] = series;
    p->series = s->series = all;
}

/* One more number behind `count` of them. */
static const double *append(plot_sheet *s, const double *numbers, size_t count, double number)
{
    double *larger = more(s, numbers, count, sizeof *larger);
    if (larger == NULL)
        return numbers;
    larger[count] = number;
    return larger;
}

void plot_sheet_point(plot_sheet *s, double x, double y)
{
    if (s->failed)
        return;
    plot_series *series = &s->series[last_picture(s)->series_count - 1];
    series->x = append(s, series->x, series->count, x);
    series->y = append(s, series->y, series->count, y);
    series->count += !s->failed;
}

void plot_sheet_between(plot_sheet *s, double x, double y, double low, double high)
{
    if (s->failed)
        return;
    plot_series *series = &s->series[last_picture(s)->series_count - 1];
    series->low = append(s, series->low, series->count, isfinite(low) ? low : y);
    series->high = append(s, series->high, series->count, isfinite(high) ? high : y);
    plot_sheet_point(s, x, y);
}

size_t plot_sheet_points(const plot_sheet *s)
{
    size_t points = 0;
    for (size_t i = 0; i < s->count; i++)
        for (size_t k = 0; k < s->pictures[i].series_count; k++)
            points += s->pictures[i].series[k].count;
    return points;
}

void plot_sheet_free(plot_sheet *s)
{
    clump_arena_free(s->memory);
    *s = (plot_sheet){.failed = true};
}

int plot_sheet_draw(plot_sheet *s, const plot_request *request)
{
    drop_empty(s);
    const int status = s->failed ? error_memory(request->command)
                                 : plot_request_draw(request, s->pictures, s->count);
    plot_sheet_free(s);
    return status;
}
