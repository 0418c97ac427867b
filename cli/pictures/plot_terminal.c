/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/pictures/plot_terminal.h"

#include "cli/output/errors.h"
#include "cli/output/escape.h"
#include "cli/output/terminal.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    ROWS = 20,       /* of characters */
    MARGIN = 10,     /* for the numbers at the left */
    DOTS_ACROSS = 2, /* of Braille in a character */
    DOTS_DOWN = 4,
    NOBODY = -1,    /* owner of cells that belong to no series */
    EVERYBODY = -2, /* of lines across the picture */
};

/* A picture as dots in character cells. */
typedef struct canvas {
    const plot_picture *plot;
    FILE *file;
    bool colours, braille; /* that `file` shows */
    int columns;
    plot_range x, y;
    unsigned char *dots; /* of each cell, as Braille numbers them: 2 by 4 */
    int *owners;         /* of each cell: index of a series, or one of the above */
} canvas;

/* ---- dots */

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

/* A stretch fills most of its row. */
static void put_span(canvas *c, const plot_series *s, size_t i, int owner)
{
    const double half = 0.42, top = down(c, s->y[i] + half), bottom = down(c, s->y[i] - half);
    const double left = across(c, s->x[i]), right = across(c, s->high[i]);
    for (double at = top; at <= bottom && right > left; at++) {
        const double from[2] = {left, at}, to[2] = {fmax(right - 1, left), at};
        put_line(c, from, to, owner);
    }
}

