/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/output/cells.h"

#include "cli/output/terminal.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

void cell_text(table_cell *cell, const char *text)
{
    cell->kind = text != NULL && *text != '\0' ? CELL_TEXT : CELL_NONE;
    cell->text = text;
}

void cell_real(table_cell *cell, double real)
{
    cell->kind = isfinite(real) ? CELL_REAL : CELL_NONE;
    cell->real = real == 0 ? 0 : real; /* no -0 */
}

void cell_whole(table_cell *cell, int64_t whole)
{
    cell->kind = CELL_WHOLE;
    cell->whole = whole;
}

static void cell_size(table_cell *cell, size_t size)
{
    cell_whole(cell, size > INT64_MAX ? INT64_MAX : (int64_t)size);
}

void cell_rounded(table_cell *cell, double real)
{
    if (!isfinite(real)) {
        cell->kind = CELL_NONE;
        return;
    }
    /* INT64_MAX as a double is one more than it is. */
    cell_whole(cell, real >= (double)INT64_MAX   ? INT64_MAX
                     : real <= (double)INT64_MIN ? INT64_MIN
                                                 : (int64_t)nearbyint(real));
}

void cell_truth(table_cell *cell, bool truth)
{
    cell->kind = CELL_TRUTH;
    cell->whole = truth;
}

/* Numbers of a text that were rounded to 0 lose their sign, since it would be that of what is not shown:
 * "-0.0%" becomes "0.0%". Returns the text. */
static char *without_zero_sign(char *text)
{
    for (char *sign = text; *sign != '\0'; sign++) {
        const bool begins = sign == text || sign[-1] == ' ' || sign[-1] == '(';
        if (!begins || (*sign != '-' && *sign != '+') || sign[1] != '0')
            continue;
        const char *end = sign + 1 + strspn(sign + 1, "0.");
        if (strchr("123456789e", *end) == NULL || *end == '\0')
            memmove(sign, sign + 1, strlen(sign));
    }
    return text;
}

void cell_print(table_cell *cell, const char *format, ...)
{
    va_list values;
    va_start(values, format);
    vsnprintf(cell->buffer, sizeof cell->buffer, format, values);
    va_end(values);
    cell_text(cell, without_zero_sign(cell->buffer));
}

output_field field_text(const char *key, const char *text)
{
    output_field field = {.key = key};
    cell_text(&field.value, text);
    return field;
}

output_field field_real(const char *key, double real)
{
    output_field field = {.key = key};
    cell_real(&field.value, real);
    return field;
}

output_field field_size(const char *key, size_t size)
{
    output_field field = {.key = key};
    cell_size(&field.value, size);
    return field;
}

static const void *record_at(const table_rows *rows, size_t row)
{
    return rows->record_size > 0 ? (const char *)rows->records + row * rows->record_size
                                 : ((const void *const *)rows->records)[row];
}

static void read_field(field_type type, const void *field, table_cell *cell)
{
    switch (type) {
    case FIELD_TEXT:
        cell_text(cell, *(const char *const *)field);
        break;
    case FIELD_CHARS:
        cell_text(cell, field);
        break;
    case FIELD_REAL:
        cell_real(cell, *(const double *)field);
        break;
    case FIELD_SIZE:
        cell_size(cell, *(const size_t *)field);
        break;
    case FIELD_UNSIGNED:
        cell_whole(cell, *(const unsigned *)field);
        break;
    case FIELD_WHOLE:
        cell_whole(cell, *(const int64_t *)field);
        break;
    case FIELD_TRUTH:
        cell_truth(cell, *(const bool *)field);
        break;
    case FIELD_MADE:
        break;
    }
}

bool column_read_real(const table_column *column, const void *record, double *number)
{
    const char *field = (const char *)record + column->offset;
    if (column->applies != NULL || column->of != NULL || column->make != NULL ||
        column->make_with != NULL || column->positive ||
        (column->type != FIELD_REAL && column->type != FIELD_SIZE))
        return false;
    if (column->type == FIELD_SIZE) {
        const size_t size = *(const size_t *)(const void *)field;
        *number = (double)(size > INT64_MAX ? INT64_MAX : (int64_t)size);
    } else {
        const double real = *(const double *)(const void *)field;
        *number = !isfinite(real) ? NAN : real == 0 ? 0 : real;
    }
    return true;
}

