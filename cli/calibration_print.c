/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "calibration/calibration_results.h"
#include "cli/output/errors.h"
#include "cli/output/output.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum {
    TABLE,
    QUEUE,
    QUANTITY,
    SETTING,
    SIZE,
    PROCESSES,
    MEAN,
    HALF_WIDTH,
    STD_DEV,
    RUNS,
    UNIT,
    THESIS,
    THESIS_HALF_WIDTH,
    RATIO,
    COLUMN_COUNT
};

static const table_column columns[COLUMN_COUNT] = {
    [TABLE] = {"table", NULL, 0, 0, COLUMN_LEFT},
    [QUEUE] = {"queue", "Queue", 0, FOLD_ROWS, COLUMN_LEFT},
    [QUANTITY] = {"quantity", "Quantity", 0, 0, COLUMN_LEFT},
    [SETTING] = {"setting", "Setting", 0, 0, COLUMN_LEFT},
    [SIZE] = {"size_bytes", "Bytes", 0, FOLD_ROWS, COLUMN_RIGHT},
    [PROCESSES] = {"processes", "Processes", 0, FOLD_ROWS, COLUMN_RIGHT},
    [MEAN] = {"mean", "Mean", NUMBER_GENERAL, 0, COLUMN_RIGHT},
    [HALF_WIDTH] = {"half_width", "95%", NUMBER_GENERAL, 0, COLUMN_RIGHT},
    [STD_DEV] = {"std_dev", "Std dev", NUMBER_GENERAL, 0, COLUMN_RIGHT},
    [RUNS] = {"runs", "Runs", 0, 0, COLUMN_RIGHT},
    [UNIT] = {"unit", "Unit", 0, FOLD_ROWS, COLUMN_LEFT},
    [THESIS] = {"thesis", "Thesis", NUMBER_GENERAL, 0, COLUMN_RIGHT},
    [THESIS_HALF_WIDTH] = {"thesis_half_width", "95%", NUMBER_GENERAL, 0, COLUMN_RIGHT},
    [RATIO] = {"thesis_ratio", "Thesis/here", NUMBER_GENERAL, 0, COLUMN_RIGHT},
};

static void set_cell(const void *context, size_t index, size_t column, table_cell *cell)
{
    const clump_calibration_row *row = (const clump_calibration_row *)context + index;
    switch (column) {
    case TABLE:
        cell_text(cell, row->table);
        break;
    case QUEUE:
        cell_text(cell, row->variant);
        break;
    case QUANTITY:
        cell_text(cell, row->quantity);
        break;
    case SETTING:
        cell_text(cell, row->setting);
        break;
    case SIZE:
        if (row->size_bytes >= 0)
            cell_whole(cell, row->size_bytes);
        break;
    case PROCESSES:
        if (row->processes > 0)
            cell_whole(cell, row->processes);
        break;
    case MEAN:
        cell_real(cell, row->mean);
        break;
    case HALF_WIDTH:
        cell_real(cell, row->half_width);
        break;
    case STD_DEV:
        cell_real(cell, row->std_dev);
        break;
    case RUNS:
        if (row->runs > 0)
            cell_size(cell, row->runs);
        break;
    case UNIT:
        cell_text(cell, row->unit);
        break;
    case THESIS:
        cell_real(cell, row->thesis);
        break;
    case THESIS_HALF_WIDTH:
        cell_real(cell, row->thesis_half_width);
        break;
    default: /* both negative or both positive, or it says nothing */
        cell_real(cell, row->mean * row->thesis > 0 ? row->thesis / row->mean : NAN);
        break;
    }
}

/* Columns that no row of a table has a use for are left out of it. */
static bool worth(const void *context, size_t row, size_t column)
{
    table_cell cell = {0};
    set_cell(context, row, column, &cell);
    return cell.kind != CELL_NONE;
}

int calibration_print(output_format format, const clump_calibration_results *results,
                      const output_field *fields, size_t field_count)
{
    table_column own[COLUMN_COUNT];
    memcpy(own, columns, sizeof own);
    if (results->variant_key != NULL) {
        own[QUEUE].key = results->variant_key;
        own[QUEUE].heading = results->variant_title;
    }
    table_rows rows = {.key = "results",
                       .columns = own,
                       .column_count = COLUMN_COUNT,
                       .row_count = results->count,
                       .cell = set_cell,
                       .worth = worth,
                       .context = results->rows};
    if (format != FORMAT_TABLE)
        return output_print(format, &rows, fields, field_count);
    int status = EXIT_DONE;
    for (size_t first = 0, end; first < results->count && status == EXIT_DONE; first = end) {
        for (end = first + 1; end < results->count &&
                              strcmp(results->rows[end].table, results->rows[first].table) == 0;)
            end++;
        printf("%s%s\n", first > 0 ? "\n" : "", results->rows[first].table);
        rows.context = results->rows + first;
        rows.row_count = end - first;
        status = table_print(&rows);
    }
    return status;
}
