/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/pictures/result_curves.h"

#include "cli/output/errors.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct axis {
    result_dimension dimension;
    double *values;
    size_t count;
} axis;

/* The two quantities with most values; utilization, if it is one of them, across. Less than two
 * values on the second axis: there are no two. */
static int choose_axes(const char *command, const clump_result *results, size_t count,
                       clump_arena *arena, const bool varies[DIMENSION_COUNT], axis axes[2])
{
    for (int d = 0; d < DIMENSION_NUMBERS; d++) {
        axis found = {(result_dimension)d, NULL, 0};
        if (!varies[d])
            continue;
        found.count = result_values(results, count, found.dimension, arena, &found.values);
        if (found.values == NULL)
            return error_memory(command);
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
        z[row * axes[0].count + column] = results[i].slowdown;
    }
    return z;
}

int result_heat_make(const char *command, const clump_result *results, size_t count,
                     clump_arena *arena, plot_picture *plots, size_t *plot_count)
{
    axis axes[2] = {{.count = 0}, {.count = 0}};
    result_groups groups = {.count = 0};
    result_dimensions_vary(results, count, groups.keys);
    int status = choose_axes(command, results, count, arena, groups.keys, axes);
    if (status != EXIT_DONE || axes[1].count < 2)
        return status;
    groups.keys[axes[0].dimension] = groups.keys[axes[1].dimension] = false;
    status = result_groups_make(command, results, count, arena, &groups);
    if (status == EXIT_DONE && (*plot_count + groups.count > PLOT_MOST_PICTURES ||
                                axes[0].count * axes[1].count > PLOT_MOST_POINTS))
        status = error_input(command,
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
            return error_memory(command);
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
