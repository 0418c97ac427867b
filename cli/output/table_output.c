/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/output/table_output.h"

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

/* Cells may share their buffers with nothing: compare what is shown. */
static bool looks_same(const table_cell *a, const table_cell *b)
{
    if (a->kind != b->kind)
        return false;
    switch (a->kind) {
    case CELL_TEXT:
        return strcmp(a->text, b->text) == 0;
    case CELL_REAL:
        return !(a->real < b->real) && !(a->real > b->real);
    default:
        return a->kind == CELL_NONE || a->whole == b->whole;
    }
}

static bool is_worth(const table_rows *rows, size_t column)
{
    bool worth = rows->worth == NULL || rows->row_count == 0;
    for (size_t r = 0; r < rows->row_count && !worth; r++)
        worth = rows->worth(rows->context, r, column);
    return worth;
}

option_fate table_decide(const table_rows *rows, size_t column)
{
    const table_column *c = &rows->columns[column];
    table_cell first = {0};
    if (c->heading == NULL || c->layout == COLUMN_DETAIL || !is_worth(rows, column))
        return OPTION_DROPPED;
    if (rows->row_count == 0)
        return HTML_IN_TABLE;
    rows->cell(rows->context, 0, column, &first);
    for (size_t r = 1; r < rows->row_count; r++) {
        table_cell cell = {0};
        rows->cell(rows->context, r, column, &cell);
        if (!looks_same(&first, &cell))
            return HTML_IN_TABLE;
    }
    if (first.kind == CELL_NONE)
        return OPTION_DROPPED;
    const bool folds =
        c->folding == FOLD_ALWAYS || (c->folding == FOLD_ROWS && rows->row_count > 1);
    return folds ? HTML_FOLDED : HTML_IN_TABLE;
}

/* "heading: value, heading: value", in lines of some width; prose has lines of its own. */
static void print_folded(const table_rows *rows, const option_fate *fates)
{
    size_t used = 0;
    bool any = false;
    for (size_t c = 0; c < rows->column_count; c++) {
        const table_column *column = &rows->columns[c];
        const bool prose = column->layout == COLUMN_PROSE;
        char number[SHOWN_SIZE];
        table_cell cell = {0};
        if (fates[c] != HTML_FOLDED)
            continue;
        rows->cell(rows->context, 0, c, &cell);
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
                       const option_fate *fates)
{
    for (size_t c = 0; c < rows->column_count; c++) {
        if (fates[c] != HTML_IN_TABLE)
            continue;
        const column_layout layout = rows->columns[c].layout;
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

static int add_row(struct libscols_table *table, const table_rows *rows, const option_fate *fates,
                   size_t row)
{
    struct libscols_line *line = scols_table_new_line(table, NULL);
    size_t place = 0;
    if (line == NULL)
        return -ENOMEM;
    for (size_t c = 0; c < rows->column_count; c++) {
        char number[SHOWN_SIZE];
        table_cell cell = {0};
        if (fates[c] != HTML_IN_TABLE)
            continue;
        rows->cell(rows->context, row, c, &cell);
        char *escaped = escape_copy(cell_show(&cell, rows->columns[c].notation, number));
        if (escaped == NULL || scols_line_refer_data(line, place++, escaped) != 0) {
            free(escaped);
            return -ENOMEM;
        }
    }
    return 0;
}

static int print_chunk(const table_rows *rows, const option_fate *fates, size_t first, size_t last)
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
    option_fate *fates = calloc(rows->column_count, sizeof *fates);
    if (fates == NULL)
        return error_memory(NULL);
    for (size_t c = 0; c < rows->column_count; c++)
        fates[c] = table_decide(rows, c);
    print_folded(rows, fates);
    for (size_t first = 0; first < rows->row_count && status == 0 && !ferror(stdout);
         first += CHUNK_ROWS) {
        const size_t left = rows->row_count - first;
        status = print_chunk(rows, fates, first, first + (left < CHUNK_ROWS ? left : CHUNK_ROWS));
    }
    free(fates);
    return status == 0 ? EXIT_DONE : error_memory(NULL);
}
