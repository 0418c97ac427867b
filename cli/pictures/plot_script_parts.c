/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/pictures/plot_script_parts.h"

#include "cli/output/escape.h"

#include <math.h>
#include <string.h>

/* A string of gnuplot. Quotes, backquotes, backslashes and what else could mean something to it
 * become octal escapes, which it reads after everything else. */
void script_text(const char *text, FILE *file)
{
    static const char plain[] = " 0123456789_ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
                                ".,:;()/+-=<>";
    fputc('"', file);
    while (text != NULL && *text != '\0') {
        const size_t length = escape_plain(text);
        if (length > 1)
            fwrite(text, 1, length, file);
        else if (length == 0)
            fprintf(file, "\\134x%02x", (unsigned char)*text);
        else if (strchr(plain, *text) != NULL)
            fputc(*text, file);
        else
            fprintf(file, "\\%03o", (unsigned)(unsigned char)*text);
        text += length > 0 ? length : 1;
    }
    fputc('"', file);
}

/* A number, or what gnuplot leaves out. */
static void print_number(double value, FILE *file)
{
    if (isfinite(value))
        fprintf(file, " %.15g", value);
    else
        fputs(" NaN", file);
}

void script_series(const plot_picture *plot, size_t picture, FILE *file)
{
    for (size_t s = 0; s < plot->series_count; s++) {
        const plot_series *series = &plot->series[s];
        const bool interval = series->low != NULL && series->high != NULL;
        fprintf(file, "$data_%zu_%zu << END_OF_DATA\n# x y%s\n", picture, s,
                interval ? " low high" : "");
        for (size_t i = 0; i < series->count; i++) {
            print_number(series->x[i], file);
            print_number(series->y[i], file);
            if (interval) {
                print_number(series->low[i], file);
                print_number(series->high[i], file);
            }
            fputc('\n', file);
        }
        fputs("END_OF_DATA\n", file);
    }
}

/* The border between two neighbours, or, at the ends, as far outside as the inner one is inside. */
double script_border(const double *values, size_t count, size_t index, bool logarithmic)
{
    if (count == 1)
        return index == 0 ? values[0] - 0.5 : values[0] + 0.5;
    const size_t at = index == 0 ? 1 : index == count ? count - 1 : index;
    const double inner =
        logarithmic ? sqrt(values[at - 1] * values[at]) : (values[at - 1] + values[at]) / 2;
    if (index > 0 && index < count)
        return inner;
    const double end = index == 0 ? values[0] : values[count - 1];
    return logarithmic ? end * end / inner : 2 * end - inner;
}

void script_grid(const plot_picture *plot, size_t picture, FILE *file)
{
    const plot_grid *grid = plot->grid;
    fprintf(file, "$data_%zu_0 << END_OF_DATA\n# x y x_low x_high y_low y_high z\n", picture);
    for (size_t j = 0; j < grid->y_count; j++)
        for (size_t i = 0; i < grid->x_count; i++) {
            const bool x_log = plot->x.logarithmic, y_log = plot->y.logarithmic;
            const double box[] = {grid->x[i],
                                  grid->y[j],
                                  script_border(grid->x, grid->x_count, i, x_log),
                                  script_border(grid->x, grid->x_count, i + 1, x_log),
                                  script_border(grid->y, grid->y_count, j, y_log),
                                  script_border(grid->y, grid->y_count, j + 1, y_log),
                                  grid->z[j * grid->x_count + i]};
            for (size_t k = 0; k < sizeof box / sizeof *box; k++)
                print_number(box[k], file);
            fputc('\n', file);
        }
    fputs("END_OF_DATA\n", file);
}

/* Within a few powers of ten: 1, 2, 5 of each. */
void script_log_ticks(const char *name, plot_range range, FILE *file)
{
    static const double factors[] = {1, 2, 5};
    fprintf(file, "set %stics (1", name);
    for (double power = floor(log10(range.least)); power <= log10(range.most); power++)
        for (size_t i = 0; i < sizeof factors / sizeof *factors; i++)
            fprintf(file, ", %.15g", factors[i] * pow(10, power));
    fputs(")\n", file);
}

/* Numbers of things, by factors: powers of two, of which there is room for some ten. */
static void print_whole_ticks(const char *name, plot_range range, FILE *file)
{
    enum { ROOM = 11 };
    const double doublings = log2(range.most / range.least);
    const double step = exp2(fmax(1, ceil(doublings / ROOM)));
    const char *separator = "";
    fprintf(file, "set m%stics 1\nset %stics (", name, name);
    for (double tick = exp2(ceil(log2(range.least) - 1e-9)); tick <= range.most * 1.001;
         tick *= step) {
        const bool mega = tick >= 1048576, kilo = !mega && tick >= 10000;
        fprintf(file, "%s\"%.15g%s\" %.15g", separator,
                mega   ? tick / 1048576
                : kilo ? tick / 1024
                       : tick,
                mega   ? "Mi"
                : kilo ? "Ki"
                       : "",
                tick);
        separator = ", ";
    }
    fputs(")\n", file);
}

void script_axis(const char *name, const plot_axis *axis, plot_range range, FILE *file)
{
    fprintf(file, "set %slabel ", name);
    script_text(axis->label, file);
    fputc('\n', file);
    if (axis->logarithmic)
        fprintf(file, "set logscale %s\n", name);
    if (axis->whole && axis->logarithmic)
        print_whole_ticks(name, range, file);
    else if (axis->logarithmic && range.most < 1000 * range.least)
        script_log_ticks(name, range, file);
    else if (axis->whole && range.most - range.least <= 20)
        fprintf(file, "set %stics 1\n", name);
}
