/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "protocols/command/calibrate_tables.h"

#include "cli/output/errors.h"
#include "cli/output/output.h"

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
