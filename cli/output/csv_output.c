/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/output/csv_output.h"

#include "cli/output/errors.h"
#include "cli/output/escape.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* RFC 4180: quotes where a comma, a quote or the end of a line is in the text. */
static void print_text(const char *text, bool escape)
{
    const bool quoted = strpbrk(text, ",\"\r\n") != NULL || *text == ' ';
    if (quoted)
        putchar('"');
    for (; *text != '\0'; text++) {
        if (*text == '"')
            putchar('"');
        if (escape)
            text += escape_print_one(text, stdout) - 1;
        else
            putchar(*text);
    }
    if (quoted)
        putchar('"');
}

static void print_cell(const table_cell *cell, bool escape)
{
    switch (cell->kind) {
    case CELL_TEXT:
        print_text(cell->text, escape);
        break;
    case CELL_REAL:
        printf("%.15g", cell->real);
        break;
    case CELL_WHOLE:
        printf("%" PRId64, cell->whole);
        break;
    case CELL_TRUTH:
        fputs(cell->whole ? "true" : "false", stdout);
        break;
    case CELL_NONE:
        break;
    }
}

void csv_print_header(const table_rows *rows)
{
    const char *comma = "";
    for (size_t c = 0; c < rows->column_count; c++)
        if (rows->columns[c].key != NULL) {
            printf("%s%s", comma, rows->columns[c].key);
            comma = ",";
        }
    fputs("\n", stdout);
}

void csv_print_records(const table_rows *rows)
{
    const bool escape = escape_is_wanted();
    for (size_t r = 0; r < rows->row_count && !ferror(stdout); r++) {
        const char *comma = "";
        for (size_t c = 0; c < rows->column_count; c++) {
            table_cell cell = {0};
            if (rows->columns[c].key == NULL)
                continue;
            rows->cell(rows->context, r, c, &cell);
            fputs(comma, stdout);
            print_cell(&cell, escape);
            comma = ",";
        }
        fputs("\n", stdout);
    }
}

int csv_print(const table_rows *rows)
{
    csv_print_header(rows);
    csv_print_records(rows);
    return EXIT_DONE;
}
