/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/output/json_output.h"

#include "cli/output/errors.h"
#include "cli/output/escape.h"

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>

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

static json_t *make_row(const table_rows *rows, size_t row)
{
    json_t *object = json_object();
    for (size_t c = 0; object != NULL && c < rows->column_count; c++) {
        table_cell cell = {0};
        if (rows->columns[c].key == NULL)
            continue;
        rows->cell(rows->context, row, c, &cell);
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
    for (size_t r = 0; r < rows->row_count && !ferror(stdout); r++) {
        fputs(*first ? "\n    " : ",\n    ", stdout);
        *first = false;
        if (!dump(make_row(rows, r)))
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