void column_read(const table_column *column, const void *record, table_cell *cell)
{
    *cell = (table_cell){.kind = CELL_NONE};
    if (column->applies != NULL && !column->applies(record))
        return;
    const char *holder = column->of != NULL ? column->of(record) : record;
    if (holder == NULL)
        return;
    if (column->make != NULL)
        column->make(holder, cell);
    else if (column->make_with != NULL)
        column->make_with(column, holder, cell);
    else
        read_field(column->type, holder + column->offset, cell);
    if (column->positive && !(cell->kind == CELL_REAL ? cell->real > 0 : cell->whole > 0))
        cell->kind = CELL_NONE;
}

void cell_read(const table_rows *rows, size_t row, size_t column, table_cell *cell)
{
    column_read(&rows->columns[column], record_at(rows, row), cell);
}

/* Whether some row says yes. */
static bool any_row(const table_rows *rows, bool (*says)(const void *record))
{
    for (size_t r = 0; r < rows->row_count; r++)
        if (says(record_at(rows, r)))
            return true;
    return false;
}

wanted_columns columns_wanted(const table_rows *rows)
{
    wanted_columns wanted = {{false}};
    for (size_t c = 0; c < rows->column_count && c < CONDITIONAL_COLUMNS; c++)
        wanted.left_out[c] =
            rows->columns[c].wanted != NULL && !any_row(rows, rows->columns[c].wanted);
    return wanted;
}

bool column_has_key(const table_rows *rows, const wanted_columns *wanted, size_t column)
{
    return rows->columns[column].key != NULL &&
           !(column < CONDITIONAL_COLUMNS && wanted->left_out[column]);
}

static bool is_worth(const table_rows *rows, const table_column *column)
{
    return (column->wanted == NULL || any_row(rows, column->wanted)) &&
           (column->worth == NULL || rows->row_count == 0 || any_row(rows, column->worth));
}

/* Whether a table shows the same: texts may lie in the cells themselves. */
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

column_fate column_decide(const table_rows *rows, size_t column)
{
    const table_column *c = &rows->columns[column];
    table_cell first, cell;
    if (c->heading == NULL || (c->layout == COLUMN_DETAIL && !rows->details) || !is_worth(rows, c))
        return FATE_DROPPED;
    if (rows->row_count == 0)
        return FATE_IN_TABLE;
    cell_read(rows, 0, column, &first);
    for (size_t r = 1; r < rows->row_count; r++) {
        cell_read(rows, r, column, &cell);
        if (!looks_same(&first, &cell))
            return FATE_IN_TABLE;
    }
    if (first.kind == CELL_NONE)
        return FATE_DROPPED;
    const bool folds =
        c->folding == FOLD_ALWAYS || (c->folding == FOLD_ROWS && rows->row_count > 1);
    return folds ? FATE_FOLDED : FATE_IN_TABLE;
}

column_layout column_layout_of(const table_column *column)
{
    if (column->layout != COLUMN_BY_TYPE && column->layout != COLUMN_DETAIL)
        return column->layout;
    return column->type == FIELD_TEXT || column->type == FIELD_CHARS || column->type == FIELD_TRUTH
               ? COLUMN_LEFT
               : COLUMN_RIGHT;
}

static void show_real(double value, number_notation notation, char *text, size_t size)
{
    switch (notation) {
    case NUMBER_RATIO:
        snprintf(text, size, fabs(value) < 1e6 ? "%.4f" : "%.6g", value);
        break;
    case NUMBER_PERCENT:
        snprintf(text, size, fabs(value) < 1e6 ? "%.1f%%" : "%.4g%%", 100 * value);
        break;
    case NUMBER_SIGNED:
        snprintf(text, size, fabs(value) < 1e6 ? "%+.1f%%" : "%+.4g%%", 100 * value);
        break;
    case NUMBER_EXACT:
        snprintf(text, size, "%.9g", value);
        break;
    case NUMBER_GENERAL:
        snprintf(text, size, "%.4g", value);
        break;
    }
}

const char *cell_show(const table_cell *cell, number_notation notation, char text[SHOWN_SIZE])
{
    switch (cell->kind) {
    case CELL_TEXT:
        return cell->text;
    case CELL_REAL:
        show_real(cell->real, notation, text, SHOWN_SIZE);
        return without_zero_sign(text);
    case CELL_WHOLE:
        snprintf(text, SHOWN_SIZE, "%lld", (long long)cell->whole);
        return text;
    case CELL_TRUTH:
        return cell->whole ? "yes" : "no";
    case CELL_NONE:
        break;
    }
    return "-";
}

const char *plus_minus(void)
{
    return terminal_has_utf8() ? "\xC2\xB1" : "+-";
}
