/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/pictures/result_plot.h"

#include "cli/output/errors.h"
#include "cli/output/results.h"
#include "cli/pictures/result_dimensions.h"
#include "data/arena.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The results of one scenario as curves. */
typedef struct result_curves {
    result_dimension x;  /* what the horizontal axis shows */
    bool names;          /* it shows names */
    size_t series_count; /* of predictions; those of measurements follow in the plot */
    plot_picture plot;
} result_curves;

/* ---- lines */

/* A curve of more points than this is drawn without marks at them. */
enum { FEW_POINTS = 12 };

typedef struct builder {
    char *problem; /* receives what is wrong */
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
            return EXIT_FAILED;
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
    const int status = result_groups_make(b->problem, b->results, b->count, b->arena, &names);
    if (status != EXIT_DONE)
        return status;
    const char **list = clump_arena_take(b->arena, names.count * sizeof *list);
    if (list == NULL)
        return EXIT_FAILED;
    for (size_t i = 0; i < names.count; i++) {
        list[i] = result_groups_name(&names, i, b->arena);
        if (list[i] == NULL)
            return EXIT_FAILED;
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
        return EXIT_FAILED;
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
            points[used++] = (point){x_of(b, i, group), result_judged(&b->results[i]),
                                     b->bands != NULL ? b->bands[i].low : NAN,
                                     b->bands != NULL ? b->bands[i].high : NAN};
    const char *name = result_groups_name(&b->groups, group, b->arena);
    if (name == NULL)
        return EXIT_FAILED;
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
    const double x = x_of(b, row, b->groups.count), y = b->results[row].measured_slowdown;
    for (size_t i = used; i > 0; i--) /* but for rounding: both were computed by way of a NOW */
        if (!(points[i - 1].x < x) && !(points[i - 1].x > x) &&
            fabs(points[i - 1].y - y) <= 1e-12 * y)
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
        status = EXIT_FAILED;
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
        least = fmin(least, result_judged(&b->results[i]));
        most = fmax(most, result_judged(&b->results[i]));
    }
    return least > 0 && most > 10 * least;
}

