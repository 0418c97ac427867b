/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/json_output.h"

#include "cli/errors.h"
#include "cli/escape.h"

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>

/*
 * Rows are written one by one, so that millions of them need no memory: the frame is written here,
 * what stands in it by jansson.
 */

static size_t json_flags(void)
{
    const size_t terminal = clump_cli_escape_is_wanted() ? JSON_ENSURE_ASCII : 0;
    return JSON_PRESERVE_ORDER | JSON_ENCODE_ANY | JSON_REAL_PRECISION(15) | terminal;
}

/* Text that is not UTF-8 is escaped: JSON cannot hold it. */
static json_t *make_text(const char *text)
{
    json_t *value = json_string(text);
    if (value == NULL) {
        char *escaped = clump_cli_escape_copy(text);
        value = escaped != NULL ? json_string(escaped) : NULL;
        free(escaped);
    }
    return value;
}

static json_t *make_value(const clump_cli_cell *cell)
{
    switch (cell->kind) {
    case CLUMP_CLI_CELL_TEXT:
        return make_text(cell->text);
    case CLUMP_CLI_CELL_REAL:
        return json_real(cell->real);
    case CLUMP_CLI_CELL_WHOLE:
        return json_integer(cell->whole);
    case CLUMP_CLI_CELL_TRUTH:
        return json_boolean(cell->whole);
    case CLUMP_CLI_CELL_NONE:
        break;
    }
    return json_null();
}

static json_t *make_row(const clump_cli_rows *rows, size_t row)
{
    json_t *object = json_object();
    for (size_t c = 0; object != NULL && c < rows->column_count; c++) {
        clump_cli_cell cell = {0};
        if (rows->columns[c].key == NULL)
            continue;
        rows->cell(rows->context, row, c, &cell);
        if (cell.kind != CLUMP_CLI_CELL_NONE &&
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

bool clump_cli_json_records(const clump_cli_rows *rows, bool *first)
{
    for (size_t r = 0; r < rows->row_count && !ferror(stdout); r++) {
        (void)fputs(*first ? "\n    " : ",\n    ", stdout);
        *first = false;
        if (!dump(make_row(rows, r)))
            return false;
    }
    return true;
}

static bool print_rows(const clump_cli_rows *rows)
{
    bool first = true;
    (void)printf("  \"%s\": [", rows->key);
    if (!clump_cli_json_records(rows, &first))
        return false;
    (void)fputs(first ? "]" : "\n  ]", stdout);
    return true;
}

/* What follows something, and the end of the object. */
static int print_fields(const char *comma, const clump_cli_field *fields, size_t field_count)
{
    for (size_t i = 0; i < field_count; i++) {
        const clump_cli_field *field = &fields[i];
        if (field->numbers == NULL && field->value.kind == CLUMP_CLI_CELL_NONE)
            continue;
        (void)printf("%s  \"%s\": ", comma, field->key);
        comma = ",\n";
        if (!dump(field->numbers != NULL ? make_list(field->numbers, field->number_count)
                                         : make_value(&field->value)))
            return clump_cli_error_memory(NULL);
    }
    (void)fputs("\n}\n", stdout);
    return CLUMP_CLI_DONE;
}

void clump_cli_json_begin(const char *key)
{
    (void)printf("{\n  \"%s\": [", key);
}

int clump_cli_json_end(bool first, const clump_cli_field *fields, size_t field_count)
{
    (void)fputs(first ? "]" : "\n  ]", stdout);
    return print_fields(",\n", fields, field_count);
}

int clump_cli_json_print(const clump_cli_rows *const *rows, size_t row_sets,
                         const clump_cli_field *fields, size_t field_count)
{
    const char *comma = "{\n";
    for (size_t i = 0; i < row_sets; i++, comma = ",\n") {
        (void)fputs(comma, stdout);
        if (!print_rows(rows[i]))
            return clump_cli_error_memory(NULL);
    }
    return print_fields(comma, fields, field_count);
}
