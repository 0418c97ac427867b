/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/pictures/html.h"

#include "cli/output/escape.h"
#include "cli/output/output.h"

#include <math.h>
#include <string.h>

void html_text(const char *text, FILE *file)
{
    while (text != NULL && *text != '\0') {
        const size_t length = escape_plain(text);
        const char *name = *text == '<'    ? "&lt;"
                           : *text == '>'  ? "&gt;"
                           : *text == '&'  ? "&amp;"
                           : *text == '"'  ? "&quot;"
                           : *text == '\'' ? "&#39;"
                                           : NULL;
        if (name != NULL)
            fputs(name, file);
        else if (*text == '\n' || *text == '\t')
            fputc(*text, file);
        else
            escape_print_one(text, file);
        text += length > 0 ? length : 1;
    }
}

void html_json_text(const char *text, FILE *file)
{
    if (text == NULL) {
        fputs("null", file);
        return;
    }
    fputc('"', file);
    while (*text != '\0') {
        const size_t length = escape_plain(text);
        if (length == 1 && strchr("\"\\<>&", *text) != NULL)
            fprintf(file, "\\u%04x", (unsigned)(unsigned char)*text);
        else if (length > 0)
            fwrite(text, 1, length, file);
        else
            fprintf(file, "\\\\x%02x", (unsigned)(unsigned char)*text);
        text += length > 0 ? length : 1;
    }
    fputc('"', file);
}

void html_json_number(double value, int digits, FILE *file)
{
    if (isfinite(value))
        fprintf(file, "%.*g", digits, value);
    else
        fputs("null", file);
}

static void json_key(const char *key, FILE *file)
{
    fprintf(file, ",\"%s\":", key);
}

static void json_numbers(const char *key, const double *values, size_t count, FILE *file)
{
    enum { DIGITS = 9 }; /* a picture shows less */
    json_key(key, file);
    fputc('[', file);
    for (size_t i = 0; i < count; i++) {
        if (i > 0)
            fputc(',', file);
        html_json_number(values[i], DIGITS, file);
    }
    fputc(']', file);
}

static void json_axis(const char *key, const plot_axis *axis, FILE *file)
{
    json_key(key, file);
    fputs("{\"label\":", file);
    html_json_text(axis->label, file);
    fprintf(file, ",\"log\":%s,\"whole\":%s}", axis->logarithmic ? "true" : "false",
            axis->whole ? "true" : "false");
}

static void json_series(const plot_series *series, FILE *file)
{
    const bool black = series->colour == PLOT_BLACK;
    fputs("{\"name\":", file);
    html_json_text(series->name, file);
    fprintf(file, ",\"mark\":%d,\"colour\":%zu,\"black\":%s,\"measured\":%s", (int)series->mark,
            black ? 0 : series->colour, black ? "true" : "false",
            series->measured ? "true" : "false");
    json_numbers("x", series->x, series->count, file);
    json_numbers("y", series->y, series->count, file);
    if (series->low != NULL && series->high != NULL) {
        json_numbers("low", series->low, series->count, file);
        json_numbers("high", series->high, series->count, file);
    }
    fputc('}', file);
}

void html_json_plot(const plot_picture *plot, FILE *file)
{
    fputs("{\"title\":", file);
    html_json_text(plot->title, file);
    json_axis("x", &plot->x, file);
    json_axis("y", &plot->y, file);
    fprintf(file, ",\"ordered\":%s,\"diagonal\":%s,\"level\":", plot->ordered ? "true" : "false",
            plot->diagonal ? "true" : "false");
    html_json_number(plot->level, 17, file);
    json_key("levelName", file);
    html_json_text(plot->level_name, file);
    json_key("categories", file);
    for (size_t i = 0; plot->categories != NULL && i < plot->category_count; i++) {
        fputc(i == 0 ? '[' : ',', file);
        html_json_text(plot->categories[i], file);
    }
    fputs(plot->categories == NULL ? "null" : plot->category_count > 0 ? "]" : "[]", file);
    json_key("series", file);
    fputc('[', file);
    for (size_t i = 0; i < plot->series_count; i++) {
        if (i > 0)
            fputc(',', file);
        json_series(&plot->series[i], file);
    }
    fputc(']', file);
    if (plot->grid != NULL) {
        const plot_grid *grid = plot->grid;
        fputs(",\"grid\":{\"label\":", file);
        html_json_text(grid->label, file);
        json_key("centre", file);
        html_json_number(grid->centre, 17, file);
        json_numbers("x", grid->x, grid->x_count, file);
        json_numbers("y", grid->y, grid->y_count, file);
        json_numbers("z", grid->z, grid->x_count * grid->y_count, file);
        fputc('}', file);
    }
    fputc('}', file);
}

