/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/pictures/plot_script.h"

#include "cli/output/escape.h"
#include "cli/output/paragraph.h"

#include <math.h>
#include <string.h>

/* Pixels: of each picture, of a letter, of a line of the key and what stands above and below it; places of a line of text,
 * and of all names that have room beside each other. */
enum {
    WIDTH = 720,
    HEIGHT = 400,
    TEXT_SIZE = 13,
    KEY_LINE = 20,
    KEY_FRAME = 120,
    TITLE_PLACES = 80,
    KEY_PLACES = 36,
    NAMES_PLACES = 76
};

/* ---- parts */

/* A string of gnuplot. Quotes, backquotes, backslashes and what else could mean something to it
 * become octal escapes, which it reads after everything else. */
static void script_bytes(const char *text, size_t size, FILE *file)
{
    static const char plain[] = " 0123456789_ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
                                ".,:;()/+-=<>";
    const char *const end = text + size;
    while (text < end) {
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
}

static void script_text(const char *text, FILE *file)
{
    fputc('"', file);
    script_bytes(text, text != NULL ? strlen(text) : 0, file);
    fputc('"', file);
}

/* In lines of a picture's width. */
static void script_title(const char *text, FILE *file)
{
    fputs("set title \"", file);
    for (size_t length; text != NULL && *text != '\0'; text += length, text += strspn(text, " ")) {
        length = text_line(text, TITLE_PLACES, TEXT_CUT);
        script_bytes(text, length, file);
        fputs(text[length] != '\0' ? "\\n" : "", file);
    }
    fputs("\"\n", file);
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
        const bool spans = series->mark == PLOT_SPANS;
        fprintf(file, "$data_%zu_%zu << END_OF_DATA\n# x y%s\n", picture, s,
                spans      ? " end"
                : interval ? " low high"
                           : "");
        for (size_t i = 0; i < series->count; i++) {
            print_number(series->x[i], file);
            print_number(series->y[i], file);
            if (interval && !spans)
                print_number(series->low[i], file);
            if (interval || spans)
                print_number(series->high[i], file);
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

/* ---- axes */

static void print_axis(const char *name, const plot_axis *axis, plot_range range, FILE *file)
{
    fprintf(file, "set %slabel ", name);
    script_text(axis->label, file);
    fputc('\n', file);
    if (axis->logarithmic && axis->whole) /* by factors of two, such as sizes */
        fprintf(file, "set logscale %s 2\nset format %s '%%.0b%%B'\n", name, name);
    else if (axis->logarithmic)
        fprintf(file, "set logscale %s\nset %stics add (0.2, 0.5, 2, 5, 20, 50)\n", name, name);
    else if (axis->whole && range.most - range.least <= 20)
        fprintf(file, "set %stics 1\n", name);
}

/* Names that do not fit beside each other are rotated. */
static void print_categories(const plot_picture *plot, FILE *file)
{
    size_t longest = 0;
    for (size_t i = 0; i < plot->category_count; i++)
        longest = longest < strlen(plot->categories[i]) ? strlen(plot->categories[i]) : longest;
    fprintf(file, "set xtics %s(",
            longest * plot->category_count > NAMES_PLACES ? "rotate by -30 " : "");
    for (size_t i = 0; i < plot->category_count; i++) {
        fputs(i > 0 ? ", " : "", file);
        script_text(plot->categories[i], file);
        fprintf(file, " %zu", i);
    }
    fprintf(file, ")\nset xrange [-0.5:%zu.5]\n", plot->category_count - 1);
}

/* Ratios and times begin at 0; points alone stand clear of the axes, lines reach them. */
static void print_ranges(const plot_picture *plot, FILE *file)
{
    bool points = true;
    for (size_t s = 0; s < plot->series_count; s++)
        points = points && plot->series[s].mark == PLOT_POINTS;
    fprintf(file, "set autoscale fix\nset offsets %s, %s\n",
            points && plot->categories == NULL ? "graph 0.03, graph 0.03" : "0, 0",
            plot->y.logarithmic ? "graph 0.03, graph 0.03" : "0, 0");
    if (!plot->y.logarithmic)
        fputs("set autoscale y\nset yrange [*<0:0<*]\n", file);
    if (plot->categories != NULL)
        print_categories(plot, file);
}

/* ---- what is drawn */

/* Points with intervals. */
static bool has_bars(const plot_series *series)
{
    return series->mark == PLOT_POINTS && series->low != NULL && series->high != NULL;
}

/* Lines and points of a colour differ in dashes and shapes too. */
static size_t style_of(const plot_picture *plot, const plot_series *series)
{
    return series->colour == PLOT_BLACK ? 1 : plot->ordered ? 0 : series->colour;
}

static void print_colour(const plot_picture *plot, const plot_series *series, FILE *file)
{
    fprintf(file, " linecolor rgb '#%06x'", plot_colour(plot, series->colour));
}

static void print_line_style(const plot_picture *plot, const plot_series *series, FILE *file)
{
    const size_t kind = style_of(plot, series);
    fprintf(file, " linewidth 2 dashtype %zu", (kind + kind / 7) % 5 + 1);
}

static void print_point_style(const plot_picture *plot, const plot_series *series, FILE *file)
{
    static const int shapes[] = {7, 5, 9, 13, 11, 6, 4};
    const size_t kind = style_of(plot, series);
    fprintf(file, " pointtype %d pointsize %s",
            series->measured ? 6 : shapes[(kind + kind / 7) % 7], series->measured ? "1.1" : "0.7");
}

static void print_name(const char *name, FILE *file)
{
    fputs(name != NULL ? " title " : " notitle", file);
    if (name != NULL)
        script_text(name, file);
}

static void print_series(const plot_picture *plot, size_t picture, size_t index, FILE *file)
{
    static const char *const marks[] = {"lines", "points", "linespoints"};
    const plot_series *series = &plot->series[index];
    const bool bars = has_bars(series), interval = series->low != NULL && series->high != NULL;
    const unsigned colour = plot_colour(plot, series->colour);
    if (series->mark == PLOT_SPANS) {
        fprintf(file,
                "$data_%zu_%zu using 1:2:1:3:($2-0.42):($2+0.42) with boxxyerror fillstyle solid "
                "noborder fillcolor rgb '#%06x'",
                picture, index, colour);
        print_name(series->name, file);
        return;
    }
    if (interval && !bars)
        fprintf(file,
                "$data_%zu_%zu using 1:3:4 with filledcurves fillcolor rgb '#%06x' fillstyle "
                "transparent solid 0.2 noborder notitle, \\\n     ",
                picture, index, colour);
    if (series->count == 0) /* explains others */
        fputs("keyentry with points", file);
    else
        fprintf(file, "$data_%zu_%zu using %s with %s", picture, index, bars ? "1:2:3:4" : "1:2",
                bars ? "yerrorbars" : marks[series->mark]);
    if (series->mark != PLOT_POINTS)
        print_line_style(plot, series, file);
    if (series->mark != PLOT_LINE)
        print_point_style(plot, series, file);
    print_colour(plot, series, file);
    print_name(series->name, file);
}

static void print_curves(const plot_picture *plot, size_t picture, FILE *file)
{
    const char *separator = "plot ";
    bool right = plot->categories == NULL;
    for (size_t s = 0; s < plot->series_count; s++)
        right =
            right && (plot->series[s].name == NULL || strlen(plot->series[s].name) <= KEY_PLACES);
    fprintf(file, "set key outside %s Left reverse samplen 2\nset grid back\nset border 3\n",
            right ? "right" : "below height 1");
    print_ranges(plot, file);
    for (size_t s = 0; s < plot->series_count; s++, separator = ", \\\n     ") {
        fputs(separator, file);
        print_series(plot, picture, s, file);
    }
    if (plot->level > 0 || plot->level < 0) {
        fprintf(file, "%s%.15g with lines linecolor rgb '#808080' dashtype 2", separator,
                plot->level);
        print_name(plot->level_name, file);
    }
    if (plot->diagonal)
        fprintf(file, "%sx with lines linecolor rgb '#808080' dashtype 2 notitle", separator);
    fputc('\n', file);
}

static void print_heat_map(const plot_picture *plot, size_t picture, FILE *file)
{
    const plot_grid *grid = plot->grid;
    const plot_range range = plot_grid_range(grid);
    const double centre =
        grid->centre > 0 ? log(grid->centre / range.least) / log(range.most / range.least) : 0.5;
    const plot_axis values = {.label = grid->label, .logarithmic = grid->centre > 0};
    print_axis("cb", &values, range, file);
    fprintf(file,
            "set cbrange [%.15g:%.15g]\nset palette defined (0 '#%06x', %.6f '#%06x', 1 "
            "'#%06x')\nset autoscale fix\n",
            range.least, range.most, plot_heat(0), centre, plot_heat(0.5), plot_heat(1));
    fprintf(file,
            "plot $data_%zu_0 using 1:2:3:4:5:6:7 with boxxyerror fillstyle solid noborder "
            "linecolor palette notitle\n",
            picture);
}

/* The least and the greatest x. */
static plot_range range_of_x(const plot_picture *plot)
{
    plot_range range = {INFINITY, -INFINITY};
    for (size_t s = 0; s < plot->series_count; s++)
        for (size_t i = 0; i < plot->series[s].count; i++) {
            range.least = fmin(range.least, plot->series[s].x[i]);
            range.most = fmax(range.most, plot->series[s].x[i]);
        }
    return plot->grid == NULL
               ? range
               : (plot_range){plot->grid->x[0], plot->grid->x[plot->grid->x_count - 1]};
}

static void print_picture(const plot_picture *plot, size_t picture, FILE *file)
{
    fputs("\nreset\nset encoding utf8\nset tics nomirror out\n", file);
    if (plot->grid != NULL)
        script_grid(plot, picture, file);
    else
        script_series(plot, picture, file);
    script_title(plot->title, file);
    print_axis("x", &plot->x, range_of_x(plot), file);
    print_axis("y", &plot->y, (plot_range){0, INFINITY}, file);
    if (plot->grid != NULL)
        print_heat_map(plot, picture, file);
    else
        print_curves(plot, picture, file);
}

/* ---- the script */

/* Fonts have the same size in pixels everywhere. */
static void print_terminal(plot_kind kind, double height, FILE *file)
{
    const double inch = 100; /* pixels, of a page */
    switch (kind) {
    case PLOT_SVG:
        fprintf(file,
                "set terminal svg size %d,%.0f noenhanced font 'sans-serif,%d' linewidth 1 "
                "background '#ffffff'\n",
                WIDTH, height, TEXT_SIZE);
        break;
    case PLOT_PNG:
        fprintf(file,
                "set terminal pngcairo size %d,%.0f noenhanced font 'sans,%.2f' fontscale 2 "
                "linewidth 2 pointscale 2\n",
                2 * WIDTH, 2 * height, TEXT_SIZE * 0.75);
        break;
    case PLOT_PDF:
        fprintf(file, "set terminal pdfcairo size %.2fin,%.2fin noenhanced font 'sans,%.2f'\n",
                WIDTH / inch, height / inch, TEXT_SIZE * 72 / inch);
        break;
    }
}

/* As high as its key. */
static double height_of(const plot_picture *plot)
{
    size_t entries = 1;
    for (size_t s = 0; s < plot->series_count; s++)
        entries += plot->series[s].name != NULL;
    return fmax(HEIGHT, KEY_FRAME + KEY_LINE * (double)entries);
}

void plot_script_print(const plot_picture *plots, size_t count, plot_kind kind, FILE *file)
{
    static const char *const names[] = {"svg", "png", "pdf"};
    double height = HEIGHT;
    for (size_t i = 0; i < count; i++)
        height = fmax(height, height_of(&plots[i]));
    fprintf(file, "# gnuplot SCRIPT > PICTURE.%s\n", names[kind]);
    print_terminal(kind, height * (double)count, file);
    if (count > 1)
        fprintf(file, "set multiplot layout %zu,1\n", count);
    for (size_t i = 0; i < count; i++)
        print_picture(&plots[i], i, file);
    if (count > 1)
        fputs("unset multiplot\n", file);
}
