/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/pictures/plot_script.h"

#include "cli/output/escape.h"
#include "cli/pictures/plot_layout.h"

#include <math.h>
#include <string.h>

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

/* One line of a text; the last may be cut. */
static void script_line(const text_lines *text, size_t line, FILE *file)
{
    fputc('"', file);
    script_bytes(text->lines[line].start, text->lines[line].length, file);
    fputs(text->cut && line + 1 == text->count ? "\u2026\"" : "\"", file);
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

/* Within a few powers of ten: some factors of each. */
static void print_factor_ticks(const char *name, plot_range range, FILE *file)
{
    static const double few[] = {1, 2, 5, 10}, more[] = {1, 1.5, 2, 3, 4, 5, 7, 10};
    const double *const factors = range.most < 8 * range.least ? more : few;
    fprintf(file, "set %stics (1", name);
    for (double power = floor(log10(range.least)); power <= log10(range.most); power++)
        for (size_t i = 0; factors[i] < 10; i++)
            fprintf(file, ", %.15g", factors[i] * pow(10, power));
    fputs(")\n", file);
}

/* Within less than one: equal steps, which gnuplot would take for factors. */
static void print_step_ticks(const char *name, plot_range range, FILE *file)
{
    const double rough = (range.most - range.least) / 5, power = pow(10, floor(log10(rough)));
    const double step = power * (rough < 2 * power ? 2 : rough < 5 * power ? 5 : 10);
    fprintf(file, "set %stics (1", name);
    for (double tick = ceil(range.least / step); tick * step <= range.most; tick++)
        fprintf(file, ", %.15g", tick * step);
    fputs(")\n", file);
}

static void script_log_ticks(const char *name, plot_range range, FILE *file)
{
    if (range.most < 2.5 * range.least)
        print_step_ticks(name, range, file);
    else
        print_factor_ticks(name, range, file);
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

/* One of the pictures that stand below each other. */
typedef struct sheet {
    const plot_picture *plot;
    size_t number;
    plot_layout layout;
    double above, height; /* pixels: of the pictures above, of all */
} sheet;

/* Fonts have the same size in pixels everywhere. */
static void print_terminal(plot_kind kind, double height, FILE *file)
{
    const double inch = 100; /* pixels, of a page */
    switch (kind) {
    case PLOT_SVG:
        fprintf(file,
                "set terminal svg size %d,%.0f noenhanced font 'sans-serif,%d' linewidth 1 "
                "background '#ffffff'\n",
                PLOT_WIDTH, height, TEXT_SIZE);
        break;
    case PLOT_PNG:
        fprintf(file,
                "set terminal pngcairo size %d,%.0f noenhanced font 'sans,%.2f' fontscale 2 "
                "linewidth 2 pointscale 2\n",
                2 * PLOT_WIDTH, 2 * height, TEXT_SIZE * 0.75);
        break;
    case PLOT_PDF:
        fprintf(file, "set terminal pdfcairo size %.2fin,%.2fin noenhanced font 'sans,%.2f'\n",
                PLOT_WIDTH / inch, height / inch, TEXT_SIZE * 72 / inch);
        break;
    }
}

/* Pixels from the left and from the top of the picture as shares of the whole, from bottom left. */
static double across(double x)
{
    return x / PLOT_WIDTH;
}

static double up(const sheet *of, double y)
{
    return 1 - (of->above + y) / of->height;
}

static void print_margins(const sheet *of, FILE *file)
{
    const plot_layout *l = &of->layout;
    fprintf(file,
            "set lmargin at screen %.5f\nset rmargin at screen %.5f\n"
            "set tmargin at screen %.5f\nset bmargin at screen %.5f\n",
            across(l->left), across(l->right), up(of, l->top), up(of, l->bottom));
}

/* Lines of a text around the height y. */
static void print_lines(const sheet *of, const text_lines *text, double x, double y, FILE *file)
{
    const double first = y - TEXT_LINE * ((double)text->count - 1) / 2;
    for (size_t i = 0; i < text->count; i++) {
        fputs("set label ", file);
        script_line(text, i, file);
        fprintf(file, " at screen %.5f,%.5f left\n", across(x),
                up(of, first + TEXT_LINE * (double)i));
    }
}

static void print_title(const sheet *of, FILE *file)
{
    const text_lines *title = &of->layout.title;
    const double middle = of->layout.top - TEXT_LINE * (0.5 + (double)title->count / 2);
    print_lines(of, title, of->layout.left, middle, file);
}

/* Not where gnuplot would have them: it does not know how high its letters are. */
static void print_label(const sheet *of, const char *label, double x, double y, bool upright,
                        FILE *file)
{
    fputs("set label ", file);
    script_text(label, file);
    fprintf(file, " at screen %.5f,%.5f center%s\n", across(x), up(of, y),
            upright ? " rotate by 90" : "");
}

static void print_labels(const sheet *of, FILE *file)
{
    const plot_layout *l = &of->layout;
    const double middle = (l->top + l->bottom) / 2;
    print_label(of, of->plot->x.label, (l->left + l->right) / 2, l->x_label, false, file);
    print_label(of, of->plot->y.label, l->y_label, middle, true, file);
    if (of->plot->grid != NULL)
        print_label(of, of->plot->grid->label, l->z_label, middle, true, file);
}

static void print_categories(const sheet *of, FILE *file)
{
    const plot_picture *plot = of->plot;
    fprintf(file, "set xtics %s(", of->layout.rotated ? "rotate by -30 " : "");
    for (size_t i = 0; i < plot->category_count; i++) {
        const text_lines text = plot_category(&of->layout, plot, i);
        fputs(i > 0 ? ", \"" : "\"", file);
        for (size_t k = 0; k < text.count; k++) {
            script_bytes(text.lines[k].start, text.lines[k].length, file);
            fputs(k + 1 == text.count ? "" : of->layout.rotated ? "\u2026" : "\\n", file);
        }
        fprintf(file, "\" %zu", i);
    }
    fputs(")\n", file);
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

static void print_span_sample(const sheet *of, const plot_entry *entry, FILE *file)
{
    const double half = 5; /* pixels */
    fprintf(file,
            "set object rectangle from screen %.5f,%.5f to screen %.5f,%.5f front fillcolor rgb "
            "'#%06x' fillstyle solid noborder\n",
            across(entry->x), up(of, entry->y + half), across(entry->x + PLOT_SAMPLE),
            up(of, entry->y - half), plot_colour(of->plot, entry->series->colour));
}

/* A line or point as the series has it; the level is a line. */
static void print_sample(const sheet *of, const plot_entry *entry, FILE *file)
{
    const plot_series *series = entry->series;
    if (series != NULL && series->mark == PLOT_SPANS) {
        print_span_sample(of, entry, file);
        return;
    }
    const double left = across(entry->x), right = across(entry->x + PLOT_SAMPLE);
    const double y = up(of, entry->y);
    const double middle = (left + right) / 2, bar = 7;
    if (series == NULL || series->mark != PLOT_POINTS) {
        fprintf(file, "set arrow from screen %.5f,%.5f to screen %.5f,%.5f nohead", left, y, right,
                y);
        if (series != NULL)
            print_line_style(of->plot, series, file);
    } else if (has_bars(series)) {
        fprintf(file,
                "set arrow from screen %.5f,%.5f to screen %.5f,%.5f heads size screen 0.005,90",
                middle, up(of, entry->y - bar), middle, up(of, entry->y + bar));
    }
    if (series == NULL)
        fputs(" dashtype 2 linecolor rgb '#808080'\n", file);
    else if (series->mark != PLOT_POINTS || has_bars(series)) {
        print_colour(of->plot, series, file);
        fputc('\n', file);
    }
    if (series != NULL && series->mark != PLOT_LINE) {
        fprintf(file, "set label \"\" at screen %.5f,%.5f point", middle, y);
        print_point_style(of->plot, series, file);
        print_colour(of->plot, series, file);
        fputc('\n', file);
    }
}

/* What a series means: a sample of it and its text, and a thin line from the end of its own. */
static void print_entry(const sheet *of, const plot_entry *entry, FILE *file)
{
    const plot_series *series = entry->series;
    if (entry->at_end)
        fprintf(file,
                "set arrow from first %.15g,%.15g to screen %.5f,%.5f nohead linewidth 0.5 "
                "linecolor rgb '#%06x'\n",
                entry->end_x, entry->end_y, across(entry->x), up(of, entry->y),
                series != NULL ? plot_colour(of->plot, series->colour) : 0x808080);
    print_sample(of, entry, file);
    print_lines(of, &entry->text, entry->x + PLOT_SAMPLE + PLOT_GAP, entry->y, file);
}

static void print_band(const plot_picture *plot, size_t picture, size_t index, FILE *file)
{
    fprintf(file,
            "$data_%zu_%zu using 1:3:4 with filledcurves fillcolor rgb '#%06x' fillstyle "
            "transparent solid 0.2 noborder, \\\n     ",
            picture, index, plot_colour(plot, plot->series[index].colour));
}

/* A series without points only explains the others. */
static void print_series(const plot_picture *plot, size_t picture, FILE *file)
{
    static const char *const marks[] = {"lines", "points", "linespoints"};
    fputs("plot ", file);
    if (plot->level > 0 || plot->level < 0)
        fprintf(file, "%.15g with lines linecolor rgb '#808080' dashtype 2", plot->level);
    else
        fputs("NaN", file);
    for (size_t s = 0; s < plot->series_count; s++) {
        const plot_series *series = &plot->series[s];
        const bool bars = has_bars(series), interval = series->low != NULL && series->high != NULL;
        if (series->count == 0)
            continue;
        fputs(", \\\n     ", file);
        if (series->mark == PLOT_SPANS) {
            fprintf(file,
                    "$data_%zu_%zu using 1:2:1:3:($2-0.42):($2+0.42) with boxxyerror fillstyle "
                    "solid noborder fillcolor rgb '#%06x'",
                    picture, s, plot_colour(plot, series->colour));
            continue;
        }
        if (interval && !bars)
            print_band(plot, picture, s, file);
        fprintf(file, "$data_%zu_%zu using %s with %s", picture, s, bars ? "1:2:3:4" : "1:2",
                bars ? "yerrorbars" : marks[series->mark]);
        if (series->mark != PLOT_POINTS)
            print_line_style(plot, series, file);
        if (series->mark != PLOT_LINE)
            print_point_style(plot, series, file);
        print_colour(plot, series, file);
    }
    fputc('\n', file);
}

static void print_heat_map(const sheet *of, FILE *file)
{
    const plot_layout *l = &of->layout;
    const plot_grid *grid = of->plot->grid;
    const plot_range range = plot_grid_range(grid);
    fprintf(file, "set colorbox vertical user origin screen %.5f,%.5f size screen %.5f,%.5f\n",
            across(l->z_left), up(of, l->bottom), across(l->z_right - l->z_left),
            (l->bottom - l->top) / of->height);
    if (grid->centre > 0) {
        fputs("set logscale cb\n", file);
        script_log_ticks("cb", range, file);
    }
    const double centre =
        grid->centre > 0 ? log(grid->centre / range.least) / log(range.most / range.least) : 0.5;
    fprintf(file,
            "set cbrange [%.15g:%.15g]\nset palette defined (0 '#%06x', %.6f '#%06x', 1 "
            "'#%06x')\nunset grid\n",
            range.least, range.most, plot_heat(0), centre, plot_heat(0.5), plot_heat(1));
    fprintf(file,
            "plot $data_%zu_0 using 1:2:3:4:5:6:7 with boxxyerror fillstyle solid noborder "
            "linecolor palette\n",
            of->number);
}

static void print_ranges(const plot_picture *plot, const plot_layout *layout, FILE *file)
{
    const plot_grid *grid = plot->grid;
    plot_range x = layout->x, y = layout->y;
    if (grid != NULL) {
        x = (plot_range){script_border(grid->x, grid->x_count, 0, plot->x.logarithmic),
                         script_border(grid->x, grid->x_count, grid->x_count, plot->x.logarithmic)};
        y = (plot_range){script_border(grid->y, grid->y_count, 0, plot->y.logarithmic),
                         script_border(grid->y, grid->y_count, grid->y_count, plot->y.logarithmic)};
    }
    fprintf(file, "set xrange [%.15g:%.15g]\nset yrange [%.15g:%.15g]\n", x.least, x.most, y.least,
            y.most);
}

static void print_picture(const sheet *of, FILE *file)
{
    const plot_picture *plot = of->plot;
    fputs("\nreset\nset encoding utf8\n", file);
    if (plot->grid != NULL)
        script_grid(plot, of->number, file);
    else
        script_series(plot, of->number, file);
    fputs("unset key\nset grid back linetype 1 linewidth 0.7 linecolor rgb '#c8c8c8'\n"
          "set border 3\nset tics nomirror out\n",
          file);
    print_margins(of, file);
    print_title(of, file);
    print_labels(of, file);
    script_axis("x", &plot->x, plot_x_range(plot), file);
    script_axis("y", &plot->y, plot_y_range(plot), file);
    print_ranges(plot, &of->layout, file);
    if (plot->categories != NULL)
        print_categories(of, file);
    print_diagonal(plot, file);
    for (size_t i = 0; i < of->layout.entry_count; i++)
        print_entry(of, &of->layout.entries[i], file);
    if (plot->grid != NULL)
        print_heat_map(of, file);
    else
        print_series(plot, of->number, file);
}

void plot_script_print(const plot_picture *plots, size_t count, plot_kind kind, FILE *file)
{
    static const char *const names[] = {"svg", "png", "pdf"};
    sheet of = {.height = 0};
    for (size_t i = 0; i < count; i++) {
        plot_layout_make(&plots[i], &of.layout);
        of.height += ceil(of.layout.height);
    }
    fprintf(file, "# gnuplot SCRIPT > PICTURE.%s\n", names[kind]);
    print_terminal(kind, of.height, file);
    if (count > 1)
        fputs("set multiplot\n", file);
    for (size_t i = 0; i < count; i++) {
        of.plot = &plots[i];
        of.number = i;
        plot_layout_make(&plots[i], &of.layout);
        print_picture(&of, file);
        of.above += ceil(of.layout.height);
    }
    if (count > 1)
        fputs("unset multiplot\n", file);
}
