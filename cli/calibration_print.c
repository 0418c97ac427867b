/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/calibration_results.h"
#include "cli/errors.h"
#include "cli/table_output.h"

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

static const clump_cli_column columns[COLUMN_COUNT] = {
    [TABLE] = {"table", NULL, 0, 0, CLUMP_CLI_LEFT},
    [QUEUE] = {"queue", "Queue", 0, CLUMP_CLI_FOLD_ROWS, CLUMP_CLI_LEFT},
    [QUANTITY] = {"quantity", "Quantity", 0, 0, CLUMP_CLI_LEFT},
    [SETTING] = {"setting", "Setting", 0, 0, CLUMP_CLI_LEFT},
    [SIZE] = {"size_bytes", "Bytes", 0, CLUMP_CLI_FOLD_ROWS, CLUMP_CLI_RIGHT},
    [PROCESSES] = {"processes", "Processes", 0, CLUMP_CLI_FOLD_ROWS, CLUMP_CLI_RIGHT},
    [MEAN] = {"mean", "Mean", CLUMP_CLI_GENERAL, 0, CLUMP_CLI_RIGHT},
    [HALF_WIDTH] = {"half_width", "95%", CLUMP_CLI_GENERAL, 0, CLUMP_CLI_RIGHT},
    [STD_DEV] = {"std_dev", "Std dev", CLUMP_CLI_GENERAL, 0, CLUMP_CLI_RIGHT},
    [RUNS] = {"runs", "Runs", 0, 0, CLUMP_CLI_RIGHT},
    [UNIT] = {"unit", "Unit", 0, CLUMP_CLI_FOLD_ROWS, CLUMP_CLI_LEFT},
    [THESIS] = {"thesis", "Thesis", CLUMP_CLI_GENERAL, 0, CLUMP_CLI_RIGHT},
    [THESIS_HALF_WIDTH] = {"thesis_half_width", "95%", CLUMP_CLI_GENERAL, 0, CLUMP_CLI_RIGHT},
    [RATIO] = {"thesis_ratio", "Thesis/here", CLUMP_CLI_GENERAL, 0, CLUMP_CLI_RIGHT},
};

static void set_cell(const void *context, size_t index, size_t column, clump_cli_cell *cell)
{
    const clump_cli_calibration_row *row = (const clump_cli_calibration_row *)context + index;
    switch (column) {
    case TABLE:
        clump_cli_cell_text(cell, row->table);
        break;
    case QUEUE:
        clump_cli_cell_text(cell, row->variant);
        break;
    case QUANTITY:
        clump_cli_cell_text(cell, row->quantity);
        break;
    case SETTING:
        clump_cli_cell_text(cell, row->setting);
        break;
    case SIZE:
        if (row->size_bytes >= 0)
            clump_cli_cell_whole(cell, row->size_bytes);
        break;
    case PROCESSES:
        if (row->processes > 0)
            clump_cli_cell_whole(cell, row->processes);
        break;
    case MEAN:
        clump_cli_cell_real(cell, row->mean);
        break;
    case HALF_WIDTH:
        clump_cli_cell_real(cell, row->half_width);
        break;
    case STD_DEV:
        clump_cli_cell_real(cell, row->std_dev);
        break;
    case RUNS:
        if (row->runs > 0)
            clump_cli_cell_size(cell, row->runs);
        break;
    case UNIT:
        clump_cli_cell_text(cell, row->unit);
        break;
    case THESIS:
        clump_cli_cell_real(cell, row->thesis);
        break;
    case THESIS_HALF_WIDTH:
        clump_cli_cell_real(cell, row->thesis_half_width);
        break;
    default: /* both negative or both positive, or it says nothing */
        clump_cli_cell_real(cell, row->mean * row->thesis > 0 ? row->thesis / row->mean : NAN);
        break;
    }
}

/* Columns that no row of a table has a use for are left out of it. */
static bool worth(const void *context, size_t row, size_t column)
{
    clump_cli_cell cell = {0};
    set_cell(context, row, column, &cell);
    return cell.kind != CLUMP_CLI_CELL_NONE;
}

int clump_cli_calibration_print(clump_cli_format format,
                                const clump_cli_calibration_results *results,
                                const clump_cli_field *fields, size_t field_count)
{
    clump_cli_column own[COLUMN_COUNT];
    memcpy(own, columns, sizeof own);
    if (results->variant_key != NULL) {
        own[QUEUE].key = results->variant_key;
        own[QUEUE].heading = results->variant_title;
    }
    clump_cli_rows rows = {.key = "results",
                           .columns = own,
                           .column_count = COLUMN_COUNT,
                           .row_count = results->count,
                           .cell = set_cell,
                           .worth = worth,
                           .context = results->rows};
    if (format != CLUMP_CLI_TABLE)
        return clump_cli_output_print(format, &rows, fields, field_count);
    int status = CLUMP_CLI_DONE;
    for (size_t first = 0, end; first < results->count && status == CLUMP_CLI_DONE; first = end) {
        for (end = first + 1; end < results->count &&
                              strcmp(results->rows[end].table, results->rows[first].table) == 0;)
            end++;
        (void)printf("%s%s\n", first > 0 ? "\n" : "", results->rows[first].table);
        rows.context = results->rows + first;
        rows.row_count = end - first;
        status = clump_cli_table_print(&rows);
    }
    return status;
}
