/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/output/output.h"

#include "cli/output/errors.h"
#include "cli/output/escape.h"

#include <inttypes.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- CSV */

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
    const wanted_columns wanted = columns_wanted(rows);
    const char *comma = "";
    for (size_t c = 0; c < rows->column_count; c++)
        if (column_has_key(rows, &wanted, c)) {
            printf("%s%s", comma, rows->columns[c].key);
            comma = ",";
        }
    fputs("\n", stdout);
}

void csv_print_records(const table_rows *rows)
{
    const wanted_columns wanted = columns_wanted(rows);
    const bool escape = escape_is_wanted();
    for (size_t r = 0; r < rows->row_count && !ferror(stdout); r++) {
        const char *comma = "";
        for (size_t c = 0; c < rows->column_count; c++) {
            table_cell cell;
            if (!column_has_key(rows, &wanted, c))
                continue;
            cell_read(rows, r, c, &cell);
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

/* ---- JSON */

/*
 * Rows are written one by one, so that millions of them need no memory: the frame is written here,
 * what stands in it by jansson.
 */

static size_t json_flags(void)
{
    const size_t terminal = escape_is_wanted() ? JSON_ENSURE_ASCII : 0;
    return JSON_PRESERVE_ORDER | JSON_ENCODE_ANY | JSON_REAL_PRECISION(15) | terminal;
}

/* Text that is not UTF-8 is escaped: JSON cannot hold it. */
static json_t *make_text(const char *text)
{
    json_t *value = json_string(text);
    if (value == NULL) {
        char *escaped = escape_copy(text);
        value = escaped != NULL ? json_string(escaped) : NULL;
        free(escaped);
    }
    return value;
}

static json_t *make_value(const table_cell *cell)
{
    switch (cell->kind) {
    case CELL_TEXT:
        return make_text(cell->text);
    case CELL_REAL:
        return json_real(cell->real);
    case CELL_WHOLE:
        return json_integer(cell->whole);
    case CELL_TRUTH:
        return json_boolean(cell->whole);
    case CELL_NONE:
        break;
    }
    return json_null();
}

static json_t *make_row(const table_rows *rows, const wanted_columns *wanted, size_t row)
{
    json_t *object = json_object();
    for (size_t c = 0; object != NULL && c < rows->column_count; c++) {
        table_cell cell;
        if (!column_has_key(rows, wanted, c))
            continue;
        cell_read(rows, row, c, &cell);
        if (cell.kind != CELL_NONE &&
            json_object_set_new(object, rows->columns[c].key, make_value(&cell)) != 0) {
            json_decref(object);
            return NULL;
        }
    }
    return object;
}

static json_t *make_list(const double *numbers, size_t count)
{
    json_t *list = json_array();
    for (size_t i = 0; list != NULL && i < count; i++)
        if (json_array_append_new(list, json_real(numbers[i])) != 0) {
            json_decref(list);
            return NULL;
        }
    return list;
}

/* Writes and releases; `value` may be NULL. False if there was no memory: a failed write is found
 * by main. */
static bool dump(json_t *value)
{
    const bool dumped =
        value != NULL && (json_dumpf(value, stdout, json_flags()) == 0 || ferror(stdout));
    json_decref(value);
    return dumped;
}

bool json_records(const table_rows *rows, bool *first)
{
    const wanted_columns wanted = columns_wanted(rows);
    for (size_t r = 0; r < rows->row_count && !ferror(stdout); r++) {
        fputs(*first ? "\n    " : ",\n    ", stdout);
        *first = false;
        if (!dump(make_row(rows, &wanted, r)))
            return false;
    }
    return true;
}

static bool print_rows(const table_rows *rows)
{
    bool first = true;
    printf("  \"%s\": [", rows->key);
    if (!json_records(rows, &first))
        return false;
    fputs(first ? "]" : "\n  ]", stdout);
    return true;
}

/* What follows something, and the end of the object. */
static int print_fields(const char *comma, const output_field *fields, size_t field_count)
{
    for (size_t i = 0; i < field_count; i++) {
        const output_field *field = &fields[i];
        if (field->numbers == NULL && field->value.kind == CELL_NONE)
            continue;
        printf("%s  \"%s\": ", comma, field->key);
        comma = ",\n";
        if (!dump(field->numbers != NULL ? make_list(field->numbers, field->number_count)
                                         : make_value(&field->value)))
            return error_memory(NULL);
    }
    fputs("\n}\n", stdout);
    return EXIT_DONE;
}

void json_begin(const char *key)
{
    printf("{\n  \"%s\": [", key);
}

int json_end(bool first, const output_field *fields, size_t field_count)
{
    fputs(first ? "]" : "\n  ]", stdout);
    return print_fields(",\n", fields, field_count);
}

int json_print(const table_rows *const *rows, size_t row_sets, const output_field *fields,
               size_t field_count)
{
    const char *comma = "{\n";
    for (size_t i = 0; i < row_sets; i++, comma = ",\n") {
        fputs(comma, stdout);
        if (!print_rows(rows[i]))
            return error_memory(NULL);
    }
    return print_fields(comma, fields, field_count);
}

/* ---- any */

int output_print(output_format format, const table_rows *rows, const output_field *fields,
                 size_t field_count)
{
    switch (format) {
    case FORMAT_JSON:
        return json_print(&rows, 1, fields, field_count);
    case FORMAT_CSV:
        return csv_print(rows);
    case FORMAT_TABLE:
    case FORMAT_MARKDOWN:
    case FORMAT_LATEX:
        break;
    }
    return table_print(rows);
}
