/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/table_output.h"

#include "cli/errors.h"
#include "cli/escape.h"
#include "cli/terminal.h"

#include <errno.h>
#include <libsmartcols.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Rows that are laid out at a time; more would only cost memory. */
#define CHUNK_ROWS 10000
#define FOLDED_WIDTH 78

/* Cells may share their buffers with nothing: compare what is shown. */
static bool looks_same(const clump_cli_cell *a, const clump_cli_cell *b)
{
    if (a->kind != b->kind)
        return false;
    switch (a->kind) {
    case CLUMP_CLI_CELL_TEXT:
        return strcmp(a->text, b->text) == 0;
    case CLUMP_CLI_CELL_REAL:
        return !(a->real < b->real) && !(a->real > b->real);
    default:
        return a->kind == CLUMP_CLI_CELL_NONE || a->whole == b->whole;
    }
}

static bool is_worth(const clump_cli_rows *rows, size_t column)
{
    bool worth = rows->worth == NULL || rows->row_count == 0;
    for (size_t r = 0; r < rows->row_count && !worth; r++)
        worth = rows->worth(rows->context, r, column);
    return worth;
}

clump_cli_fate clump_cli_table_decide(const clump_cli_rows *rows, size_t column)
{
    const clump_cli_column *c = &rows->columns[column];
    clump_cli_cell first = {0};
    if (c->heading == NULL || c->layout == CLUMP_CLI_DETAIL || !is_worth(rows, column))
        return CLUMP_CLI_DROPPED;
    if (rows->row_count == 0)
        return CLUMP_CLI_IN_TABLE;
    rows->cell(rows->context, 0, column, &first);
    for (size_t r = 1; r < rows->row_count; r++) {
        clump_cli_cell cell = {0};
        rows->cell(rows->context, r, column, &cell);
        if (!looks_same(&first, &cell))
            return CLUMP_CLI_IN_TABLE;
    }
    if (first.kind == CLUMP_CLI_CELL_NONE)
        return CLUMP_CLI_DROPPED;
    const bool folds = c->folding == CLUMP_CLI_FOLD_ALWAYS ||
                       (c->folding == CLUMP_CLI_FOLD_ROWS && rows->row_count > 1);
    return folds ? CLUMP_CLI_FOLDED : CLUMP_CLI_IN_TABLE;
}

/* "heading: value, heading: value", in lines of some width; prose has lines of its own. */
static void print_folded(const clump_cli_rows *rows, const clump_cli_fate *fates)
{
    size_t used = 0;
    bool any = false;
    for (size_t c = 0; c < rows->column_count; c++) {
        const clump_cli_column *column = &rows->columns[c];
        const bool prose = column->layout == CLUMP_CLI_PROSE;
        char number[CLUMP_CLI_SHOWN_SIZE];
        clump_cli_cell cell = {0};
        if (fates[c] != CLUMP_CLI_FOLDED)
            continue;
        rows->cell(rows->context, 0, c, &cell);
        const char *shown = clump_cli_cell_show(&cell, column->notation, number);
        const size_t width = strlen(column->heading) + strlen(shown) + 2;
        const bool fits = !prose && used + width + 2 <= FOLDED_WIDTH;
        if (used > 0)
            (void)fputs(fits ? ", " : "\n", stdout);
        used = prose ? 0 : used > 0 && fits ? used + width + 2 : width;
        any = true;
        (void)printf("%s: ", column->heading);
        clump_cli_escape_print(shown, stdout);
        if (prose)
            (void)putchar('\n');
    }
    if (any)
        (void)fputs(used > 0 ? "\n\n" : "\n", stdout);
}

static int add_columns(struct libscols_table *table, const clump_cli_rows *rows,
                       const clump_cli_fate *fates)
{
    for (size_t c = 0; c < rows->column_count; c++) {
        if (fates[c] != CLUMP_CLI_IN_TABLE)
            continue;
        const clump_cli_layout layout = rows->columns[c].layout;
        const int flags = layout == CLUMP_CLI_RIGHT   ? SCOLS_FL_RIGHT
                          : layout == CLUMP_CLI_PROSE ? SCOLS_FL_WRAP
                                                      : 0;
        struct libscols_column *column =
            scols_table_new_column(table, rows->columns[c].heading, 0, flags);
        /* Cells come escaped; the library shall not escape the escapes. */
        if (column == NULL || scols_column_set_safechars(column, "\\") != 0)
            return -ENOMEM;
        if (clump_cli_terminal_has_colours(stdout) &&
            (scols_table_enable_colors(table, 1) != 0 ||
             scols_cell_set_color(scols_column_get_header(column), "bold") != 0))
            return -ENOMEM;
    }
    return 0;
}

static int add_row(struct libscols_table *table, const clump_cli_rows *rows,
                   const clump_cli_fate *fates, size_t row)
{
    struct libscols_line *line = scols_table_new_line(table, NULL);
    size_t place = 0;
    if (line == NULL)
        return -ENOMEM;
    for (size_t c = 0; c < rows->column_count; c++) {
        char number[CLUMP_CLI_SHOWN_SIZE];
        clump_cli_cell cell = {0};
        if (fates[c] != CLUMP_CLI_IN_TABLE)
            continue;
        rows->cell(rows->context, row, c, &cell);
        char *escaped =
            clump_cli_escape_copy(clump_cli_cell_show(&cell, rows->columns[c].notation, number));
        if (escaped == NULL || scols_line_refer_data(line, place++, escaped) != 0) {
            free(escaped);
            return -ENOMEM;
        }
    }
    return 0;
}

static int print_chunk(const clump_cli_rows *rows, const clump_cli_fate *fates, size_t first,
                       size_t last)
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

int clump_cli_table_print(const clump_cli_rows *rows)
{
    int status = 0;
    clump_cli_fate *fates = calloc(rows->column_count, sizeof *fates);
    if (fates == NULL)
        return clump_cli_error_memory(NULL);
    for (size_t c = 0; c < rows->column_count; c++)
        fates[c] = clump_cli_table_decide(rows, c);
    print_folded(rows, fates);
    for (size_t first = 0; first < rows->row_count && status == 0 && !ferror(stdout);
         first += CHUNK_ROWS) {
        const size_t left = rows->row_count - first;
        status = print_chunk(rows, fates, first, first + (left < CHUNK_ROWS ? left : CHUNK_ROWS));
    }
    free(fates);
    return status == 0 ? CLUMP_CLI_DONE : clump_cli_error_memory(NULL);
}
