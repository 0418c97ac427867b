/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/pictures/plot_layout.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Pixels. */
enum {
    MARGIN = 16,
    WIDE_NUMBERS = 22, /* more than others */
    LEFT = 76,         /* numbers and label of the y axis */
    BELOW = 66,        /* those of the x axis */
    AXIS = 306,        /* least height of the axes, which their longest label has */
    LEADER = 14,       /* from the axes to the samples */
    BETWEEN = 24,      /* entries beside each other */
    APART = 3,         /* entries */
    ENTRY_WIDEST = 210,
    NAME_WIDEST = 280, /* of a category that is rotated */
    X_LABEL = 50,      /* from the axis to the middle of its label */
    COLOUR_BOX = 84,   /* scale of colours with its numbers and label */
};

/* ---- the axes */

/* Some air above; ratios and times begin at 0. */
static plot_range view_y(const plot_picture *plot)
{
    const plot_range y = plot_y_range(plot);
    if (plot->y.logarithmic)
        return (plot_range){y.least / 1.1, y.most * 1.1};
    return (plot_range){y.least >= 0 ? 0 : y.least * 1.05, y.most > 0 ? y.most * 1.05 : 0};
}

static double place(double value, plot_range range, bool logarithmic)
{
    return logarithmic ? log(value / range.least) / log(range.most / range.least)
                       : (value - range.least) / (range.most - range.least);
}

/* Numbers such as 1e+07 and 100000 are wider than others. */
static double left_of(const plot_picture *plot)
{
    const plot_range y = plot_y_range(plot);
    const bool wide = y.most >= 1e4 || y.least <= -1e3 || (plot->y.logarithmic && y.least < 1e-3);
    return wide ? LEFT + WIDE_NUMBERS : LEFT;
}

/* ---- the names on the x axis */

static double slot_of(const plot_layout *layout, const plot_picture *plot)
{
    return (layout->right - layout->left) / (double)plot->category_count;
}

text_lines plot_category(const plot_layout *layout, const plot_picture *plot, size_t index)
{
    const char *name = plot->categories[index];
    return layout->rotated ? text_shorten(name, NAME_WIDEST)
                           : text_wrap(name, slot_of(layout, plot) - PLOT_GAP);
}

/* Rotated only if one of them does not fit into two lines of its place, broken between words. */
static void place_names(const plot_picture *plot, plot_layout *layout)
{
    const double sine = 0.5, cosine = 0.87; /* of 30 degrees */
    double widest = 0, sticks_out = 0;
    size_t lines = 1;
    const double slot = slot_of(layout, plot);
    for (size_t i = 0; i < plot->category_count; i++) {
        const text_lines text = plot_category(layout, plot, i);
        lines = text.count > lines ? text.count : lines;
        for (const char *word = plot->categories[i]; *word != '\0'; word += strspn(word, " ")) {
            const size_t length = strcspn(word, " ");
            layout->rotated = layout->rotated || text_width(word, length) > slot - PLOT_GAP;
            word += length;
        }
    }
    layout->rotated = layout->rotated || lines > 2;
    for (size_t i = 0; i < plot->category_count && layout->rotated; i++) {
        const text_lines text = plot_category(layout, plot, i);
        const double width = text.cut ? NAME_WIDEST : text_lines_width(&text);
        const double right = layout->left + slot * ((double)i + 0.5) + cosine * width;
        widest = fmax(widest, width);
        sticks_out = fmax(sticks_out, right - (PLOT_WIDTH - PLOT_GAP));
    }
    const double more = layout->rotated ? sine * widest : TEXT_LINE * (double)(lines - 1);
    layout->height += more;
    layout->x_label += more;
    layout->right -= fmin(sticks_out, (layout->right - layout->left) / 2);
}

/* ---- what the series mean */

