/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "protocols/command/calibrate_tables.h"

#include "cli/output/errors.h"
#include "cli/output/output.h"
#include "data/arena.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* How many rows from `first` on belong to one table. */
static size_t table_length(const clump_calibration_results *results, size_t first)
{
    size_t length = 1;
    while (first + length < results->count &&
           results->rows[first + length].table == results->rows[first].table)
        length++;
    return length;
}

/* ---- printed */

static void make_table(const void *row, table_cell *cell)
{
    cell_text(cell, clump_calibration_table_title(((const clump_calibration_row *)row)->table));
}

static void make_quantity(const void *row, table_cell *cell)
{
    cell_text(cell, clump_quantity_name(((const clump_calibration_row *)row)->quantity));
}

static void make_unit(const void *row, table_cell *cell)
{
    cell_text(cell, clump_quantity_unit(((const clump_calibration_row *)row)->quantity));
}

/* Both negative or both positive, or it says nothing. */
static void make_ratio(const void *row, table_cell *cell)
{
    const clump_calibration_row *r = row;
    cell_real(cell, r->mean * r->thesis > 0 ? r->thesis / r->mean : NAN);
}

static bool has_size(const void *row)
{
    return ((const clump_calibration_row *)row)->size_bytes >= 0;
}

static bool has_doubtful(const void *row)
{
    return ((const clump_calibration_row *)row)->doubtful > 0;
}

#define ROW(member) FIELD(clump_calibration_row, member)

enum { VARIANT = 1 };

static const table_column columns[] = {
    {"table", NULL, .make = make_table},
    [VARIANT] = {NULL, NULL, ROW(variant), .folding = FOLD_ROWS},
    {"quantity", "Quantity", .make = make_quantity, .layout = COLUMN_LEFT},
    {"setting", "Setting", FIELD_ARRAY(clump_calibration_row, setting)},
    {"size_bytes", "Bytes", ROW(size_bytes), .applies = has_size, .folding = FOLD_ROWS},
    {"processes", "Processes", ROW(processes), .positive = true, .folding = FOLD_ROWS},
    {"mean", "Mean", ROW(mean)},
    {"half_width", "95%", ROW(half_width)},
    {"std_dev", "Std dev", ROW(std_dev)},
    {"runs", "Runs", ROW(runs), .positive = true},
    {"doubtful", "Doubtful", ROW(doubtful), .positive = true, .worth = has_doubtful},
    {"unit", "Unit", .make = make_unit, .folding = FOLD_ROWS, .layout = COLUMN_LEFT},
    {"thesis", "Thesis", ROW(thesis)},
    {"thesis_half_width", "95%", ROW(thesis_half_width)},
    {"thesis_ratio", "Thesis/here", .make = make_ratio},
};

int calibrate_print(output_format format, const clump_calibration_results *results,
                    calibrate_variant variant, const output_field *fields, size_t field_count)
{
    table_column own[sizeof columns / sizeof *columns];
    memcpy(own, columns, sizeof own);
    own[VARIANT].key = variant.key;
    own[VARIANT].heading = variant.title;
    table_rows rows = {.key = "results", COLUMNS(own), RECORDS(results->rows, results->count)};
    if (format != FORMAT_TABLE)
        return output_print(format, &rows, fields, field_count);
    int status = EXIT_DONE;
    for (size_t first = 0, length; first < results->count && status == EXIT_DONE; first += length) {
        length = table_length(results, first);
        printf("%s%s\n", first > 0 ? "\n" : "",
               clump_calibration_table_title(results->rows[first].table));
        rows.records = results->rows + first;
        rows.row_count = length;
        status = table_print(&rows);
    }
    return status;
}

/* ---- drawn: a picture for each table, over message sizes or names */

enum { MOST_PICTURES = PLOT_MOST_PICTURES, MOST_SERIES = PLOT_MOST_SERIES, MOST_NAMES = 40 };

/* One table on its way to a picture. */
typedef struct picture {
    const clump_calibration_row *rows;
    size_t count;
    clump_arena *arena;
    bool sizes; /* over message sizes; else over names */
    const char *names[MOST_NAMES];
    size_t name_count;
    plot_series series[MOST_SERIES];
    size_t series_count;
} picture;

static const char *unit_of(const clump_calibration_row *row)
{
    return clump_quantity_unit(row->quantity);
}

static bool is_drawn(const picture *p, const clump_calibration_row *row)
{
    return strcmp(unit_of(row), unit_of(p->rows)) == 0 && isfinite(row->mean);
}

/* What a row stands for on an axis of names. */
static const char *name_row(const picture *p, const clump_calibration_row *row)
{
    enum { LENGTH = 120 };
    char *name = clump_arena_take(p->arena, LENGTH);
    if (name == NULL)
        return NULL;
    const char *what = row->setting[0] != '\0' ? row->setting : clump_quantity_name(row->quantity);
    if (row->processes > 0)
        snprintf(name, LENGTH, "%.80s, %u processes", what, row->processes);
    else
        snprintf(name, LENGTH, "%.80s", what);
    return name;
}

/* Position of the row's name among those of the picture; MOST_NAMES: none is free, or no memory. */
static size_t place_name(picture *p, const clump_calibration_row *row)
{
    const char *name = name_row(p, row);
    size_t i = 0;
    while (i < p->name_count && name != NULL && strcmp(p->names[i], name) != 0)
        i++;
    if (name == NULL || i == MOST_NAMES)
        return MOST_NAMES;
    if (i == p->name_count)
        p->names[p->name_count++] = name;
    return i;
}

