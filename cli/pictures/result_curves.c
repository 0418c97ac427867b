/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/pictures/result_curves.h"

#include "cli/output/errors.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A curve of more points than this is drawn without marks at them. */
enum { FEW_POINTS = 12 };

typedef struct builder {
    const char *command;
    const clump_result *results;
    const result_band *bands; /* or NULL */
    size_t count;
    clump_arena *arena;
    result_curves *curves;
    result_groups groups;
    plot_series *series;
    size_t series_count; /* predicted and measured */
    size_t *category_of; /* of each row */
} builder;

/* The quantity with most values; the processors of a node, where they differ. */
static int choose_x(builder *b, const bool varies[DIMENSION_COUNT])
{
    static const result_dimension names[] = {DIMENSION_APPLICATION, DIMENSION_PLATFORM,
                                             DIMENSION_DEMAND, DIMENSION_MAPPING};
    result_curves *curves = b->curves;
    size_t most = 0;
    for (int d = 0; d < DIMENSION_NUMBERS; d++) {
        double *values;
        if (!varies[d])
            continue;
        const size_t distinct =
            result_values(b->results, b->count, (result_dimension)d, b->arena, &values);
        if (values == NULL)
            return error_memory(b->command);
        if (distinct > most || (distinct > 0 && d == DIMENSION_PROCESSOR)) {
            most = distinct;
            curves->x = (result_dimension)d;
            curves->plot.x.logarithmic = result_is_geometric(values, distinct);
        }
    }
    curves->names = most == 0;
    for (size_t i = 0; i < sizeof names / sizeof *names && curves->names; i++)
        if (i == 0 || (varies[names[i]] && !varies[curves->x]))
            curves->x = names[i];
    return EXIT_DONE;
}

/* Names on the x axis in the order in which they appear. */
static int make_categories(builder *b)
{
    plot_picture *plot = &b->curves->plot;
    result_groups names = {.count = 0};
    names.keys[b->curves->x] = true;
    const int status = result_groups_make(b->command, b->results, b->count, b->arena, &names);
    if (status != EXIT_DONE)
        return status;
    const char **list = clump_arena_take(b->arena, names.count * sizeof *list);
    if (list == NULL)
        return error_memory(b->command);
    for (size_t i = 0; i < names.count; i++) {
        list[i] = result_groups_name(&names, i, b->arena);
        if (list[i] == NULL)
            return error_memory(b->command);
    }
    plot->categories = list;
    plot->category_count = names.count;
    b->category_of = names.group_of;
    return EXIT_DONE;
}

/* Points at one name stand beside each other: the predictions, then what was measured. */
static double x_of(const builder *b, size_t row, size_t place)
{
    const double step = fmin(0.12, 0.8 / (double)(b->groups.count + 1));
    return b->curves->names
               ? (double)b->category_of[row] + step * ((double)place - (double)b->groups.count / 2)
               : result_dimension_number(&b->results[row], b->curves->x);
}

typedef struct point {
    double x, y, low, high; /* low and high NAN: no interval */
} point;

static int compare_points(const void *a, const void *b)
{
    const double x = ((const point *)a)->x, y = ((const point *)b)->x;
    return (x > y) - (x < y);
}

/* Points into the arrays of a series, in the order of x. */
static int add_series(builder *b, point *points, size_t count, plot_series series)
{
    double *numbers = clump_arena_take(b->arena, 4 * count * sizeof *numbers);
    if (numbers == NULL)
        return error_memory(b->command);
    double *const x = numbers, *const y = x + count, *const low = y + count,
                  *const high = low + count;
    qsort(points, count, sizeof *points, compare_points);
    for (size_t i = 0; i < count; i++) {
        x[i] = points[i].x;
        y[i] = points[i].y;
        low[i] = isfinite(points[i].low) ? points[i].low : y[i];
        high[i] = isfinite(points[i].high) ? points[i].high : y[i];
    }
    bool intervals = count == 0; /* explains what was measured */
    for (size_t i = 0; i < count; i++)
        intervals = intervals || !isnan(points[i].low);
    series.x = x;
    series.y = y;
    series.low = intervals ? low : NULL;
    series.high = intervals ? high : NULL;
    series.count = count;
    b->series[b->series_count++] = series;
    return EXIT_DONE;
}

static int add_predicted(builder *b, size_t group, point *points)
{
    size_t used = 0;
    for (size_t i = 0; i < b->count; i++)
        if (b->groups.group_of[i] == group)
            points[used++] = (point){x_of(b, i, group), b->results[i].slowdown,
                                     b->bands != NULL ? b->bands[i].low : NAN,
                                     b->bands != NULL ? b->bands[i].high : NAN};
    const char *name = result_groups_name(&b->groups, group, b->arena);
    if (name == NULL)
        return error_memory(b->command);
    return add_series(b, points, used,
                      (plot_series){.name = *name != '\0'                   ? name
                                            : b->curves->names || used == 1 ? "predicted"
                                                                            : NULL,
                                    .mark = b->curves->names    ? PLOT_POINTS
                                            : used > FEW_POINTS ? PLOT_LINE
                                                                : PLOT_LINE_POINTS,
                                    .colour = group});
}

