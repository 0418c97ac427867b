/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/pictures/plot.h"

#include <math.h>

static const unsigned kinds[] = {0x0072B2, 0xD55E00, 0x009E73, 0xCC79A7,
                                 0xE69F00, 0x56B4E9, 0x7F7F7F};
static const unsigned steps[] = {0x440154, 0x443983, 0x31688E, 0x21918C, 0x35B779, 0x90D743};

static unsigned mix(unsigned a, unsigned b, double share)
{
    unsigned mixed = 0;
    for (int shift = 0; shift <= 16; shift += 8) {
        const double from = (double)(a >> shift & 0xFF), to = (double)(b >> shift & 0xFF);
        mixed |= (unsigned)lround(from + (to - from) * share) << shift;
    }
    return mixed;
}

/* Colours in use: greatest `colour` of a series but black, plus 1. */
static size_t plot_colour_count(const plot_picture *plot)
{
    size_t count = 1;
    for (size_t i = 0; i < plot->series_count; i++)
        if (plot->series[i].colour >= count && plot->series[i].colour != PLOT_BLACK)
            count = plot->series[i].colour + 1;
    return count;
}

unsigned plot_colour(const plot_picture *plot, size_t colour)
{
    const size_t last = sizeof steps / sizeof *steps - 1;
    if (colour == PLOT_BLACK)
        return 0;
    if (!plot->ordered)
        return kinds[colour % (sizeof kinds / sizeof *kinds)];
    const size_t count = plot_colour_count(plot);
    const double place = count > 1 ? (double)(colour * last) / (double)(count - 1) : 0;
    const size_t step = place < (double)last ? (size_t)place : last - 1;
    return mix(steps[step], steps[step + 1], place - (double)step);
}

unsigned plot_heat(double share)
{
    const unsigned below = 0x0072B2, middle = 0xF7F7F7, above = 0xD55E00;
    return share < 0.5 ? mix(below, middle, 2 * share) : mix(middle, above, 2 * share - 1);
}

static void include(plot_range *range, double value, bool logarithmic)
{
    if (!isfinite(value) || (logarithmic && !(value > 0)))
        return;
    range->least = fmin(range->least, value);
    range->most = fmax(range->most, value);
}

/* Nothing to show, or one value only: some room around it. */
static plot_range widened(plot_range range, bool logarithmic)
{
    if (!(range.least <= range.most))
        range = (plot_range){logarithmic ? 1 : 0, logarithmic ? 10 : 1};
    if (range.least < range.most)
        return range;
    const double room = fabs(range.least) > 0 ? fabs(range.least) / 2 : 1;
    return logarithmic ? (plot_range){range.least / 2, range.most * 2}
                       : (plot_range){range.least - room, range.most + room};
}

plot_range plot_grid_range(const plot_grid *grid)
{
    plot_range range = {INFINITY, -INFINITY};
    for (size_t i = 0; i < grid->x_count * grid->y_count; i++)
        include(&range, grid->z[i], grid->centre > 0);
    if (grid->centre > 0 && range.least <= range.most) /* the centre, and something on each side */
        range = (plot_range){fmin(range.least, grid->centre / 1.1),
                             fmax(range.most, grid->centre * 1.1)};
    return widened(range, grid->centre > 0);
}