static int make_curves(char *problem, const clump_result *results, const result_band *bands,
                       size_t count, clump_arena *arena, result_curves *curves)
{
    builder b = {.problem = problem,
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
        status = result_groups_make(problem, results, count, arena, &b.groups);
    if (status == EXIT_DONE)
        status = add_all(&b);
    if (status != EXIT_DONE)
        return status;
    curves->plot.x.label = result_dimension_label(curves->x);
    curves->plot.x.whole = !curves->names && result_dimension_is_whole(curves->x);
    const bool compared = results->compared_with != NULL;
    curves->plot.y.label = compared        ? "Time over that on the platform compared with"
                           : bands != NULL ? "Slowdown X, and where 90% of the draws lie"
                                           : "Slowdown X (time on the Clump / on the NOW)";
    curves->plot.y.logarithmic = spans_much(&b);
    curves->plot.level = 1;
    curves->plot.level_name = compared ? "as fast as that" : "as fast as the NOW";
    curves->plot.ordered = is_ordered(&b.groups);
    curves->plot.series = b.series;
    curves->plot.series_count = b.series_count;
    return EXIT_DONE;
}

/* ---- heat maps */

typedef struct axis {
    result_dimension dimension;
    double *values;
    size_t count;
} axis;

/* The two quantities with most values; utilization, if it is one of them, across. Less than two
 * values on the second axis: there are no two. */
static int choose_axes(const clump_result *results, size_t count, clump_arena *arena,
                       const bool varies[DIMENSION_COUNT], axis axes[2])
{
    for (int d = 0; d < DIMENSION_NUMBERS; d++) {
        axis found = {(result_dimension)d, NULL, 0};
        if (!varies[d])
            continue;
        found.count = result_values(results, count, found.dimension, arena, &found.values);
        if (found.values == NULL)
            return EXIT_FAILED;
        if (found.count > axes[0].count) {
            axes[1] = axes[0];
            axes[0] = found;
        } else if (found.count > axes[1].count) {
            axes[1] = found;
        }
    }
    if (axes[1].count > 1 && axes[1].dimension == DIMENSION_UTILIZATION) {
        const axis other = axes[0];
        axes[0] = axes[1];
        axes[1] = other;
    }
    return EXIT_DONE;
}

static size_t position(const axis *of, double value)
{
    size_t low = 0, high = of->count - 1; /* the value is in the list */
    while (low < high) {
        const size_t middle = (low + high) / 2;
        if (of->values[middle] < value)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static plot_axis describe(const axis *of)
{
    return (plot_axis){result_dimension_label(of->dimension),
                       result_is_geometric(of->values, of->count),
                       result_dimension_is_whole(of->dimension)};
}

static const char *join_names(clump_arena *arena, const char *title, const char *name)
{
    if (name == NULL || *name == '\0')
        return name == NULL ? NULL : title;
    const size_t size = (title != NULL ? strlen(title) : 0) + strlen(name) + 3;
    char *both = clump_arena_take(arena, size);
    if (both != NULL)
        snprintf(both, size, "%s%s%s", title != NULL ? title : "", title != NULL ? ": " : "", name);
    return both;
}

static double *fill(const clump_result *results, size_t count, const size_t *group_of, size_t group,
                    const axis axes[2], clump_arena *arena)
{
    const size_t cells = axes[0].count * axes[1].count;
    double *z = clump_arena_take(arena, cells * sizeof *z);
    for (size_t i = 0; i < cells && z != NULL; i++)
        z[i] = NAN;
    for (size_t i = 0; i < count && z != NULL; i++) {
        if (group_of[i] != group)
            continue;
        const size_t column =
            position(&axes[0], result_dimension_number(&results[i], axes[0].dimension));
        const size_t row =
            position(&axes[1], result_dimension_number(&results[i], axes[1].dimension));
        z[row * axes[0].count + column] = result_judged(&results[i]);
    }
    return z;
}

static int make_heat(char *problem, const clump_result *results, size_t count, clump_arena *arena,
                     plot_picture *plots, size_t *plot_count)
{
    axis axes[2] = {{.count = 0}, {.count = 0}};
    result_groups groups = {.count = 0};
    result_dimensions_vary(results, count, groups.keys);
    int status = choose_axes(results, count, arena, groups.keys, axes);
    if (status != EXIT_DONE || axes[1].count < 2)
        return status;
    groups.keys[axes[0].dimension] = groups.keys[axes[1].dimension] = false;
    status = result_groups_make(problem, results, count, arena, &groups);
    if (status == EXIT_DONE && (*plot_count + groups.count > PLOT_MOST_PICTURES ||
                                axes[0].count * axes[1].count > PLOT_MOST_POINTS))
        status = result_no_picture(problem,
                                   "no heat map: found more than %d of them, or of %d values; "
                                   "vary fewer quantities at a time",
                                   (int)PLOT_MOST_PICTURES, (int)PLOT_MOST_POINTS);
    for (size_t g = 0; g < groups.count && status == EXIT_DONE; g++) {
        plot_grid *grid = clump_arena_take(arena, sizeof *grid);
        const double *z = fill(results, count, groups.group_of, g, axes, arena);
        const char *name = result_groups_name(&groups, g, arena);
        const char *title = join_names(arena, results->scenario, name);
        if (grid == NULL || z == NULL || name == NULL ||
            (title == NULL && results->scenario != NULL))
            return EXIT_FAILED;
        *grid = (plot_grid){.x = axes[0].values,
                            .y = axes[1].values,
                            .z = z,
                            .x_count = axes[0].count,
                            .y_count = axes[1].count,
                            .label = "Slowdown X",
                            .centre = 1};
        plots[(*plot_count)++] = (plot_picture){
            .title = title, .x = describe(&axes[0]), .y = describe(&axes[1]), .grid = grid};
    }
    return status;
}

/* ---- pictures of all scenarios */

/* Can the curves of the sets stand in one picture? */
static bool can_share(const result_curves *sets, size_t count)
{
    size_t with_many = 0, series = 0;
    for (size_t i = 0; i < count; i++) {
        if (sets[i].names || sets[i].x != sets[0].x)
            return false;
        with_many += sets[i].series_count > 1;
        series += sets[i].series_count;
    }
    return with_many <= 1 && series <= PLOT_MOST_SERIES;
}

/* Sets that share a picture: one with several curves names it, the others are curves by their
 * title. Returns whether there is memory. */
static bool join(clump_arena *arena, const result_curves *sets, size_t count, plot_picture *plot)
{
    size_t all = 0, used = 0;
    for (size_t i = 0; i < count; i++)
        all += sets[i].series_count;
    plot_series *series = clump_arena_take(arena, all * sizeof *series);
    if (series == NULL)
        return false;
    *plot = sets[0].plot;
    plot->title = NULL;
    for (size_t i = 0; i < count; i++) {
        const bool single = sets[i].series_count == 1;
        memcpy(series + used, sets[i].plot.series, sets[i].series_count * sizeof *series);
        if (single) {
            series[used].name = sets[i].plot.title;
            series[used].colour = i;
        }
        used += sets[i].series_count;
        if (single)
            continue;
        plot->title = sets[i].plot.title;
        plot->ordered = sets[i].plot.ordered;
    }
    for (size_t i = 0, at = 0; i < count; at += sets[i].series_count, i++)
        if (sets[i].series_count == 1 && plot->title != NULL)
            series[at].colour = PLOT_BLACK;
    plot->series = series;
    plot->series_count = all;
    return true;
}

/* As many following sets as possible into each picture. */
static bool join_all(const result_curves *sets, size_t count, result_plots *plots)
{
    size_t taken;
    plots->plots = clump_arena_take(plots->memory, count * sizeof *plots->plots);
    if (plots->plots == NULL)
        return false;
    for (size_t first = 0; first < count; first += taken) {
        for (taken = 1; first + taken < count; taken++)
            if (!can_share(sets + first, taken + 1))
                break;
        plot_picture *plot = &plots->plots[plots->count++];
        if (taken == 1)
            *plot = sets[first].plot;
        else if (!join(plots->memory, sets + first, taken, plot))
            return false;
    }
    return true;
}

static int make_lines(char *problem, const clump_result *results, const result_band *bands,
                      size_t count, result_plots *plots)
{
    enum { MOST = PLOT_MOST_PICTURES * PLOT_MOST_SERIES };
    result_curves *sets = calloc(MOST, sizeof *sets);
    size_t used = 0, length;
    int status = sets != NULL ? EXIT_DONE : EXIT_FAILED;
    for (size_t first = 0; first < count && status == EXIT_DONE; first += length) {
        length = result_scenario_length(results + first, count - first);
        if (used == MOST)
            status = result_no_picture(
                problem, "no picture: found more than %d scenarios, expected fewer", (int)MOST);
        else
            status = make_curves(problem, results + first, bands != NULL ? bands + first : NULL,
                                 length, plots->memory, &sets[used++]);
    }
    if (status == EXIT_DONE && !join_all(sets, used, plots))
        status = EXIT_FAILED;
    free(sets);
    return status;
}

static int make_heat_maps(char *problem, const clump_result *results, size_t count,
                          result_plots *plots)
{
    size_t length;
    int status = EXIT_DONE;
    plots->plots = clump_arena_take(plots->memory, PLOT_MOST_PICTURES * sizeof *plots->plots);
    if (plots->plots == NULL)
        return EXIT_FAILED;
    for (size_t first = 0; first < count && status == EXIT_DONE; first += length) {
        length = result_scenario_length(results + first, count - first);
        status =
            make_heat(problem, results + first, length, plots->memory, plots->plots, &plots->count);
    }
    if (status == EXIT_DONE && plots->count == 0)
        status = result_no_picture(problem, "no heat map: found no two quantities that vary, "
                                            "expected such as nics and utilization");
    return status;
}

int result_plots_make(const clump_result *results, const result_band *bands, size_t count,
                      result_plot_kind kind, result_plots *plots)
{
    *plots = (result_plots){.memory = clump_arena_new()};
    if (plots->memory == NULL)
        return EXIT_FAILED;
    if (count == 0)
        return result_no_picture(plots->problem, "no picture: found no results to draw");
    if (count > PLOT_MOST_POINTS)
        return result_no_picture(
            plots->problem, "no picture: found %zu results, expected %d at most; use coarser steps",
            count, (int)PLOT_MOST_POINTS);
    return kind == RESULT_PLOT_HEAT ? make_heat_maps(plots->problem, results, count, plots)
                                    : make_lines(plots->problem, results, bands, count, plots);
}

void result_plots_free(result_plots *plots)
{
    clump_arena_free(plots->memory);
    *plots = (result_plots){.plots = NULL};
}
