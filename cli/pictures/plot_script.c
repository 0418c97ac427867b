/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/pictures/plot_script.h"

#include "cli/pictures/plot_script_parts.h"

#include <math.h>
#include <string.h>

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
