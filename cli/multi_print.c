/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "calibration/multi_results.h"
#include "cli/output/errors.h"
#include "cli/output/output.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---- one by one */

enum { TABLE, ROW, COLUMN, MEAN, HALF_WIDTH, STD_DEV, RUNS, UNIT, COLUMN_COUNT };

static const table_column columns[COLUMN_COUNT] = {
    [TABLE] = {.key = "table"},
    [ROW] = {.key = "row"},
    [COLUMN] = {.key = "column"},
    [MEAN] = {.key = "mean"},
    [HALF_WIDTH] = {.key = "half_width"},
    [STD_DEV] = {.key = "std_dev"},
    [RUNS] = {.key = "runs"},
    [UNIT] = {.key = "unit"},
};

static void set_number(const void *context, size_t index, size_t column, table_cell *cell)
{
    const clump_multi_number *n = (const clump_multi_number *)context + index;
    switch (column) {
    case TABLE:
        cell_text(cell, n->table);
        break;
    case ROW:
        cell_text(cell, n->row);
        break;
    case COLUMN:
        cell_text(cell, n->column);
        break;
    case MEAN:
        if (strcmp(n->unit, "count") == 0)
            cell_whole(cell, (int64_t)n->mean);
        else
            cell_real(cell, n->mean);
        break;
    case HALF_WIDTH:
        cell_real(cell, n->half_width);
        break;
    case STD_DEV:
        cell_real(cell, n->std_dev);
        break;
    case RUNS:
        if (n->runs > 0)
            cell_size(cell, n->runs);
        break;
    default:
        cell_text(cell, n->unit);
        break;
    }
}

/* ---- as tables */

enum { MOST_COLUMNS = 16, MOST_ROWS = 64 };

typedef struct grid {
    const clump_multi_number *numbers;
    size_t count;
    const char *rows[MOST_ROWS], *columns[MOST_COLUMNS];
    size_t row_count, column_count;
} grid;

static size_t place(const char **names, size_t *count, size_t most, const char *name)
{
    size_t i = 0;
    while (i < *count && strcmp(names[i], name) != 0)
        i++;
    if (i == *count && i < most)
        names[(*count)++] = name;
    return i;
}

/* Decimals that give the greater of both three digits, and the smaller at least one. */
static int decimals(double mean, double half_width)
{
    const double greater = fmax(fabs(mean), half_width);
    int places = greater > 0 ? 2 - (int)floor(log10(greater)) : 0;
    while (half_width > 0 && places < 6 && half_width < 0.5 * pow(10, -places))
        places++;
    return places < 0 ? 0 : places > 6 ? 6 : places;
}

/* "7.02 ± 0.05" */
static void show(const clump_multi_number *n, table_cell *cell)
{
    const double half = isfinite(n->half_width) ? n->half_width : 0;
    const int places = decimals(n->mean, half);
    cell->kind = CELL_TEXT;
    cell->text = cell->buffer;
    if (strcmp(n->unit, "error") == 0)
        snprintf(cell->buffer, sizeof cell->buffer, "%+.1f%%", 100 * n->mean);
    else if (strcmp(n->unit, "count") == 0)
        snprintf(cell->buffer, sizeof cell->buffer, "%.0f", n->mean);
    else if (half > 0)
        snprintf(cell->buffer, sizeof cell->buffer, "%.*f %s %.*f", places, n->mean, plus_minus(),
                 places, half);
    else
        snprintf(cell->buffer, sizeof cell->buffer, "%.*f", places, n->mean);
}

static void set_cell(const void *context, size_t row, size_t column, table_cell *cell)
{
    const grid *g = context;
    if (column == 0) {
        cell_text(cell, g->rows[row]);
        return;
    }
    for (size_t i = 0; i < g->count; i++)
        if (strcmp(g->numbers[i].row, g->rows[row]) == 0 &&
            strcmp(g->numbers[i].column, g->columns[column - 1]) == 0)
            show(&g->numbers[i], cell);
}

static int print_table(const clump_multi_number *numbers, size_t count)
{
    grid g = {.numbers = numbers, .count = count};
    table_column heads[1 + MOST_COLUMNS] = {{.heading = "", .layout = COLUMN_LEFT}};
    for (size_t i = 0; i < count; i++) {
        place(g.rows, &g.row_count, MOST_ROWS, numbers[i].row);
        place(g.columns, &g.column_count, MOST_COLUMNS, numbers[i].column);
    }
    for (size_t i = 0; i < g.column_count; i++)
        heads[1 + i] = (table_column){.heading = g.columns[i]};
    const table_rows rows = {.columns = heads,
                             .column_count = 1 + g.column_count,
                             .row_count = g.row_count,
                             .cell = set_cell,
                             .context = &g};
    return table_print(&rows);
}

int multi_print(output_format format, const clump_multi_results *results,
                const output_field *fields, size_t field_count)
{
    if (format != FORMAT_TABLE) {
        const table_rows rows = {.key = "results",
                                 .columns = columns,
                                 .column_count = COLUMN_COUNT,
                                 .row_count = results->count,
                                 .cell = set_number,
                                 .context = results->numbers};
        return output_print(format, &rows, fields, field_count);
    }
    int status = EXIT_DONE;
    for (size_t first = 0, end; first < results->count && status == EXIT_DONE; first = end) {
        const char *table = results->numbers[first].table, *unit = results->numbers[first].unit;
        for (end = first + 1;
             end < results->count && strcmp(results->numbers[end].table, table) == 0;)
            end++;
        printf("%s%s%s\n", first > 0 ? "\n" : "", table, strcmp(unit, "us") == 0 ? ", us" : "");
        status = print_table(results->numbers + first, end - first);
    }
    return status;
}
