/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/pictures/plot_script.h"

#include "cli/output/escape.h"

#include <math.h>
#include <string.h>

/* ---- parts */

/* A string of gnuplot. Quotes, backquotes, backslashes and what else could mean something to it
 * become octal escapes, which it reads after everything else. */
static void script_text(const char *text, FILE *file)
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

static void script_series(const plot_picture *plot, size_t picture, FILE *file)
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
static double script_border(const double *values, size_t count, size_t index, bool logarithmic)
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

static void script_grid(const plot_picture *plot, size_t picture, FILE *file)
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
static void script_log_ticks(const char *name, plot_range range, FILE *file)
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

static void script_axis(const char *name, const plot_axis *axis, plot_range range, FILE *file)
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

/* ---- the script */

/* Size of one picture. */
enum { WIDTH = 720, HEIGHT = 420 };

static void print_terminal(plot_kind kind, size_t count, FILE *file)
{
    const int height = HEIGHT * (int)count;
    switch (kind) {
    case PLOT_SVG:
        fprintf(file,
                "set terminal svg size %d,%d noenhanced font 'sans-serif,13' linewidth 1 "
                "background '#ffffff'\n",
                WIDTH, height);
        break;
    case PLOT_PNG:
        fprintf(file,
                "set terminal pngcairo size %d,%d noenhanced font 'sans,11' fontscale 2 "
                "linewidth 2 pointscale 2\n",
                2 * WIDTH, 2 * height);
        break;
    case PLOT_PDF:
        fprintf(file, "set terminal pdfcairo size %.2fin,%.2fin noenhanced font 'sans,11'\n",
                WIDTH / 100.0, height / 100.0);
        break;
    }
}

static void print_categories(const plot_picture *plot, FILE *file)
{
    fputs("set xtics rotate by -30 (", file);
    for (size_t i = 0; i < plot->category_count; i++) {
        if (i > 0)
            fputs(", ", file);
        script_text(plot->categories[i], file);
        fprintf(file, " %zu", i);
    }
    fprintf(file, ")\nset xrange [-0.5:%.1f]\n", (double)plot->category_count - 0.5);
}

/* y = x, where the picture shows both. */
static void print_diagonal(const plot_picture *plot, FILE *file)
{
    const plot_range x = plot_x_range(plot), y = plot_y_range(plot);
    const double from = fmax(x.least, y.least), to = fmin(x.most, y.most);
    if (plot->diagonal && from < to)
        fprintf(file,
                "set arrow from first %.15g,%.15g to %.15g,%.15g nohead linecolor rgb "
                "'#808080' dashtype 2\n",
                from, from, to, to);
}

/* Points with intervals. */
static bool has_bars(const plot_series *series)
{
    return series->mark == PLOT_POINTS && series->low != NULL && series->high != NULL;
}

/* Line and points of a colour differ in dashes and shapes too. */
static void print_style(const plot_picture *plot, const plot_series *series, FILE *file)
{
    static const int shapes[] = {7, 5, 9, 13, 11, 6, 4};
    const size_t kind = series->colour == PLOT_BLACK ? 1 : plot->ordered ? 0 : series->colour;
    const unsigned colour = plot_colour(plot, series->colour);
    if (series->mark != PLOT_POINTS)
        fprintf(file, " linewidth 2 dashtype %zu", (kind + kind / 7) % 5 + 1);
    if (series->mark != PLOT_LINE)
        fprintf(file, " pointtype %d pointsize %s", series->measured ? 6 : shapes[kind % 7],
                series->measured ? "1.1" : "0.7");
    fprintf(file, " linecolor rgb '#%06x'", colour);
}

static void print_legend_text(const char *name, FILE *file)
{
    if (name == NULL) {
        fputs(" notitle", file);
        return;
    }
    fputs(" title ", file);
    script_text(name, file);
}

static void print_band(const plot_picture *plot, size_t picture, size_t index, FILE *file)
{
    fprintf(file,
            "$data_%zu_%zu using 1:3:4 with filledcurves fillcolor rgb '#%06x' fillstyle "
            "transparent solid 0.2 noborder notitle, \\\n     ",
            picture, index, plot_colour(plot, plot->series[index].colour));
}

/* A series without points only explains the others. */
static void print_series(const plot_picture *plot, size_t picture, FILE *file)
{
    static const char *const marks[] = {"lines", "points", "linespoints"};
    fputs("plot ", file);
    if (plot->level > 0 || plot->level < 0) {
        fprintf(file, "%.15g with lines linecolor rgb '#808080' dashtype 2", plot->level);
        print_legend_text(plot->level_name, file);
    } else {
        fputs("NaN notitle", file);
    }
    for (size_t s = 0; s < plot->series_count; s++) {
        const plot_series *series = &plot->series[s];
        const bool bars = has_bars(series), interval = series->low != NULL && series->high != NULL;
        fputs(", \\\n     ", file);
        if (interval && !bars)
            print_band(plot, picture, s, file);
        if (series->count == 0)
            fprintf(file, "keyentry with %s", marks[series->mark]);
        else
            fprintf(file, "$data_%zu_%zu using %s with %s", picture, s, bars ? "1:2:3:4" : "1:2",
                    bars ? "yerrorbars" : marks[series->mark]);
        print_style(plot, series, file);
        print_legend_text(series->name, file);
    }
    fputc('\n', file);
}