void html_base64(const unsigned char *bytes, size_t size, FILE *file)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    for (size_t i = 0; i < size; i += 3) {
        const size_t left = size - i;
        const unsigned group = (unsigned)bytes[i] << 16 |
                               (left > 1 ? (unsigned)bytes[i + 1] << 8 : 0) |
                               (left > 2 ? (unsigned)bytes[i + 2] : 0);
        fputc(digits[group >> 18], file);
        fputc(digits[group >> 12 & 63], file);
        fputc(left > 1 ? digits[group >> 6 & 63] : '=', file);
        fputc(left > 2 ? digits[group & 63] : '=', file);
    }
}

static const char *show_cell(const table_rows *rows, size_t row, size_t column, table_cell *cell,
                             char number[SHOWN_SIZE])
{
    cell_read(rows, row, column, cell);
    return cell_show(cell, rows->columns[column].notation, number);
}

/* What all rows say the same. */
static void print_folded(const table_rows *rows, FILE *file)
{
    const char *separator = "<p>";
    for (size_t c = 0; c < rows->column_count; c++) {
        char number[SHOWN_SIZE];
        table_cell cell;
        if (column_decide(rows, c) != FATE_FOLDED)
            continue;
        fprintf(file, "%s%s: ", separator, rows->columns[c].heading);
        html_text(show_cell(rows, 0, c, &cell, number), file);
        separator = ", ";
    }
    if (*separator == ',')
        fputs("</p>\n", file);
}

static const char *class_of(const table_column *column)
{
    const column_layout layout = column_layout_of(column);
    return layout == COLUMN_RIGHT   ? " class=\"right\""
           : layout == COLUMN_PROSE ? " class=\"prose\""
                                    : "";
}

void html_table(const table_rows *rows, size_t most, const char *label, FILE *file)
{
    enum { MOST_COLUMNS = 64 };
    size_t shown[MOST_COLUMNS], columns = 0;
    const size_t count = rows->row_count < most ? rows->row_count : most;
    print_folded(rows, file);
    fputs("<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"", file);
    html_text(label, file);
    fputs("\"><table>\n<thead><tr>", file);
    for (size_t c = 0; c < rows->column_count && columns < MOST_COLUMNS; c++)
        if (column_decide(rows, c) == FATE_IN_TABLE) {
            shown[columns++] = c;
            fprintf(file, "<th scope=\"col\"%s>%s</th>", class_of(&rows->columns[c]),
                    rows->columns[c].heading);
        }
    fputs("</tr></thead>\n<tbody>\n", file);
    for (size_t r = 0; r < count; r++) {
        fputs("<tr>", file);
        for (size_t i = 0; i < columns; i++) {
            char number[SHOWN_SIZE];
            table_cell cell;
            fprintf(file, "<td%s>", class_of(&rows->columns[shown[i]]));
            html_text(show_cell(rows, r, shown[i], &cell, number), file);
            fputs("</td>", file);
        }
        fputs("</tr>\n", file);
    }
    fputs("</tbody></table></div>\n", file);
    if (count < rows->row_count)
        fprintf(file, "<p class=\"quiet\">The first %zu of %zu rows.</p>\n", count,
                rows->row_count);
}