/* "lock-free", or "half_round_trip, lock-free" over sizes; the thesis has one of its own. */
static const char *name_series(const picture *p, const clump_calibration_row *row, bool thesis)
{
    enum { LENGTH = 160 };
    char *name = clump_arena_take(p->arena, LENGTH);
    if (name != NULL)
        snprintf(name, LENGTH, "%.60s%s%.60s%s", p->sizes ? clump_quantity_name(row->quantity) : "",
                 p->sizes ? ", " : "", row->variant, thesis ? ", thesis" : "");
    return name;
}

/* The series of that name, made if there is none yet; NULL: no place or no memory. */
static plot_series *find_series(picture *p, const char *name, bool thesis)
{
    if (name == NULL)
        return NULL;
    for (size_t i = 0; i < p->series_count; i++)
        if (strcmp(p->series[i].name, name) == 0)
            return &p->series[i];
    double *numbers = clump_arena_take(p->arena, 4 * p->count * sizeof *numbers);
    if (numbers == NULL || p->series_count == MOST_SERIES)
        return NULL;
    plot_series *series = &p->series[p->series_count];
    *series = (plot_series){.name = name,
                            .mark = PLOT_POINTS,
                            .measured = thesis,
                            .colour = p->series_count++,
                            .x = numbers,
                            .y = numbers + p->count,
                            .low = numbers + 2 * p->count,
                            .high = numbers + 3 * p->count};
    return series;
}

static bool add_point(picture *p, const clump_calibration_row *row, bool thesis)
{
    const double y = thesis ? row->thesis : row->mean;
    const double half = thesis ? row->thesis_half_width : row->half_width;
    if (!isfinite(y))
        return true;
    plot_series *s = find_series(p, name_series(p, row, thesis), thesis);
    const size_t place = p->sizes ? 0 : place_name(p, row);
    if (s == NULL || place == MOST_NAMES)
        return false;
    double *numbers = (double *)(uintptr_t)s->x; /* ours: made in find_series */
    const size_t i = s->count++;
    numbers[i] = p->sizes ? fmax((double)row->size_bytes, 1) : (double)place;
    numbers[p->count + i] = y;
    numbers[2 * p->count + i] = isfinite(half) ? y - half : y;
    numbers[3 * p->count + i] = isfinite(half) ? y + half : y;
    return true;
}

static bool add_rows(picture *p)
{
    for (size_t i = 0; i < p->count; i++)
        if (is_drawn(p, &p->rows[i]) &&
            (!add_point(p, &p->rows[i], false) || !add_point(p, &p->rows[i], true)))
            return false;
    return true;
}

/* Points at one name stand beside each other. */
static void spread(picture *p)
{
    const double step = fmin(0.12, 0.8 / (double)(p->series_count + 1));
    for (size_t s = 0; s < p->series_count && !p->sizes; s++) {
        double *x = (double *)(uintptr_t)p->series[s].x;
        for (size_t i = 0; i < p->series[s].count; i++)
            x[i] += step * ((double)s - (double)(p->series_count - 1) / 2);
    }
}

/* A picture that has room for all of its rows. */
static bool make(picture *p, const char *machine, plot_picture *plot)
{
    enum { LABEL = 200 };
    char *title = clump_arena_take(p->arena, LABEL), *label = clump_arena_take(p->arena, LABEL);
    p->sizes = p->rows->size_bytes >= 0;
    if (title == NULL || label == NULL || !add_rows(p))
        return false;
    snprintf(title, LABEL, "%.80s, %.100s", clump_calibration_table_title(p->rows->table), machine);
    snprintf(label, LABEL, "%s (%.40s)", strcmp(unit_of(p->rows), "us") == 0 ? "Time" : "Mean",
             unit_of(p->rows));
    spread(p);
    *plot = (plot_picture){.title = title,
                           .x = {.label = p->sizes ? "Message size (bytes)" : "Quantity",
                                 .logarithmic = p->sizes,
                                 .whole = p->sizes},
                           .y = {.label = label, .logarithmic = p->sizes},
                           .categories = p->sizes ? NULL : p->names,
                           .category_count = p->name_count,
                           .series = p->series,
                           .series_count = p->series_count};
    return true;
}

int calibrate_draw(const plot_request *request, output_format format,
                   const clump_calibration_results *results, const char *machine)
{
    plot_picture plots[MOST_PICTURES];
    if (!plot_request_is_made(request))
        return EXIT_DONE;
    clump_arena *arena = clump_arena_new();
    size_t count = 0, length;
    int status = arena != NULL ? EXIT_DONE : error_memory(request->command);
    for (size_t first = 0; first < results->count && count < MOST_PICTURES && status == EXIT_DONE;
         first += length) {
        length = table_length(results, first);
        picture *p = clump_arena_take(arena, sizeof *p);
        if (p != NULL)
            *p = (picture){.rows = results->rows + first, .count = length, .arena = arena};
        if (p == NULL)
            status = error_memory(request->command);
        else if (make(p, machine, &plots[count]))
            count += p->series_count > 0;
        else
            status = error_input(request->command,
                                 "no picture: found too many curves in '%s', expected "
                                 "%d at most; ask for fewer queues",
                                 clump_calibration_table_title(p->rows->table), (int)MOST_SERIES);
    }
    if (status == EXIT_DONE && count == 0)
        status = error_failed(request->command, "no picture: all runs are doubtful");
    if (status == EXIT_DONE)
        status = plot_request_draw(request, plots, count, format);
    clump_arena_free(arena);
    return status;
}
