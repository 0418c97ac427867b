/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/pictures/result_dimensions.h"

#include "cli/output/errors.h"
#include "cli/output/results.h"

#include <gsl/gsl_sort.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* The fields of results that can vary. */
static const char *const keys[DIMENSION_COUNT] = {
    [DIMENSION_UTILIZATION] = "utilization",
    [DIMENSION_NICS] = "nics",
    [DIMENSION_PROCESSORS] = "processors",
    [DIMENSION_MAX_NICS] = "max_nics_per_processor",
    [DIMENSION_GANG_SIZE] = "gang_size",
    [DIMENSION_REMOTE_FRACTION] = "remote_fraction",
    [DIMENSION_COST_RATIO] = "cost_ratio",
    [DIMENSION_MEMORY_PENALTY] = "memory_penalty",
    [DIMENSION_WAITING_FRACTION] = "waiting_fraction",
    [DIMENSION_PHASE_CYCLES] = "phase_cycles",
    [DIMENSION_COMMUNICATION_RATIO] = "communication_ratio",
    [DIMENSION_MEMORY_SHARE] = "memory_share",
    [DIMENSION_MEMORY_FEEDS] = "memory_feeds",
    [DIMENSION_COMPARED] = "compared_with",
    [DIMENSION_PROCESSOR] = "processor",
    [DIMENSION_APPLICATION] = "application",
    [DIMENSION_PLATFORM] = "platform",
    [DIMENSION_MAPPING] = "mapping",
    [DIMENSION_DEMAND] = "demand",
};

double result_dimension_number(const clump_result *r, result_dimension dimension)
{
    table_cell cell;
    column_read(result_column(keys[dimension]), r, &cell);
    return cell.kind == CELL_REAL ? cell.real : cell.kind == CELL_WHOLE ? (double)cell.whole : NAN;
}

/* Of a demand its kind: the size of gangs is another dimension. */
static const char *name_of(const clump_result *r, result_dimension dimension, table_cell *cell)
{
    if (dimension == DIMENSION_DEMAND)
        return clump_demand_kind_name(r->demand);
    column_read(result_column(keys[dimension]), r, cell);
    return cell->kind == CELL_TEXT ? cell->text : "-";
}

/* Whether two rows say the same. */
static bool result_dimension_is_equal(const clump_result *a, const clump_result *b,
                                      result_dimension dimension)
{
    if (dimension >= DIMENSION_NUMBERS) {
        table_cell first, second;
        return strcmp(name_of(a, dimension, &first), name_of(b, dimension, &second)) == 0;
    }
    const double x = result_dimension_number(a, dimension);
    const double y = result_dimension_number(b, dimension);
    return isnan(x) ? isnan(y) : !(x < y) && !(x > y) && !isnan(y);
}

const char *result_dimension_label(result_dimension dimension)
{
    const table_column *column = result_column(keys[dimension]);
    return column->label != NULL ? column->label : column->heading;
}

bool result_dimension_is_whole(result_dimension dimension)
{
    return result_column(keys[dimension])->type == FIELD_SIZE;
}

int result_dimension_describe(const clump_result *r, result_dimension dimension, char *text,
                              size_t size)
{
    table_cell cell;
    char words[64];
    if (dimension >= DIMENSION_NUMBERS)
        return snprintf(text, size, "%s", name_of(r, dimension, &cell));
    const double value = result_dimension_number(r, dimension);
    if (isnan(value))
        return snprintf(text, size, "-");
    /* NOLINTNEXTLINE: a format of the table of results */
    snprintf(words, sizeof words, result_column(keys[dimension])->words, value);
    char *plural = strstr(words, "(s)");
    if (plural == NULL)
        return snprintf(text, size, "%s", words);
    *plural = '\0';
    return snprintf(text, size, "%s%s%s", words, value > 1 || value < 1 ? "s" : "",
                    plural + strlen("(s)"));
}

/* Combinations of application and platform whose rows are compared; more make no picture. */
enum { MOST_PAIRS = 256 };

void result_dimensions_vary(const clump_result *results, size_t count, bool varies[DIMENSION_COUNT])
{
    const clump_result *pairs[MOST_PAIRS];
    size_t pair_count = 0;
    memset(varies, 0, DIMENSION_COUNT * sizeof *varies);
    for (size_t i = 0; i < count; i++) {
        const clump_result *r = &results[i];
        size_t p = 0;
        while (p < pair_count && !(result_dimension_is_equal(pairs[p], r, DIMENSION_APPLICATION) &&
                                   result_dimension_is_equal(pairs[p], r, DIMENSION_PLATFORM)))
            p++;
        if (p == pair_count && pair_count < MOST_PAIRS)
            pairs[pair_count++] = r;
        for (int d = 0; d < DIMENSION_COUNT; d++) {
            const bool names = d == DIMENSION_APPLICATION || d == DIMENSION_PLATFORM;
            const clump_result *first = names || p == MOST_PAIRS ? results : pairs[p];
            varies[d] = varies[d] || !result_dimension_is_equal(first, r, (result_dimension)d);
        }
    }
}

/* ---- rows that belong together */

static bool belongs(const result_groups *groups, size_t group, const clump_result *row)
{
    for (int d = 0; d < DIMENSION_COUNT; d++)
        if (groups->keys[d] &&
            !result_dimension_is_equal(groups->first[group], row, (result_dimension)d))
            return false;
    return true;
}

int result_no_picture(char *problem, const char *format, ...)
{
    va_list values;
    va_start(values, format);
    vsnprintf(problem, RESULT_PROBLEM_SIZE, format, values);
    va_end(values);
    return EXIT_INPUT;
}

int result_groups_make(char *problem, const clump_result *results, size_t count, clump_arena *arena,
                       result_groups *groups)
{
    groups->group_of = clump_arena_take(arena, count * sizeof *groups->group_of);
    if (groups->group_of == NULL)
        return EXIT_FAILED;
    size_t last = 0; /* neighbours mostly belong together */
    for (size_t i = 0; i < count; i++) {
        size_t g = last;
        if (groups->count == 0 || !belongs(groups, last, &results[i]))
            for (g = 0; g < groups->count && !belongs(groups, g, &results[i]);)
                g++;
        if (g == PLOT_MOST_SERIES)
            return result_no_picture(problem,
                                     "no picture: found more than %d curves, expected fewer; "
                                     "vary fewer quantities at a time",
                                     (int)PLOT_MOST_SERIES);
        if (g == groups->count)
            groups->first[groups->count++] = &results[i];
        groups->group_of[i] = last = g;
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
