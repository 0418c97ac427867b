/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/pictures/result_dimensions.h"

#include "cli/output/results.h"

#include <math.h>
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

bool result_dimension_is_equal(const clump_result *a, const clump_result *b,
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
    if (plural != NULL)
        strcpy(plural, value > 1 || value < 1 ? "s" : "");
    return snprintf(text, size, "%s", words);
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
