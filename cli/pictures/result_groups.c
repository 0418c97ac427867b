/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/pictures/result_curves.h"

#include "cli/output/errors.h"

#include <gsl/gsl_sort.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool belongs(const result_groups *groups, size_t group, const clump_result *row)
{
    for (int d = 0; d < DIMENSION_COUNT; d++)
        if (groups->keys[d] &&
            !result_dimension_is_equal(groups->first[group], row, (result_dimension)d))
            return false;
    return true;
}

int result_groups_make(const char *command, const clump_result *results, size_t count,
                       clump_arena *arena, result_groups *groups)
{
    groups->group_of = clump_arena_take(arena, count * sizeof *groups->group_of);
    if (groups->group_of == NULL)
        return error_memory(command);
    size_t last = 0; /* neighbours mostly belong together */
    for (size_t i = 0; i < count; i++) {
        size_t g = last;
        if (groups->count == 0 || !belongs(groups, last, &results[i]))
            for (g = 0; g < groups->count && !belongs(groups, g, &results[i]);)
                g++;
        if (g == PLOT_MOST_SERIES)
            return error_input(command,
                               "no picture: found more than %d curves, expected fewer; "
                               "vary fewer quantities at a time",
                               (int)PLOT_MOST_SERIES);
        if (g == groups->count)
            groups->first[groups->count++] = &results[i];
        groups->group_of[i] = last = g;
        groups->sizes[g]++;
    }
    return EXIT_DONE;
}

/* A gang is told by its size where that varies too. */
static bool says_nothing(const result_groups *groups, const clump_result *row, int d)
{
    if (d == DIMENSION_DEMAND)
        return row->demand == CLUMP_DEMAND_GANG && groups->keys[DIMENSION_GANG_SIZE];
    return d < DIMENSION_NUMBERS && isnan(result_dimension_number(row, (result_dimension)d));
}

const char *result_groups_name(const result_groups *groups, size_t group, clump_arena *arena)
{
    const clump_result *row = groups->first[group];
    size_t size = 1;
    for (int d = 0; d < DIMENSION_COUNT; d++)
        if (groups->keys[d])
            size += (size_t)result_dimension_describe(row, (result_dimension)d, NULL, 0) + 2;
    char *name = clump_arena_take(arena, size);
    if (name == NULL)
        return NULL;
    size_t used = 0;
    for (int d = DIMENSION_COUNT - 1; d >= 0; d--) { /* names before numbers */
        if (!groups->keys[d] || says_nothing(groups, row, d))
            continue;
        used += (size_t)snprintf(name + used, size - used, "%s", used > 0 ? ", " : "");
        used +=
            (size_t)result_dimension_describe(row, (result_dimension)d, name + used, size - used);
    }
    return name;
}

size_t result_values(const clump_result *results, size_t count, result_dimension dimension,
                     clump_arena *arena, double **values)
{
    double *list = *values = clump_arena_take(arena, count * sizeof *list);
    if (list == NULL)
        return 0;
    for (size_t i = 0; i < count; i++) {
        list[i] = result_dimension_number(&results[i], dimension);
        if (!isfinite(list[i]))
            return 0;
    }
    gsl_sort(list, 1, count);
    size_t distinct = 1;
    for (size_t i = 1; i < count; i++)
        if (list[i] > list[distinct - 1])
            list[distinct++] = list[i];
    return distinct;
}

bool result_is_geometric(const double *values, size_t count)
{
    if (count < 3 || !(values[0] > 0) || values[count - 1] < 16 * values[0])
        return false;
    for (size_t i = 1; i < count; i++)
        if (values[i] < 1.5 * values[i - 1])
            return false;
    return true;
}