/* The last point of a line that is drawn. */
static void find_end(const plot_picture *plot, plot_entry *entry)
{
    const plot_series *s = entry->series;
    if (s->mark == PLOT_POINTS || s->mark == PLOT_SPANS || plot->categories != NULL)
        return;
    for (size_t i = s->count; i > 0 && !entry->at_end; i--) {
        const double x = s->x[i - 1], y = s->y[i - 1];
        entry->at_end = isfinite(x) && isfinite(y) && (!plot->x.logarithmic || x > 0) &&
                        (!plot->y.logarithmic || y > 0);
        entry->end_x = x;
        entry->end_y = y;
    }
}

static bool has_lines(const plot_picture *plot)
{
    for (size_t s = 0; s < plot->series_count; s++)
        if (plot->series[s].mark != PLOT_POINTS)
            return true;
    return false;
}

static void list_entries(const plot_picture *plot, plot_layout *layout)
{
    for (size_t s = 0; s < plot->series_count && layout->entry_count + 1 < PLOT_MOST_ENTRIES; s++)
        if (plot->series[s].name != NULL) {
            plot_entry *entry = &layout->entries[layout->entry_count++];
            *entry = (plot_entry){.series = &plot->series[s],
                                  .text = text_wrap(plot->series[s].name, ENTRY_WIDEST)};
            find_end(plot, entry);
        }
    if (plot->level_name != NULL && (plot->level > 0 || plot->level < 0))
        layout->entries[layout->entry_count++] =
            (plot_entry){.text = text_wrap(plot->level_name, ENTRY_WIDEST),
                         .at_end = has_lines(plot) && plot->categories == NULL,
                         .end_x = layout->x.most,
                         .end_y = plot->level};
}

static double entry_width(const plot_entry *entry)
{
    return PLOT_SAMPLE + PLOT_GAP + text_lines_width(&entry->text);
}

static double entry_height(const plot_entry *entry)
{
    return (double)(entry->text.count * TEXT_LINE) + APART;
}

/* Texts at ends from top to bottom, then the others as they were. */
static int compare_entries(const void *a, const void *b)
{
    const plot_entry *x = a, *y = b;
    if (x->at_end != y->at_end)
        return x->at_end ? -1 : 1;
    if (!x->at_end || (!(x->y < y->y) && !(x->y > y->y)))
        return x->series == NULL   ? 1
               : y->series == NULL ? -1
                                   : (x->series > y->series) - (x->series < y->series);
    return x->y < y->y ? -1 : 1;
}

/* Entries 0 to count-1, sorted by where they would like to stand, to where they have room: those
 * that would overlap stand as a block around the mean of their places (least squares). */
static void spread(plot_entry *entries, size_t count, double top, double bottom)
{
    struct {
        double wanted, height; /* of the top; sum */
        size_t count;
    } blocks[PLOT_MOST_ENTRIES];
    size_t used = 0;
    double all = 0;
    for (size_t i = 0; i < count; i++) {
        const double height = entry_height(&entries[i]);
        all += height;
        blocks[used].wanted = entries[i].y - height / 2;
        blocks[used].height = height;
        blocks[used++].count = 1;
        while (used > 1 &&
               blocks[used - 2].wanted + blocks[used - 2].height > blocks[used - 1].wanted) {
            const double n = (double)blocks[used - 2].count, m = (double)blocks[used - 1].count;
            blocks[used - 2].wanted = (n * blocks[used - 2].wanted +
                                       m * (blocks[used - 1].wanted - blocks[used - 2].height)) /
                                      (n + m);
            blocks[used - 2].height += blocks[used - 1].height;
            blocks[used - 2].count += blocks[used - 1].count;
            used--;
        }
    }
    double above = 0; /* heights of what stands above */
    for (size_t b = 0, i = 0; b < used; b++) {
        double y = fmax(top + above, fmin(blocks[b].wanted, bottom - all + above));
        above += blocks[b].height;
        for (size_t k = 0; k < blocks[b].count; k++, i++) {
            const double height = entry_height(&entries[i]);
            entries[i].y = y + height / 2;
            y += height;
        }
    }
}