static void put_series(canvas *c, size_t index)
{
    const plot_series *s = &c->plot->series[index];
    double before[2] = {NAN, NAN};
    for (size_t i = 0; i < s->count; i++) {
        const double here[2] = {across(c, s->x[i]), down(c, s->y[i])};
        if (s->mark == PLOT_SPANS) {
            put_span(c, s, i, (int)index);
            continue;
        }
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

/* Line across the picture, then all series, later ones on top. */
static void draw_dots(canvas *c)
{
    for (int i = 0; i < c->columns * ROWS; i++)
        c->owners[i] = NOBODY;
    put_level(c);
    for (size_t i = 0; i < c->plot->series_count; i++)
        put_series(c, i);
}

/* ---- the cells, axes and legend */

static const char signs[] = "*+x#@%&=$abcdefghijklmnopqrstuvwyzABCDEF";
static const char ramp[] = " .:-=+*#%@";

static void begin_colour(const canvas *c, unsigned rgb, bool background)
{
    if (c->colours) /* the colour cube of 6 by 6 by 6 that all terminals with 256 colours have */
        fprintf(c->file, "\033[%d;5;%um", background ? 48 : 38,
                16 + 36 * ((rgb >> 16 & 0xFF) * 5 / 255) + 6 * ((rgb >> 8 & 0xFF) * 5 / 255) +
                    (rgb & 0xFF) * 5 / 255);
}

static void end_colour(const canvas *c)
{
    if (c->colours)
        fputs("\033[0m", c->file);
}

/* Black on a dark terminal cannot be seen. */
static unsigned visible_colour(const canvas *c, size_t colour)
{
    const unsigned rgb = plot_colour(c->plot, colour);
    return rgb == 0 ? 0x999999 : rgb;
}

/* What was measured has a sign of its own. */
static char sign_of(const canvas *c, int owner)
{
    if (owner == EVERYBODY)
        return '-';
    return c->plot->series[owner].measured ? 'O' : signs[(size_t)owner % (sizeof signs - 1)];
}

static void print_cell(const canvas *c, int cell)
{
    const int owner = c->owners[cell];
    if (owner == NOBODY) {
        fputc(' ', c->file);
        return;
    }
    if (owner >= 0)
        begin_colour(c, visible_colour(c, c->plot->series[owner].colour), false);
    if (c->braille) /* U+2800 and the dots */
        fprintf(c->file, "\xE2%c%c", 0xA0 | c->dots[cell] >> 6, 0x80 | (c->dots[cell] & 0x3F));
    else
        fputc(sign_of(c, owner), c->file);
    if (owner >= 0)
        end_colour(c);
}

/* Distance of the numbers at an axis: 1, 2 or 5 times a power of ten. */
static double tick_step(plot_range range, int most, bool whole)
{
    const double rough = (range.most - range.least) / most;
    const double power = pow(10, floor(log10(rough)));
    const double factor = rough / power;
    const double step = power * (factor <= 1 ? 1 : factor <= 2 ? 2 : factor <= 5 ? 5 : 10);
    return whole && (step < 1 || range.most - range.least <= 2 * most) ? 1 : step;
}

/* The number to show at a row or column that stands for the values from `least` to `most`; NAN:
 * none. */
static double tick_between(plot_range all, double least, double most, const plot_axis *axis,
                           int count)
{
    if (!axis->logarithmic) {
        const double step = tick_step(all, count, axis->whole);
        const double tick = step * ceil(least / step - 1e-9);
        return tick < most - 1e-9 * step ? tick + 0.0 : NAN;
    }
    const double base = axis->whole ? 2 : 10;
    const double power = pow(base, ceil(log(least) / log(base) - 1e-9));
    const double ticks[] = {power / 5, power / 2, power};
    for (size_t i = all.most < 1000 * all.least && !axis->whole ? 0 : 2; i < 3; i++)
        if (ticks[i] >= least * (1 - 1e-9) && ticks[i] < most * (1 - 1e-9))
            return ticks[i];
    return NAN;
}

static double value_at(plot_range range, double place, bool logarithmic)
{
    return logarithmic ? range.least * pow(range.most / range.least, place)
                       : range.least + place * (range.most - range.least);
}

static void print_row_label(const canvas *c, int row)
{
    const bool logarithmic = c->plot->y.logarithmic;
    const double half = 0.5 / (ROWS - 1), place = 1 - (double)row / (ROWS - 1);
    const double tick = tick_between(c->y, value_at(c->y, place - half, logarithmic),
                                     value_at(c->y, place + half, logarithmic), &c->plot->y, 6);
    if (isfinite(tick))
        fprintf(c->file, "%*.4g |", MARGIN - 2, tick);
    else
        fprintf(c->file, "%*s |", MARGIN - 2, "");
}

static void print_column_labels(const canvas *c)
{
    char line[256];
    memset(line, ' ', sizeof line);
    size_t used = 0;
    const double half = 0.5 / (c->columns - 1);
    for (int i = 0; i < c->columns; i++) {
        const double place = (double)i / (c->columns - 1);
        const bool logarithmic = c->plot->x.logarithmic;
        double tick =
            tick_between(c->x, value_at(c->x, place - half, logarithmic),
                         value_at(c->x, place + half, logarithmic), &c->plot->x, c->columns / 10);
        if (c->plot->categories != NULL)
            tick += 1; /* names are counted from 1 */
        char number[32];
        const int length = snprintf(number, sizeof number, "%.4g", tick);
        const int start = MARGIN + i - length / 2;
        if (!isfinite(tick) || start < (int)used + (used > 0) ||
            (size_t)(start + length) >= sizeof line)
            continue;
        memcpy(line + start, number, (size_t)length);
        used = (size_t)(start + length);
    }
    fprintf(c->file, "%.*s\n", (int)used, line);
}

static void print_text(const canvas *c, const char *before, const char *text)
{
    fputs(before, c->file);
    escape_print(text, c->file);
    fputc('\n', c->file);
}

static void print_legend(const canvas *c)
{
    const plot_picture *plot = c->plot;
    for (size_t i = 0; i < plot->category_count && plot->categories != NULL; i++) {
        fprintf(c->file, "%*zu", MARGIN, i + 1);
        print_text(c, " ", plot->categories[i]);
    }
    for (size_t i = 0; i < plot->series_count; i++) {
        if (plot->series[i].name == NULL)
            continue;
        fprintf(c->file, "%*s", MARGIN, "");
        begin_colour(c, visible_colour(c, plot->series[i].colour), false);
        if (c->braille)
            fputs("\xE2\xA0\x92\xE2\xA0\x92", c->file);
        else
            fputc(sign_of(c, (int)i), c->file);
        end_colour(c);
        print_text(c, " ", plot->series[i].name);
    }
    if (plot->level_name != NULL && (plot->level > 0 || plot->level < 0)) {
        fprintf(c->file, "%*s%s", MARGIN, "", c->braille ? "\xE2\xA0\x82 " : "-");
        print_text(c, " ", plot->level_name);
    }
}

static size_t nearest(const double *values, size_t count, double value)
{
    size_t best = 0;
    for (size_t i = 1; i < count; i++)
        if (fabs(values[i] - value) < fabs(values[best] - value))
            best = i;
    return best;
}

static void print_heat_cell(const canvas *c, double part)
{
    if (c->colours && isfinite(part)) {
        begin_colour(c, plot_heat(part), true);
        fputc(' ', c->file);
        end_colour(c);
    } else {
        const double last = sizeof ramp - 2;
        fputc(isfinite(part) ? ramp[lround(fmin(fmax(part, 0), 1) * last)] : '?', c->file);
    }
}

static void print_heat_row(const canvas *c, int row)
{
    const plot_grid *grid = c->plot->grid;
    const double y = value_at(c->y, 1 - (double)row / (ROWS - 1), c->plot->y.logarithmic);
    const size_t j = nearest(grid->y, grid->y_count, y);
    for (int i = 0; i < c->columns; i++) {
        const double x = value_at(c->x, (double)i / (c->columns - 1), c->plot->x.logarithmic);
        const double z = grid->z[j * grid->x_count + nearest(grid->x, grid->x_count, x)];
        print_heat_cell(c, plot_heat_share(grid, z));
    }
}

static void print_heat_legend(const canvas *c)
{
    const plot_grid *grid = c->plot->grid;
    const plot_range range = plot_grid_range(grid);
    fprintf(c->file, "%*s%.4g ", MARGIN, "", range.least);
    for (int i = 0; i <= 20; i++)
        print_heat_cell(c, i / 20.0);
    fprintf(c->file, " %.4g", range.most);
    print_text(c, "  ", grid->label);
}

static void print_canvas(const canvas *c)
{
    if (c->plot->title != NULL)
        print_text(c, "", c->plot->title);
    print_text(c, "", c->plot->y.label);
    for (int row = 0; row < ROWS; row++) {
        print_row_label(c, row);
        if (c->plot->grid != NULL)
            print_heat_row(c, row);
        else
            for (int i = 0; i < c->columns; i++)
                print_cell(c, row * c->columns + i);
        fputc('\n', c->file);
    }
    fprintf(c->file, "%*s+", MARGIN - 1, "");
    for (int i = 0; i < c->columns; i++)
        fputc('-', c->file);
    fputc('\n', c->file);
    print_column_labels(c);
    fprintf(c->file, "%*s", MARGIN, "");
    print_text(c, "", c->plot->x.label);
    if (c->plot->grid != NULL)
        print_heat_legend(c);
    else
        print_legend(c);
}

static bool draw(const plot_picture *plot, FILE *file)
{
    canvas c = {.plot = plot, .file = file};
    c.colours = terminal_has_colours(file);
    c.braille = terminal_has_utf8() && (c.colours || plot->series_count <= 1);
    c.columns = terminal_width(file) - MARGIN - 2;
    c.x = plot_x_range(plot);
    c.y = plot_y_range(plot);
    const size_t cells = (size_t)c.columns * ROWS;
    c.dots = calloc(cells, sizeof *c.dots);
    c.owners = calloc(cells, sizeof *c.owners);
    const bool made = c.dots != NULL && c.owners != NULL;
    if (made) {
        draw_dots(&c);
        print_canvas(&c);
    }
    free(c.dots);
    free(c.owners);
    return made;
}

int plot_terminal_print(const char *command, const plot_picture *plots, size_t count, FILE *file)
{
    for (size_t i = 0; i < count; i++) {
        fputc('\n', file);
        if (!draw(&plots[i], file))
            return error_memory(command);
    }
    return EXIT_DONE;
}