static void print_heat_map(const plot_picture *plot, size_t picture, FILE *file)
{
    const plot_grid *grid = plot->grid;
    const plot_range range = plot_grid_range(grid);
    fputs("set cblabel ", file);
    script_text(grid->label, file);
    if (grid->centre > 0) {
        fputs("\nset logscale cb\n", file);
        script_log_ticks("cb", range, file);
    }
    const double centre =
        grid->centre > 0 ? log(grid->centre / range.least) / log(range.most / range.least) : 0.5;
    fprintf(file,
            "\nset cbrange [%.15g:%.15g]\nset palette defined (0 '#%06x', %.6f '#%06x', 1 "
            "'#%06x')\nunset grid\n",
            range.least, range.most, plot_heat(0), centre, plot_heat(0.5), plot_heat(1));
    fprintf(file,
            "plot $data_%zu_0 using 1:2:3:4:5:6:7 with boxxyerror fillstyle solid noborder "
            "linecolor palette notitle\n",
            picture);
}

static void print_ranges(const plot_picture *plot, FILE *file)
{
    if (plot->grid != NULL) {
        const plot_grid *grid = plot->grid;
        fprintf(file, "set xrange [%.15g:%.15g]\nset yrange [%.15g:%.15g]\n",
                script_border(grid->x, grid->x_count, 0, plot->x.logarithmic),
                script_border(grid->x, grid->x_count, grid->x_count, plot->x.logarithmic),
                script_border(grid->y, grid->y_count, 0, plot->y.logarithmic),
                script_border(grid->y, grid->y_count, grid->y_count, plot->y.logarithmic));
        return;
    }
    if (plot->categories == NULL) {
        const plot_range x = plot_x_range(plot);
        fprintf(file, "set xrange [%.15g:%.15g]\n", x.least, x.most);
    }
    const plot_range y = plot_y_range(plot);
    if (plot->y.logarithmic)
        fprintf(file, "set yrange [%.15g:%.15g]\n", y.least / 1.1, y.most * 1.1);
    else /* some air above; ratios and times begin at 0 */
        fprintf(file, "set yrange [%.15g:%.15g]\n", y.least >= 0 ? 0 : y.least * 1.05,
                y.most > 0 ? y.most * 1.05 : 0);
}

/* gnuplot takes letters for wider than they are, and long names would push the picture aside. */
static void print_legend_place(const plot_picture *plot, FILE *file)
{
    enum { FEW = 4 };
    size_t longest = 0;
    for (size_t s = 0; s < plot->series_count; s++)
        if (plot->series[s].name != NULL && strlen(plot->series[s].name) > longest)
            longest = strlen(plot->series[s].name);
    fprintf(file, "set key outside %s Left reverse samplen 3 width -%zu\n",
            plot->series_count <= FEW ? "top center horizontal" : "right center vertical",
            longest < 80 ? longest / 5 : 16);
}

static void print_picture(const plot_picture *plot, size_t picture, FILE *file)
{
    fputs("\nreset\nset encoding utf8\n", file);
    if (plot->grid != NULL)
        script_grid(plot, picture, file);
    else
        script_series(plot, picture, file);
    if (plot->title != NULL) {
        fputs("set title ", file);
        script_text(plot->title, file);
        fputc('\n', file);
    }
    fputs("set grid linecolor rgb '#e0e0e0'\nset border 3\nset tics nomirror out\n", file);
    print_legend_place(plot, file);
    script_axis("x", &plot->x, plot_x_range(plot), file);
    script_axis("y", &plot->y, plot_y_range(plot), file);
    print_ranges(plot, file);
    if (plot->categories != NULL)
        print_categories(plot, file);
    print_diagonal(plot, file);
    if (plot->grid != NULL)
        print_heat_map(plot, picture, file);
    else
        print_series(plot, picture, file);
}

void plot_script_print(const plot_picture *plots, size_t count, plot_kind kind, FILE *file)
{
    static const char *const names[] = {"svg", "png", "pdf"};
    fprintf(file, "# gnuplot SCRIPT > PICTURE.%s\n", names[kind]);
    print_terminal(kind, count, file);
    if (count > 1)
        fprintf(file, "set multiplot layout %zu,1\n", count);
    for (size_t i = 0; i < count; i++)
        print_picture(&plots[i], i, file);
    if (count > 1)
        fputs("unset multiplot\n", file);
}