/* Entries at lines beside the axes, others from the top of the axes or, below those, beside what is
 * written under the axes. */
static void place_beside(const plot_picture *plot, plot_layout *layout)
{
    size_t ends = 0;
    double at_ends = 0, others = 0;
    for (size_t i = 0; i < layout->entry_count; i++) {
        plot_entry *entry = &layout->entries[i];
        *(entry->at_end ? &at_ends : &others) += entry_height(entry);
        ends += entry->at_end;
    }
    layout->bottom = layout->top + fmax(AXIS, ends > 0 ? at_ends : others);
    for (size_t i = 0; i < layout->entry_count; i++) {
        plot_entry *entry = &layout->entries[i];
        const double height = place(entry->end_y, layout->y, plot->y.logarithmic);
        entry->x = layout->right + LEADER;
        entry->y = layout->bottom - height * (layout->bottom - layout->top);
    }
    qsort(layout->entries, layout->entry_count, sizeof *layout->entries, compare_entries);
    spread(layout->entries, ends, layout->top - TEXT_LINE / 2, layout->bottom + TEXT_LINE / 2);
    double y = ends > 0 ? layout->bottom + TEXT_LINE : layout->top;
    for (size_t i = ends; i < layout->entry_count; i++) {
        const double height = entry_height(&layout->entries[i]);
        layout->entries[i].y = y + height / 2;
        y += height;
    }
    layout->height = fmax(layout->bottom + BELOW, y + PLOT_GAP);
}

/* Below what is written under the axes, in rows. */
static void place_below(plot_layout *layout)
{
    double x = layout->left, y = layout->height, row = 0;
    for (size_t i = 0; i < layout->entry_count; i++) {
        plot_entry *entry = &layout->entries[i];
        if (x > layout->left && x + entry_width(entry) > PLOT_WIDTH - MARGIN) {
            x = layout->left;
            y += row;
            row = 0;
        }
        row = fmax(row, entry_height(entry));
        entry->x = x;
        entry->y = y + entry_height(entry) / 2;
        x += entry_width(entry) + BETWEEN;
    }
    layout->height = y + row + PLOT_GAP;
}

/* ---- all */

/* The right end of the axes leaves room for the widest entry. */
static void make_room(const plot_picture *plot, plot_layout *layout)
{
    double widest = 0;
    for (size_t i = 0; i < layout->entry_count; i++)
        widest = fmax(widest, entry_width(&layout->entries[i]));
    layout->right = PLOT_WIDTH - 2 * MARGIN;
    if (plot->grid != NULL)
        layout->right = layout->z_left - MARGIN;
    else if (layout->entry_count > 0 && plot->categories == NULL)
        layout->right = PLOT_WIDTH - MARGIN - widest - LEADER;
}

void plot_layout_make(const plot_picture *plot, plot_layout *layout)
{
    *layout =
        (plot_layout){.left = left_of(plot),
                      .y_label = MARGIN,
                      .z_left = PLOT_WIDTH - COLOUR_BOX,
                      .z_right = PLOT_WIDTH - COLOUR_BOX + MARGIN,
                      .z_label = PLOT_WIDTH - MARGIN,
                      .title = text_wrap(plot->title, PLOT_WIDTH - LEFT - WIDE_NUMBERS - MARGIN)};
    layout->top =
        MARGIN +
        (layout->title.count > 0 ? (double)(layout->title.count * TEXT_LINE) + MARGIN / 2 : 0);
    if (plot->grid == NULL) {
        layout->x = plot_x_range(plot);
        layout->y = view_y(plot);
        list_entries(plot, layout);
    }
    make_room(plot, layout);
    if (plot->categories == NULL) {
        place_beside(plot, layout);
        layout->x_label = layout->bottom + X_LABEL;
        return;
    }
    layout->bottom = layout->top + AXIS;
    layout->height = layout->bottom + BELOW;
    layout->x_label = layout->bottom + X_LABEL;
    place_names(plot, layout);
    place_below(layout);
}
