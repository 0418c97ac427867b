/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/output/output.h"

#include "cli/output/errors.h"
#include "cli/output/escape.h"
#include "cli/output/terminal.h"

#include <errno.h>
#include <libsmartcols.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Rows that are laid out at a time; more would only cost memory. */
#define CHUNK_ROWS 10000
#define FOLDED_WIDTH 78

/* "heading: value, heading: value", in lines of some width; prose has lines of its own. */
static void print_folded(const table_rows *rows, const column_fate *fates)
{
    size_t used = 0;
    bool any = false;
    for (size_t c = 0; c < rows->column_count; c++) {
        const table_column *column = &rows->columns[c];
        const bool prose = column->layout == COLUMN_PROSE;
        char number[SHOWN_SIZE];
        table_cell cell;
        if (fates[c] != FATE_FOLDED)
            continue;
        cell_read(rows, 0, c, &cell);
        const char *shown = cell_show(&cell, column->notation, number);
        const size_t width = strlen(column->heading) + strlen(shown) + 2;
        const bool fits = !prose && used + width + 2 <= FOLDED_WIDTH;
        if (used > 0)
            fputs(fits ? ", " : "\n", stdout);
        used = prose ? 0 : used > 0 && fits ? used + width + 2 : width;
        any = true;
        printf("%s: ", column->heading);
        escape_print(shown, stdout);
        if (prose)
            putchar('\n');
    }
    if (any)
        fputs(used > 0 ? "\n\n" : "\n", stdout);
}

static int add_columns(struct libscols_table *table, const table_rows *rows,
                       const column_fate *fates)
{
    for (size_t c = 0; c < rows->column_count; c++) {
        if (fates[c] != FATE_IN_TABLE)
            continue;
        const column_layout layout = column_layout_of(&rows->columns[c]);
        const int flags = layout == COLUMN_RIGHT   ? SCOLS_FL_RIGHT
                          : layout == COLUMN_PROSE ? SCOLS_FL_WRAP
                                                   : 0;
        struct libscols_column *column =
            scols_table_new_column(table, rows->columns[c].heading, 0, flags);
        /* Cells come escaped; the library shall not escape the escapes. */
        if (column == NULL || scols_column_set_safechars(column, "\\") != 0)
            return -ENOMEM;
        if (terminal_has_colours(stdout) &&
            (scols_table_enable_colors(table, 1) != 0 ||
             scols_cell_set_color(scols_column_get_header(column), "bold") != 0))
            return -ENOMEM;
    }
    return 0;
}

static int add_row(struct libscols_table *table, const table_rows *rows, const column_fate *fates,
                   size_t row)
{
    struct libscols_line *line = scols_table_new_line(table, NULL);
    size_t place = 0;
    if (line == NULL)
        return -ENOMEM;
    for (size_t c = 0; c < rows->column_count; c++) {
        char number[SHOWN_SIZE];
        table_cell cell;
        if (fates[c] != FATE_IN_TABLE)
            continue;
        cell_read(rows, row, c, &cell);
        char *escaped = escape_copy(cell_show(&cell, rows->columns[c].notation, number));
        if (escaped == NULL || scols_line_refer_data(line, place++, escaped) != 0) {
            free(escaped);
            return -ENOMEM;
        }
    }
    return 0;
}

static int print_chunk(const table_rows *rows, const column_fate *fates, size_t first, size_t last)
{
    struct libscols_table *table = scols_new_table();
    if (table == NULL)
        return -ENOMEM;
    int status = scols_table_enable_noheadings(table, first > 0);
    if (status == 0)
        status = scols_table_set_column_separator(table, "  ");
    if (status == 0)
        status = add_columns(table, rows, fates);
    for (size_t r = first; status == 0 && r < last; r++)
        status = add_row(table, rows, fates, r);
    if (status == 0)
        status = scols_print_table(table);
    if (ferror(stdout))
        status = 0; /* a failed write is found by main */
    scols_unref_table(table);
    return status;
}

int table_print(const table_rows *rows)
{
    int status = 0;
    column_fate *fates = calloc(rows->column_count, sizeof *fates);
    if (fates == NULL)
        return error_memory(NULL);
    for (size_t c = 0; c < rows->column_count; c++)
        fates[c] = column_decide(rows, c);
    print_folded(rows, fates);
    for (size_t first = 0; first < rows->row_count && status == 0 && !ferror(stdout);
         first += CHUNK_ROWS) {
        const size_t left = rows->row_count - first;
        status = print_chunk(rows, fates, first, first + (left < CHUNK_ROWS ? left : CHUNK_ROWS));
    }
    free(fates);
    return status == 0 ? EXIT_DONE : error_memory(NULL);
}