static bool is_measured(const clump_result *r)
{
    return isfinite(r->measured_slowdown);
}

/* What was measured does not depend on the kind of demand that is assumed: once for each curve's
 * application and platform. */
static bool is_repeated(const builder *b, size_t row, const point *points, size_t used)
{
    const point p = {x_of(b, row, b->groups.count), b->results[row].measured_slowdown, NAN, NAN};
    for (size_t i = used; i > 0; i--)
        if (!(points[i - 1].x < p.x) && !(points[i - 1].x > p.x) && !(points[i - 1].y < p.y) &&
            !(points[i - 1].y > p.y))
            return true;
    return false;
}

static point measured_point(const builder *b, size_t row)
{
    const clump_result *r = &b->results[row];
    const double half = isfinite(r->measured_half_width) ? r->measured_half_width : 0;
    return (point){x_of(b, row, b->groups.count), r->measured_slowdown, r->measured_slowdown - half,
                   r->measured_slowdown + half};
}

/* The measured points: all in one series, or in the colours of the applications' curves. */
static int add_measured(builder *b, point *points)
{
    const bool apart = !b->curves->names && b->groups.keys[DIMENSION_APPLICATION];
    const size_t curves = apart ? b->groups.count : 1;
    const char *name = "measured, 95% interval";
    int status = EXIT_DONE;
    enum { MOST = 1000 }; /* comparing each with each must not take long */
    for (size_t g = 0; g < curves && status == EXIT_DONE; g++) {
        size_t used = 0;
        for (size_t i = 0; i < b->count && used < MOST; i++)
            if (is_measured(&b->results[i]) && (!apart || b->groups.group_of[i] == g) &&
                !is_repeated(b, i, points, used))
                points[used++] = measured_point(b, i);
        if (used == 0)
            continue;
        plot_series series = {
            .name = name, .mark = PLOT_POINTS, .measured = true, .colour = PLOT_BLACK};
        if (apart && name != NULL)
            status = add_series(b, points, 0, series);
        if (apart)
            series.colour = g, series.name = NULL;
        if (status == EXIT_DONE)
            status = add_series(b, points, used, series);
        name = NULL;
    }
    return status;
}

/* Steps of one quantity, enough of them to want colours in order. */
static bool is_ordered(const result_groups *groups)
{
    size_t numbers = 0, all = 0;
    for (int d = 0; d < DIMENSION_COUNT; d++) {
        all += groups->keys[d];
        numbers += groups->keys[d] && d < DIMENSION_NUMBERS;
    }
    return all == 1 && numbers == 1 && groups->count >= 4;
}

static int add_all(builder *b)
{
    point *points = malloc(b->count * sizeof *points);
    b->series = clump_arena_take(b->arena, 2 * (b->groups.count + 2) * sizeof *b->series);
    int status = EXIT_DONE;
    if (points == NULL || b->series == NULL)
        status = error_memory(b->command);
    for (size_t g = 0; g < b->groups.count && status == EXIT_DONE; g++)
        status = add_predicted(b, g, points);
    b->curves->series_count = b->series_count;
    if (status == EXIT_DONE)
        status = add_measured(b, points);
    free(points);
    return status;
}

/* Slowdowns over a wide range: equal factors, equal distances. */
static bool spans_much(const builder *b)
{
    double least = INFINITY, most = 0;
    for (size_t i = 0; i < b->count; i++) {
        least = fmin(least, b->results[i].slowdown);
        most = fmax(most, b->results[i].slowdown);
    }
    return least > 0 && most > 10 * least;
}

int result_curves_make(const char *command, const clump_result *results, const result_band *bands,
                       size_t count, clump_arena *arena, result_curves *curves)
{
    builder b = {.command = command,
                 .results = results,
                 .bands = bands,
                 .count = count,
                 .arena = arena,
                 .curves = curves};
    *curves = (result_curves){.plot = {.title = results->scenario}};
    result_dimensions_vary(results, count, b.groups.keys);
    int status = choose_x(&b, b.groups.keys);
    if (status != EXIT_DONE)
        return status;
    b.groups.keys[curves->x] = false;
    if (curves->x == DIMENSION_PROCESSOR)
        b.groups.keys[DIMENSION_UTILIZATION] = false;
    if (curves->names)
        status = make_categories(&b);
    if (status == EXIT_DONE)
        status = result_groups_make(command, results, count, arena, &b.groups);
    if (status == EXIT_DONE)
        status = add_all(&b);
    if (status != EXIT_DONE)
        return status;
    curves->plot.x.label = result_dimension_label(curves->x);
    curves->plot.x.whole = !curves->names && result_dimension_is_whole(curves->x);
    curves->plot.y.label = bands != NULL ? "Slowdown X, and where 90% of the draws lie"
                                         : "Slowdown X (time on the Clump / on the NOW)";
    curves->plot.y.logarithmic = spans_much(&b);
    curves->plot.level = 1;
    curves->plot.level_name = "as fast as the NOW";
    curves->plot.ordered = is_ordered(&b.groups);
    curves->plot.series = b.series;
    curves->plot.series_count = b.series_count;
    return EXIT_DONE;
}
