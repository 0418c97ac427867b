/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/pictures/plot_canvas.h"

#include <math.h>
#include <string.h>

enum {
    ROWS = CANVAS_ROWS,
    DOTS_ACROSS = 2, /* of Braille in a character */
    DOTS_DOWN = 4,
    EVERYBODY = CANVAS_EVERYBODY,
};

typedef plot_canvas canvas;

static double share(double value, plot_range range, bool logarithmic)
{
    if (logarithmic)
        return value > 0 ? log(value / range.least) / log(range.most / range.least) : NAN;
    return (value - range.least) / (range.most - range.least);
}

/* Position in dots, from the top left. */
static double across(const canvas *c, double x)
{
    return share(x, c->x, c->plot->x.logarithmic) * (c->columns * DOTS_ACROSS - 1);
}

static double down(const canvas *c, double y)
{
    return (1 - share(y, c->y, c->plot->y.logarithmic)) * (ROWS * DOTS_DOWN - 1);
}

static void put(canvas *c, double across_dots, double down_dots, int owner)
{
    static const unsigned char bits[DOTS_DOWN][DOTS_ACROSS] = {
        {0x01, 0x08}, {0x02, 0x10}, {0x04, 0x20}, {0x40, 0x80}};
    if (!(across_dots > -0.5 && across_dots < c->columns * DOTS_ACROSS - 0.5 && down_dots > -0.5 &&
          down_dots < ROWS * DOTS_DOWN - 0.5))
        return;
    const int i = (int)lround(across_dots), j = (int)lround(down_dots);
    const int cell = j / DOTS_DOWN * c->columns + i / DOTS_ACROSS;
    if (c->owners[cell] == EVERYBODY)
        c->dots[cell] = 0;
    c->dots[cell] |= bits[j % DOTS_DOWN][i % DOTS_ACROSS];
    c->owners[cell] = owner;
}

static void put_line(canvas *c, const double from[2], const double to[2], int owner)
{
    const double length = fmax(fabs(to[0] - from[0]), fabs(to[1] - from[1]));
    if (!isfinite(length) || length > 1e5)
        return;
    const int steps = (int)ceil(length);
    for (int i = 0; i <= steps; i++) {
        const double t = steps > 0 ? (double)i / steps : 0;
        put(c, from[0] + t * (to[0] - from[0]), from[1] + t * (to[1] - from[1]), owner);
    }
}

static void put_series(canvas *c, size_t index)
{
    const plot_series *s = &c->plot->series[index];
    double before[2] = {NAN, NAN};
    for (size_t i = 0; i < s->count; i++) {
        const double here[2] = {across(c, s->x[i]), down(c, s->y[i])};
        if (s->mark != PLOT_POINTS)
            put_line(c, before, here, (int)index);
        if (s->low != NULL && s->high != NULL && s->mark == PLOT_POINTS) {
            const double low[2] = {here[0], down(c, s->low[i])};
            const double high[2] = {here[0], down(c, s->high[i])};
            put_line(c, low, high, (int)index);
        }
        for (int dot = 0; dot < 4 && s->mark != PLOT_LINE; dot++)
            put(c, here[0] + dot % 2, here[1] + dot / 2, (int)index);
        put(c, here[0], here[1], (int)index);
        memcpy(before, here, sizeof before);
    }
}

static void put_level(canvas *c)
{
    const double height = down(c, c->plot->level);
    if (c->plot->level > 0 || c->plot->level < 0)
        for (int i = 0; i < c->columns * DOTS_ACROSS; i += 2 * DOTS_ACROSS)
            put(c, i, height, EVERYBODY);
    if (c->plot->diagonal) {
        const double from[2] = {across(c, c->x.least), down(c, c->x.least)};
        const double to[2] = {across(c, c->x.most), down(c, c->x.most)};
        put_line(c, from, to, EVERYBODY);
    }
}

void plot_canvas_draw(plot_canvas *c)
{
    for (int i = 0; i < c->columns * ROWS; i++)
        c->owners[i] = CANVAS_NOBODY;
    put_level(c);
    for (size_t i = 0; i < c->plot->series_count; i++)
        put_series(c, i);
}
